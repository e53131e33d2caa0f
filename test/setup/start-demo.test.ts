import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { type StartPlace, createStartPlace } from "@waymark/test-support/start-command.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCredentials } from "../../scripts/dev/private-files.ts";

let place: StartPlace;
beforeAll(async () => {
  place = await createStartPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const folder = () => path.join(place.folder, "demo");

describe("npm start -- --demo", { timeout: 300_000 }, () => {
  test("has a shop with two teams, changes that break clients, decisions and journeys, which one command deletes", async () => {
    const started = place.start({}, ["--demo"]);
    await started.untilPrinted("npm start -- --remove-demo");
    const credentials = readCredentials(folder());
    if (credentials === undefined) throw new Error("the demo has no credentials");
    const http = createHttpClient(credentials.apiUrl, { key: credentials.apiKey });
    const get = async <T>(address: string) => (await http.get<T>(address)).body;
    interface Service {
      name: string;
      ownerTeam: { slug: string } | null;
    }
    const { services } = await get<{ services: Service[] }>("/api/services?limit=200");
    const owned = (team: string | undefined) =>
      services.filter(({ ownerTeam }) => ownerTeam?.slug === team).length;
    expect([owned("checkout"), owned("logistics"), owned(undefined)]).toEqual([8, 3, 1]);
    interface Overview {
      breakingServiceCount: number;
      concerns: { kind: string; source: { branch: string; author: string } }[];
    }
    // The worker compares runs soon after it has stored them.
    const overview = () => get<Overview>("/api/overview");
    await expect.poll(async () => (await overview()).breakingServiceCount, { timeout: 60_000 }).toBe(6);
    const broken = (await overview()).concerns.find(({ kind }) => kind === "breaking");
    expect(broken?.source).toMatchObject({ branch: "main", author: "Aiko Mori" });
    interface Summary {
      findingsByState: { open: number; decided: number };
    }
    const { findingsByState } = await get<Summary>("/api/findings/summary");
    expect(Math.min(findingsByState.open, findingsByState.decided)).toBeGreaterThan(5);
    const { runs } = await get<{ runs: { status: string; journeyPath: string }[] }>("/api/journey-runs");
    expect(runs.map(({ status, journeyPath }) => [status, path.basename(journeyPath)])).toEqual([
      ["failed", "notes.stale.overlay.yaml"],
      ["passed", "notes.journey.yaml"],
    ]);

    const refused = place.start({}, ["--remove-demo", "--yes"]);
    await expect(refused.ended).resolves.toBe(1);
    expect(refused.output()).toContain("The demo runs, or ended without stopping its database.");
    started.launcher.kill("SIGTERM");
    await expect(started.ended).resolves.toBe(0);

    const asking = place.start({}, ["--remove-demo"]);
    await expect(asking.ended).resolves.toBe(1);
    for (const told of ["12 services", "checkout and logistics", "Nobody can be asked here. Add --yes"])
      expect(asking.output()).toContain(told);
    expect(existsSync(folder())).toBe(true);
    const removal = place.start({}, ["--remove-demo", "--yes"]);
    await expect(removal.ended).resolves.toBe(0);
    expect(removal.output()).toContain("The demo organization is deleted.");
    expect(existsSync(folder())).toBe(false);
    const again = place.start({}, ["--remove-demo", "--yes"]);
    await expect(again.ended).resolves.toBe(0);
    expect(again.output()).toContain("There is no demo organization here.");
  });

  test("says that an earlier start was stopped halfway, and how to begin again", async () => {
    const first = place.start({}, ["--demo"]);
    await first.untilPrinted("Scanning 11 services");
    first.launcher.kill("SIGTERM");
    await expect(first.ended).resolves.toBe(0);
    const next = place.start({}, ["--demo"]);
    await expect(next.ended).resolves.toBe(1);
    expect(next.output()).toContain(
      "An earlier start was stopped before the demo organization was complete.",
    );
    const removal = place.start({}, ["--remove-demo", "--yes"]);
    await expect(removal.ended).resolves.toBe(0);
  });

  test("goes into no database of somebody else, and an unknown option names the known ones", async () => {
    for (const name of ["DATABASE_URL", "SERVICE_DATABASE_URL"]) {
      const given = place.start({ [name]: "postgres://somebody@127.0.0.1:1/production" }, ["--demo"]);
      await expect(given.ended).resolves.toBe(1);
      expect(given.output()).toContain("The demo has a database of its own");
      expect(given.output()).toContain(`Start it without ${name}.`);
    }
    const unknown = place.start({}, ["--dem"]);
    await expect(unknown.ended).resolves.toBe(1);
    expect(unknown.output()).toContain("npm start -- --remove-demo");
    expect(existsSync(folder())).toBe(false);
  });

  test("uses and deletes no folder of somebody else", async () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(path.join(folder(), "notes.txt"), "mine");
    for (const args of [["--demo"], ["--remove-demo", "--yes"]]) {
      const refused = place.start({}, args);
      await expect(refused.ended).resolves.toBe(1);
      expect(refused.output()).toContain("was not made by npm start -- --demo");
    }
    expect(readdirSync(folder())).toEqual(["notes.txt"]);
    rmSync(folder(), { recursive: true });
  });
});
