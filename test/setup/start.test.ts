import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { startPostgres } from "../../scripts/postgres/start-postgres.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type StartCommand, type StartPlace, createStartPlace } from "@waymark/test-support/start-command.ts";

// With its path: the launcher gets it without.
const DEV_SCRIPT = path.join(root, "scripts/dev.ts");
const READY = "Ctrl-C stops everything.";
let place: StartPlace;

// One data directory for all, because creating a database takes the longest. Each test leaves it stopped.
beforeAll(async () => {
  place = await createStartPlace();
});

afterAll(() => place[Symbol.asyncDispose]());

function credentials(): { apiUrl: string; organizationId: string; apiKey: string } {
  return JSON.parse(readFileSync(path.join(place.folder, "credentials.json"), "utf8"));
}

/** Ctrl-C in a terminal: the signal goes to every process of the foreground group. */
function pressCtrlC(command: StartCommand): void {
  process.kill(-(command.launcher.pid ?? NaN), "SIGINT");
}

/** The only process of this data directory whose command line contains `text`. A new process has its parent's briefly. */
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

/** How often a worker of this data directory became ready. */
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

/** A line that npm start printed, as its user would run it in another terminal. */
function runPrinted(command: StartCommand, beginning: string): Promise<string> {
  const line =
    command
      .output()
      .split("\n")
      .find((one) => one.trim().startsWith(beginning)) ?? "";
  const waymark = `${JSON.stringify(process.execPath)} cli/bin/waymark.mjs`;
  const script = [/export SERVICE_.*/.exec(command.output())?.[0], line.replace("npx waymark", waymark)];
  return promisify(execFile)("sh", ["-ec", script.join("\n")], {
    cwd: root,
    env: cleanEnvironment({}),
  }).then(({ stdout }) => stdout);
}

/** Returns the parts of the output that README.md shows below such a command, split where it leaves something out. */
function readmePartsOf(beginning: string): string[] {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const block = readme.split("```\n").find((one) => one.startsWith(`$ ${beginning}`)) ?? "";
  const [, ...parts] = withoutFigures(block.replace(/\n/, "\n  …\n")).split(/^ *…\n/m);
  expect(parts.length).toBeGreaterThan(1);
  return parts;
}

function withoutFigures(text: string): string {
  return text.replaceAll(/ {2}\d+(\.\d+)? m?s$/gm, "  # ms").replaceAll(/\bn\d+\b/g, "n#");
}

async function expectNothingLeft(): Promise<void> {
  await expect(isServed(`http://127.0.0.1:${place.port}/healthz`)).resolves.toBe(false);
  expect(existsSync(path.join(place.folder, "postgres/postmaster.pid"))).toBe(false);
  await expect.poll(() => place.processes(), { timeout: 60_000 }).toEqual([]);
}

/** Kills one of its services, and returns what the command has printed when it has ended. */
async function outputAfterKilling(name: "api" | "worker", command: StartCommand): Promise<string> {
  process.kill(await pidOf(`services/${name}/src/main.ts`), "SIGKILL");
  await expect(command.ended).resolves.toBe(1);
  await expectNothingLeft();
  return command.output();
}

