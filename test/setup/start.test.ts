import { createServer } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { startPostgres } from "../../scripts/postgres/start-postgres.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type StartCommand, type StartPlace, createStartPlace } from "@waymark/test-support/start-command.ts";

// With its path: the launcher gets it without.
const DEV_SCRIPT = path.join(root, "scripts/dev.ts");
const READY = "Ctrl-C stops everything.";
let place: StartPlace;

// One place for all, because making a database takes the longest; each test leaves it stopped.
beforeAll(async () => {
  place = await createStartPlace();
});

afterEach(() => place.killAll());

afterAll(() => place[Symbol.asyncDispose]());

function credentials(): { apiUrl: string; organizationId: string; apiKey: string } {
  return JSON.parse(readFileSync(path.join(place.folder, "credentials.json"), "utf8"));
}

/** Ctrl-C in a terminal: the signal goes to every process of the foreground group. */
function pressCtrlC(command: StartCommand): void {
  process.kill(-(command.launcher.pid ?? NaN), "SIGINT");
}

/** The one process of this place whose command line holds `text`. One that was just forked has its parent's for a moment. */
async function pidOf(text: string): Promise<number> {
  let pids: number[] = [];
  const look = () => {
    pids = place
      .processes()
      .filter(({ command }) => command.includes(text))
      .map(({ pid }) => pid);
    return pids;
  };
  await expect.poll(look).toHaveLength(1);
  return pids[0] ?? NaN;
}

