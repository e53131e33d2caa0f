import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeKey } from "@waymark/test-support/api-key-ids.ts";
import { type Created, errorOf, requestKey } from "@waymark/test-support/api-keys.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const DAY_MS = 24 * 3600 * 1000;
const DAYS_MAX = 90;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ apiEnv: { API_KEY_LIFETIME_DAYS_MAX: String(DAYS_MAX) } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const inDays = (days: number, ms = 0) => new Date(Date.now() + days * DAY_MS + ms).toISOString();

describe("API_KEY_LIFETIME_DAYS_MAX", () => {
  it("allows that lifetime, also for a client whose clock is half a minute ahead", async () => {
    for (const expiresAt of [inDays(DAYS_MAX), inDays(DAYS_MAX, 30_000), inDays(1)]) {
      const answer = await requestKey(stack, { expiresAt });
      expect(answer.status).toBe(201);
      expect(answer.body.expiresAt).toBe(expiresAt);
    }
  });

  it("is published", async () => {
    const { body } = await stack.http.get("/api/limits");
    expect(body).toMatchObject({ apiKeyPolicy: { lifetimeDaysMax: DAYS_MAX } });
  });

  it.each<[string, Record<string, unknown>]>([
    ["no expiry", {}],
    ["null", { expiresAt: null }],
    ["two minutes more", { expiresAt: inDays(DAYS_MAX, 150_000) }],
    ["a year", { expiresAt: inDays(365) }],
  ])("responds with 400 to %s, with the position, the maximum and the latest time", async (_name, terms) => {
    const error = errorOf(await requestKey(stack, terms));
    expect(error).toMatchObject({ status: 400, code: "validation_failed", details: [{ path: "expiresAt" }] });
    const [, days, latest = ""] =
      /at most (\d+) days here: at or before (\S+Z)/.exec(error.message ?? "") ?? [];
    expect(days).toBe(String(DAYS_MAX));
    expect(Math.abs(Date.parse(latest) - Date.parse(inDays(DAYS_MAX)))).toBeLessThan(60_000);
    expect((await requestKey(stack, { expiresAt: latest })).status).toBe(201);
  });

  it("shortens a longer lifetime when a key is rotated, and reports it; a shorter one stays", async () => {
    const rotate = (id: string) =>
      stack.http.post<Created>(`/api/api-keys/${id}/rotate`, { graceSeconds: 60 });
    for (const options of [{}, { expiresAt: new Date(inDays(365)) }]) {
      const { id } = await storeKey(stack, stack, ["services:read"], options);
      const { status, body } = await rotate(id);
      expect(status).toBe(201);
      expect(Math.abs(Date.parse(body.expiresAt ?? "") - Date.parse(inDays(DAYS_MAX)))).toBeLessThan(60_000);
    }
    const expiresAt = new Date(inDays(5));
    const short = await storeKey(stack, stack, ["services:read"], { expiresAt });
    expect((await rotate(short.id)).body.expiresAt).toBe(expiresAt.toISOString());
  });

  it("may be exceeded by the operator, with a warning", async () => {
    const env = { DATABASE_URL: stack.databaseUrl, API_KEY_LIFETIME_DAYS_MAX: String(DAYS_MAX) };
    const create = (...more: string[]) => {
      const args = ["create-key", "--organization", stack.organizationId, "--name", "x", "--scope", "a:b"];
      // Compares both outputs: the warning must not be in the one that scripts read.
      const script = `const { spawnSync } = require("node:child_process");
        const { stdout, stderr } = spawnSync(process.execPath, process.argv.slice(1), { encoding: "utf8" });
        process.stdout.write(JSON.stringify({ stdout, stderr }));`;
      return runNode(["-e", script, "services/api/src/admin.ts", ...args, "--json", ...more], env).then(
        (text) => JSON.parse(text) as { stdout: string; stderr: string },
      );
    };
    const long = await create();
    expect(JSON.parse(long.stdout)).toMatchObject({ apiKey: expect.stringMatching(/^wmk_/) });
    expect(long.stderr).toMatch(/lifetime exceeds API_KEY_LIFETIME_DAYS_MAX \(90 days\)/);
    expect((await create("--expires-at", inDays(30))).stderr).toBe("");
  });
});
