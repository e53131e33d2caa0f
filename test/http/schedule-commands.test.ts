import type { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCaptured } from "../../cli/src/test-support/run-captured.ts";

const PATH = "journeys/order.journey.yaml";

let stack: Stack;
let journeyId: string;
beforeAll(async () => {
  stack = await startStack();
  journeyId = (await storeDocument(stack, { path: PATH, text: journeyText("Order") })).id;
  for (const name of ["staging", "other"]) await stack.http.post("/api/environments", { name });
});
afterAll(() => stack[Symbol.asyncDispose]());
beforeEach(() => query(stack, "DELETE FROM journey_schedules"));

const waymark = (args: string[], env: Record<string, string> = {}) =>
  runCaptured(["journey", "schedule", ...args], {
    env: { SERVICE_API_KEY: stack.apiKey, SERVICE_API_URL: stack.api.baseUrl, ...env },
  });
const NEW = ["set", "nightly", "--journey", `./${PATH}`, "--env", "staging", "--cron", "30 2 * * *"];
const list = async () => JSON.parse((await waymark(["list", "--json"])).stdout) as JourneySchedule[];

describe("waymark journey schedule", () => {
  it("set creates a schedule, then changes only what its options name", async () => {
    const created = await waymark([...NEW, "--time-zone", "Europe/Berlin", "--overlap", "queue"]);
    expect(created).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Created: nightly \(next: \d{4}-\d\d-\d\dT0[01]:30:00\.000Z\)\n$/),
      stderr: "",
    });
    const changed = await waymark(["set", "nightly", "--pin", "1", "--jitter", "60", "--env", "other"]);
    expect(changed.stdout).toMatch(/^Changed: nightly \(next: /);
    expect(await list()).toMatchObject([
      {
        name: "nightly",
        journeyId,
        version: 1,
        environmentName: "other",
        cron: "30 2 * * *",
        timeZone: "Europe/Berlin",
        overlap: "queue",
        catchUp: "none",
        jitterSeconds: 60,
      },
    ]);
    await waymark(["set", "nightly", "--pin", "head", "--catch-up", "one", "--rename", "night"]);
    expect(await list()).toMatchObject([{ name: "night", version: null, catchUp: "one", overlap: "queue" }]);
    const printed = await waymark(["set", "night", "--cron", "0 4 * * *", "--json"]);
    expect(JSON.parse(printed.stdout)).toMatchObject({ name: "night", cron: "0 4 * * *" });
  });

  it("list prints what runs where and when, and what became of the last time", async () => {
    expect((await waymark(["list"])).stdout).toBe("There are no schedules.\n");
    await waymark([...NEW, "--pin", "1"]);
    const [schedule] = await list();
    await query(
      stack,
      `INSERT INTO journey_schedule_ticks (organization_id, schedule_id, due_at, outcome, reason, decided_at)
       VALUES ($1, $2, '2026-01-01T02:30Z', 'missed', 'No worker looked at it in time.', now())`,
      [stack.organizationId, schedule?.id],
    );
    const next = schedule?.nextTimes[0] ?? "";
    expect((await waymark(["list"])).stdout).toBe(`nightly: ${PATH} version 1 in staging, at 30 2 * * * UTC
  next: ${next}
  last: 2026-01-01T02:30:00.000Z  missed: No worker looked at it in time.
`);
  });

  it("pause, resume and remove find it by its name", async () => {
    await waymark(NEW);
    expect((await waymark(["pause", "nightly"])).stdout).toBe("Paused: nightly\n");
    expect((await waymark(["list"])).stdout).toContain("\n  paused\n");
    expect((await waymark(["set", "nightly", "--cron", "0 5 * * *"])).stdout).toBe(
      "Changed: nightly (paused)\n",
    );
    expect((await waymark(["resume", "nightly"])).stdout).toMatch(/^Resumed: nightly \(next: .*T05:00/);
    expect((await waymark(["remove", "nightly"])).stdout).toBe("Removed: nightly\n");
    expect(await waymark(["remove", "nightly"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no schedule "nightly". waymark journey schedule list'),
    });
  });

  it.each([
    [["set", "new"], 'The new schedule "new" also needs --journey, --env, --cron.'],
    [["set", "new", "--journey", "none.yaml", "--env", "staging", "--cron", "0 0 * * *"], "no journey"],
    [["set", "new", "--journey", PATH, "--env", "none", "--cron", "0 0 * * *"], "There is no environment"],
    [["set", "new", "--journey", PATH, "--env", "staging", "--cron", "0 0 0 * * *"], "cron: has 6 fields"],
    [["set", "new", "--pin", "latest"], "--pin takes a version"],
    [["set", "new", "--overlap", "both"], "--overlap takes skip or queue"],
    [["set", "new", "--catch-up", "all"], "--catch-up takes none or one"],
    [["set", "new", "--jitter", "1m"], "--jitter takes whole seconds"],
    [["set"], "waymark journey schedule set has too few or too many arguments"],
    [["sett", "new"], 'Did you mean "waymark journey schedule set"?'],
  ])("says what is wrong with %j", async (args, message) => {
    const { exitCode, stderr } = await waymark(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it("says which permission a key lacks", async () => {
    const SERVICE_API_KEY = await createKey(stack, ["journeys:read", "environments:read"]);
    expect(await waymark(NEW, { SERVICE_API_KEY })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("journeys:schedule"),
    });
  });

  it("has a help of the group, and of each command", async () => {
    for (const args of [[], ["--help"]]) {
      const { stdout, exitCode } = await waymark(args);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("Usage: waymark journey schedule <command> [options]");
      expect(stdout).toContain("  journey schedule pause ");
    }
    expect((await waymark(["set", "--help"])).stdout).toContain("Usage: waymark journey schedule set <name>");
  });
});