async function environmentOf(text: string): Promise<Record<string, string>> {
  const environ = readFileSync(`/proc/${await pidOf(text)}/environ`, "utf8");
  return Object.fromEntries(
    environ
      .split("\0")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

/** How often a worker of this place came as far as being ready. */
function workerStarts(): number {
  const log = readFileSync(path.join(place.folder, "worker.log"), "utf8");
  return log.split("worker is ready").length - 1;
}

async function isServed(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  );
}

async function expectNothingLeft(): Promise<void> {
  await expect(isServed(`http://127.0.0.1:${place.port}/healthz`)).resolves.toBe(false);
  expect(existsSync(path.join(place.folder, "postgres/postmaster.pid"))).toBe(false);
  await expect.poll(() => place.processes()).toEqual([]);
}

describe("npm start", { timeout: 120_000 }, () => {
  test("brings everything up, scans the example, finds its data again, and Ctrl-C leaves nothing", async () => {
    const first = place.start();
    await first.untilPrinted(READY);
    const { apiUrl, organizationId, apiKey } = credentials();
    expect(apiUrl).toBe(first.apiUrl);
    for (const told of [apiUrl, organizationId, apiKey, "npx waymark scan", "Endpoints: 7; findings: 14"]) {
      expect(first.output()).toContain(told);
    }
    const http = createHttpClient(apiUrl, { key: apiKey });
    const { body } = await http.get<{ services: { id: string; name: string }[] }>("/api/services");
    expect(body.services).toMatchObject([{ name: "bookshop" }]);
    pressCtrlC(first);
    await expect(first.ended).resolves.toBe(0);
    await expectNothingLeft();

    const second = place.start();
    await second.untilPrinted(READY);
    expect(workerStarts()).toBe(2);
    expect(credentials()).toEqual({ apiUrl, organizationId, apiKey });
    const { body: runs } = await http.get<{ scanRuns: { status: string }[] }>(
      `/api/services/${body.services[0]?.id}/scan-runs`,
    );
    expect(runs.scanRuns).toMatchObject([{ status: "completed" }]);
    pressCtrlC(second);
    await expect(second.ended).resolves.toBe(0);
    await expectNothingLeft();
  });

  test("keeps its secrets in files that only the owner reads, and out of every log", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    command.launcher.kill("SIGTERM");
    await command.ended;

    const privateFiles = ["credentials.json", "postgres.json", "service-login.json"];
    for (const name of privateFiles) {
      expect([name, statSync(path.join(place.folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    const { password }: { password: string } = JSON.parse(
      readFileSync(path.join(place.folder, "postgres.json"), "utf8"),
    );
    const login: { password: string } = JSON.parse(
      readFileSync(path.join(place.folder, "service-login.json"), "utf8"),
    );
    const secret = login.password;
    for (const log of ["api.log", "worker.log", "postgres.log"]) {
      const text = readFileSync(path.join(place.folder, log), "utf8");
      for (const hidden of [credentials().apiKey, password, secret]) expect(text).not.toContain(hidden);
    }
    expect(command.output()).not.toContain(password);
    expect(command.output()).not.toContain(secret);
  });

  // Only where there is /proc.
  test.runIf(existsSync("/proc/self/environ"))(
    "gives each process its own secrets and no other's",
    async () => {
      const redisUrl = `redis://:of-redis@127.0.0.1:${await findFreePort()}`;
      const command = place.start({ REDIS_URL: redisUrl });
      await command.untilPrinted("Starting api and worker");
      const [api, worker] = [
        await environmentOf("services/api/src/main.ts"),
        await environmentOf("services/worker/"),
      ];
      command.launcher.kill("SIGTERM");
      await command.ended;

      const json = (name: string): Record<string, string> =>
        JSON.parse(readFileSync(path.join(place.folder, name), "utf8"));
      const owner = json("postgres.json")["password"] ?? "missing";
      const { user, password } = json("service-login.json");
      for (const environment of [api, worker]) {
        expect(environment["DATABASE_URL"]).toContain(`postgres://${user}:${password}@`);
        expect(environment["REDIS_URL"]).toBe(redisUrl);
        expect(Object.values(environment).join("\n")).not.toContain(owner);
        expect(Object.keys(environment)).not.toContain("SERVICE_DATABASE_URL");
      }
    },
  );

  test("says that its port is taken before it makes anything", async () => {
    const newPlace = await createStartPlace();
    onTestFinished(() => newPlace[Symbol.asyncDispose]());
    const occupant = createServer().listen(newPlace.port, "127.0.0.1");
    const command = newPlace.start();
    await expect(command.ended).resolves.toBe(1);
    occupant.close();
    expect(command.output()).toContain(`Port ${newPlace.port} on 127.0.0.1 is in use by another program.`);
    expect(command.output()).toContain("PORT=");
    expect(existsSync(newPlace.folder)).toBe(false);
  });

  test("names a variable that makes no sense", async () => {
    const command = place.start({ PORT: "three thousand" });
    await expect(command.ended).resolves.toBe(1);
    expect(command.output()).toContain('PORT is "three thousand"; it must be a whole number');
  });

  test("says which folder to move away when a pre-release made its database, and changes nothing there", async () => {
    await using old = await createStartPlace();
    const postgres = await startPostgres({ folder: old.folder });
    await query(
      postgres,
      `CREATE TABLE waymark_migrations AS SELECT '0001-organizations-and-keys.sql' AS name, 'any' AS sha256`,
    );
    await postgres.stop();

    const command = old.start();
    await expect(command.ended).resolves.toBe(1);
    expect(command.output()).toContain("was created by a pre-release of Waymark and can't be upgraded");
    expect(command.output()).toContain(
      `The database is in ${old.folder}: to begin with an empty one, move that folder away.`,
    );
    expect(existsSync(path.join(old.folder, "credentials.json"))).toBe(false);
    await expect.poll(() => old.processes()).toEqual([]);
  });

  test("ends with everything it started when only the launcher gets a SIGTERM", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    command.launcher.kill("SIGTERM");
    await expect(command.ended).resolves.toBe(0);
    await expectNothingLeft();
  });

  test("leaves nothing when it is interrupted while it still starts", async () => {
    const command = place.start();
    await command.untilPrinted("Bringing the database up to date");
    pressCtrlC(command);
    await expect(command.ended).resolves.toBe(0);
    await expectNothingLeft();
  });

  test("ends everything when the launcher is killed, and starts again on the same data", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    const before = credentials();
    command.launcher.kill("SIGKILL");
    await expect.poll(() => place.processes(), { timeout: 20_000 }).toEqual([]);

    const next = place.start();
    await next.untilPrinted(READY);
    expect(credentials()).toEqual(before);
  });

  test("adopts the database when its own process is killed, and the services end with it", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    const before = credentials();
    const database = await pidOf("bin/postgres");
    process.kill(await pidOf(DEV_SCRIPT), "SIGKILL");
    await command.ended;
    await expect
      .poll(() => place.processes().filter(({ command: line }) => line.includes("services/")), {
        timeout: 20_000,
      })
      .toEqual([]);

    const next = place.start();
    await next.untilPrinted(READY);
    expect(await pidOf("bin/postgres")).toBe(database);
    expect(credentials()).toEqual(before);
    pressCtrlC(next);
    await next.ended;
    await expectNothingLeft();
  });

  test("serves again after its database was killed", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    const killed = await pidOf("bin/postgres");
    process.kill(killed, "SIGKILL");
    await command.untilPrinted("The database ended unexpectedly; starting it again");
    const http = createHttpClient(command.apiUrl, { key: credentials().apiKey });
    // Not by /readyz, whose answer may be a second old.
    await expect.poll(async () => (await http.get("/api/services")).status, { timeout: 20_000 }).toBe(200);
    expect(await pidOf("bin/postgres")).not.toBe(killed);
    pressCtrlC(command);
    await expect(command.ended).resolves.toBe(0);
    await expectNothingLeft();
  });

  test.each(["api", "worker"])("says so and ends everything when the %s dies", async (name) => {
    const command = place.start();
    await command.untilPrinted(READY);
    process.kill(await pidOf(`services/${name}/`), "SIGKILL");
    await expect(command.ended).resolves.toBe(1);
    expect(command.output()).toContain(`The ${name} was ended by SIGKILL. Its last output:`);
    await expectNothingLeft();
  });

  test("tells a second start on the same port that Waymark runs there", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    const second = place.start();
    await expect(second.ended).resolves.toBe(1);
    expect(second.output()).toContain(`Waymark is running already at ${command.apiUrl}.`);
    await sleep(100);
    await expect(isServed(`${command.apiUrl}/readyz`)).resolves.toBe(true);
  });
});