describe("two starts of npm start, one after the other,", { timeout: 300_000 }, () => {
  /** Runs until a test ends it. */
  let second: StartCommand;
  afterAll(() => place.killAll());

  test("start everything, run the examples, Ctrl-C leaves nothing running, and the next one finds its data", async () => {
    const first = place.start();
    await first.untilPrinted(READY);
    const { apiUrl, organizationId, apiKey } = credentials();
    expect(apiUrl).toBe(first.apiUrl);
    for (const told of [apiUrl, organizationId, apiKey, "npx waymark scan", "Endpoints: 7; findings: 14"]) {
      expect(first.output()).toContain(told);
    }
    expect(first.output()).toMatch(
      /^ {4}passed {2}examples\/journeys\/notes\.journey\.yaml on the server {2}5 passed/m,
    );
    const http = createHttpClient(apiUrl, { key: apiKey });
    const { body } = await http.get<{ services: { id: string; name: string }[] }>("/api/services");
    const idOf = (name: string) => body.services.find((service) => service.name === name)?.id;
    expect(body.services.map(({ name }) => name).toSorted()).toEqual(["bookshop", "notes"]);
    const { body: documents } = await http.get<{ journeys: { path: string; kind: string; id: string }[] }>(
      "/api/journeys",
    );
    const description = documents.journeys.find(({ kind }) => kind === "openapi");
    expect((await http.get(`/api/journeys/${description?.id}`)).body).toMatchObject({
      binding: { serviceId: idOf("notes"), how: "spec-hash" },
    });
    const runsOfJourneys = async () =>
      (await http.get<{ runs: { journeyPath: string; status: string }[] }>("/api/journey-runs")).body.runs;
    expect(await runsOfJourneys()).toMatchObject([
      { journeyPath: "examples/journeys/notes.journey.yaml", status: "passed", environmentName: "local" },
    ]);
    for (const beginning of ["NOTES_TOKEN=", "npx waymark journey run --cloud"]) {
      const output = withoutFigures(await runPrinted(first, beginning));
      for (const part of readmePartsOf(beginning)) expect(output).toContain(part);
    }
    pressCtrlC(first);
    await expect(first.ended).resolves.toBe(0);
    await expectNothingLeft();

    // The environment follows the example API to another port.
    const occupant = createServer().listen(place.examplePort, "127.0.0.1");
    onTestFinished(() => void occupant.close());
    second = place.start();
    await second.untilPrinted(READY);
    expect(second.output()).not.toContain(`127.0.0.1:${place.examplePort}`);
    expect(await runsOfJourneys()).toHaveLength(2);
    expect(await runPrinted(second, "npx waymark journey run --cloud")).toMatch(/^passed +6 passed/m);
    expect(workerStarts()).toBe(2);
    expect(credentials()).toEqual({ apiUrl, organizationId, apiKey });
    const { body: runs } = await http.get<{ scanRuns: { status: string }[] }>(
      `/api/services/${idOf("bookshop")}/scan-runs`,
    );
    expect(runs.scanRuns).toMatchObject([{ status: "completed" }]);
  });

  test("a second start on the same port reports that Waymark runs there", async () => {
    const third = place.start();
    await expect(third.ended).resolves.toBe(1);
    expect(third.output()).toContain(`Waymark is running already at ${second.apiUrl}.`);
    await expect.poll(() => isServed(`${second.apiUrl}/readyz`)).toBe(true);
  });

  test("ends with everything it started when only the launcher gets a SIGTERM", async () => {
    second.launcher.kill("SIGTERM");
    await expect(second.ended).resolves.toBe(0);
    await expectNothingLeft();
  });

  test("kept its secrets in files that only the owner can read, and out of every log", () => {
    const privateFiles = ["credentials.json", "journey-keys.json", "postgres.json", "service-login.json"];
    for (const name of privateFiles) {
      expect([name, statSync(path.join(place.folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    const { password }: { password: string } = JSON.parse(
      readFileSync(path.join(place.folder, "postgres.json"), "utf8"),
    );
    const login: { password: string } = JSON.parse(
      readFileSync(path.join(place.folder, "service-login.json"), "utf8"),
    );
    const { journeyKeys }: { journeyKeys: string } = JSON.parse(
      readFileSync(path.join(place.folder, "journey-keys.json"), "utf8"),
    );
    const journeyKey = journeyKeys.replace(/^.*:/, "");
    const secret = login.password;
    for (const log of ["api.log", "worker.log", "example-api.log", "postgres.log"]) {
      const text = readFileSync(path.join(place.folder, log), "utf8");
      for (const hidden of [credentials().apiKey, password, secret, journeyKey])
        expect(text).not.toContain(hidden);
    }
    expect(second.output()).not.toContain(password);
    expect(second.output()).not.toContain(secret);
    expect(second.output()).not.toContain(journeyKey);
  });
});

describe("npm start", { timeout: 300_000 }, () => {
  afterEach(() => place.killAll());

  // Only where there is /proc.
  test.runIf(existsSync("/proc/self/environ"))(
    "gives each process its own secrets and no other's",
    async () => {
      const redisUrl = `redis://:of-redis@127.0.0.1:${await findFreePort()}`;
      const command = place.start({ REDIS_URL: redisUrl });
      await command.untilPrinted("Starting api and worker");
      const [api, worker, example] = [
        await environmentOf("services/api/src/main.ts"),
        await environmentOf("services/worker/src/main.ts"),
        await environmentOf("examples/journeys/server.mjs"),
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
        expect(environment["JOURNEY_KEYS"]).toBe(json("journey-keys.json")["journeyKeys"]);
        expect(Object.values(environment).join("\n")).not.toContain(owner);
        expect(Object.keys(environment)).not.toContain("SERVICE_DATABASE_URL");
      }
      const secrets = ["DATABASE_URL", "REDIS_URL", "JOURNEY_KEYS"];
      expect(Object.keys(example).filter((name) => secrets.includes(name))).toEqual([]);
    },
  );

  test("reports a port in use before it creates anything", async () => {
    const newPlace = await createStartPlace();
    onTestFinished(() => newPlace[Symbol.asyncDispose]());
    const occupant = createServer((_, response) => response.end("hello")).listen(newPlace.port, "127.0.0.1");
    const command = newPlace.start();
    await expect(command.ended).resolves.toBe(1);
    occupant.close();
    expect(command.output()).toContain(`Port ${newPlace.port} on 127.0.0.1 is in use by another program.`);
    expect(command.output()).toContain("PORT=");
    expect(existsSync(newPlace.folder)).toBe(false);
  });

  test("names an invalid variable", async () => {
    const command = place.start({ PORT: "three thousand" });
    await expect(command.ended).resolves.toBe(1);
    expect(command.output()).toContain('PORT is "three thousand"; it must be a whole number');
  });

  test("names the folder to move away if a pre-release created its database, and changes nothing there", async () => {
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

  test("leaves nothing running if it is interrupted while starting", async () => {
    const command = place.start();
    await command.untilPrinted("Bringing the database up to date");
    pressCtrlC(command);
    await expect(command.ended).resolves.toBe(0);
    await expectNothingLeft();
  });

  test("ends everything when the launcher is killed, starts again on the same data, adopts the database when its own process is killed, and says so and ends everything when the worker dies", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    const before = credentials();
    command.launcher.kill("SIGKILL");
    await expect.poll(() => place.processes(), { timeout: 60_000 }).toEqual([]);

    const next = place.start();
    await next.untilPrinted(READY);
    expect(credentials()).toEqual(before);
    const database = await pidOf("bin/postgres");
    process.kill(await pidOf(DEV_SCRIPT), "SIGKILL");
    await next.ended;
    const services = () => place.processes().filter(({ command: line }) => line.includes("services/"));
    await expect.poll(services, { timeout: 60_000 }).toEqual([]);

    const last = place.start();
    await last.untilPrinted(READY);
    expect(await pidOf("bin/postgres")).toBe(database);
    expect(credentials()).toEqual(before);
    const told = "The worker was ended by SIGKILL. Its last output:";
    expect(await outputAfterKilling("worker", last)).toContain(told);
  });

  test("serves again after its database was killed, and says so and ends everything when the api dies", async () => {
    const command = place.start();
    await command.untilPrinted(READY);
    const killed = await pidOf("bin/postgres");
    process.kill(killed, "SIGKILL");
    await command.untilPrinted("The database ended unexpectedly; starting it again");
    const http = createHttpClient(command.apiUrl, { key: credentials().apiKey });
    // Not by /readyz, whose response may be a second old.
    await expect.poll(async () => (await http.get("/api/services")).status, { timeout: 60_000 }).toBe(200);
    expect(await pidOf("bin/postgres")).not.toBe(killed);
    const told = "The api was ended by SIGKILL. Its last output:";
    expect(await outputAfterKilling("api", command)).toContain(told);
  });
});
