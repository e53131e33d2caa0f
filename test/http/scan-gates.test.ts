import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanGatesOfRun } from "@waymark/shared/scans/gates/schema.ts";
import type { ScanIngestionResult, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const FAILED = { gate: "--fail-on high", passed: false, causes: ["high a at GET /a"], causeCount: 3 };
const PASSED = { gate: "--fail-on-removed", passed: true, causes: [], causeCount: 0 };

let stack: Stack;
let scanRunId: string;
let serviceId: string;
beforeAll(async () => {
  stack = await startStack();
  ({ scanRunId, serviceId } = await scan("judged"));
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scan(serviceName: string, headers: Record<string, string> = {}) {
  const payload = scanPayload({ serviceName, seed: randomUUID() });
  const { body } = await stack.http.post<ScanIngestionResult>("/api/scans/ingest", payload, { headers });
  await waitForRun(stack, body.scanRunId);
  return body;
}

const put = (gates: unknown, { run = scanRunId, key = stack.apiKey } = {}) =>
  stack.http.request<ScanGatesOfRun>("PUT", `/api/scan-runs/${run}/gates`, { body: { gates }, key });
const get = (run = scanRunId, key = stack.apiKey) =>
  stack.http.get<ScanGatesOfRun>(`/api/scan-runs/${run}/gates`, { key });
const errorOf = ({ status, body }: { status: number; body: unknown }) => {
  const { code, details } = (body as { error: { code: string; details?: { path: string }[] } }).error;
  return { status, code, places: details?.map(({ path }) => path) };
};

describe("the verdict of a run's gates", () => {
  it("is null until a client sends it, and is then read as it was sent", async () => {
    const run = await scan("unjudged");
    expect((await get(run.scanRunId)).body).toEqual({ scanRunId: run.scanRunId, verdict: null });
    expect((await stack.http.get<ScanRun>(`/api/scan-runs/${run.scanRunId}`)).body.gates).toBeNull();
    const stored = await put([FAILED, PASSED], { run: run.scanRunId });
    expect(stored).toMatchObject({ status: 200, body: { verdict: { gates: [FAILED, PASSED] } } });
    expect((await get(run.scanRunId)).body).toEqual(stored.body);
  });

  it("is in the run and in the list of runs, without what failed", async () => {
    await put([FAILED, PASSED]);
    const gates = [FAILED, PASSED].map(({ gate, passed, causeCount }) => ({ gate, passed, causeCount }));
    expect((await stack.http.get(`/api/scan-runs/${scanRunId}`)).body).toMatchObject({ gates });
    const list = await stack.http.get(`/api/services/${serviceId}/scan-runs`);
    expect(list.body).toMatchObject({ scanRuns: [{ id: scanRunId, gates }] });
  });

  it("says in the overview and with the service which gates the last scan failed", async () => {
    const concernOf = async (name: string) => {
      const { body } = await stack.http.get<Overview>("/api/overview");
      return body.concerns.find(({ serviceName }) => serviceName === name);
    };
    const held = await scan("held by a gate", {
      "waymark-promote": "false",
      "waymark-branch": "main",
      "waymark-commit": "8587dbd0",
    });
    expect(await concernOf("held by a gate")).toMatchObject({ kind: "held", failedGates: [] });
    await put([FAILED, PASSED], { run: held.scanRunId });
    expect(await concernOf("held by a gate")).toMatchObject({ failedGates: ["--fail-on high"] });
    const lastHeldScan = {
      scanRunId: held.scanRunId,
      source: { branch: "main", commit: "8587dbd0" },
      failedGates: ["--fail-on high"],
    };
    expect((await stack.http.get(`/api/services/${held.serviceId}`)).body).toMatchObject({ lastHeldScan });
  });

  it("is replaced by the key that sent it, and by no other", async () => {
    const { scanRunId: run } = await scan("replaced");
    const other = await createKey(stack, ["endpoints:write"]);
    expect((await put([FAILED], { run })).status).toBe(200);
    expect((await put([PASSED], { run })).status).toBe(200);
    expect(errorOf(await put([FAILED], { run, key: other }))).toMatchObject({
      status: 409,
      code: "gates_conflict",
    });
    expect((await get(run)).body.verdict?.gates).toEqual([PASSED]);
  });

  it("may be sent by the key that submitted the run, without another permission", async () => {
    const key = await createKey(stack, ["scans:create", "services:create"]);
    const payload = scanPayload({ serviceName: "own key", endpoints: 0, findings: 0 });
    const { body } = await stack.http.post<ScanIngestionResult>("/api/scans/ingest", payload, { key });
    await waitForRun(stack, body.scanRunId);
    const reader = await createKey(stack, ["services:read"]);
    expect(errorOf(await put([PASSED], { run: body.scanRunId, key: reader }))).toMatchObject({ status: 403 });
    expect((await put([PASSED], { run: body.scanRunId, key })).status).toBe(200);
    // The causes have the paths of endpoints.
    expect((await get(body.scanRunId, reader)).status).toBe(403);
  });

  it("of a run that is not stored yet is refused for now", async () => {
    const { scanRunId: run } = await scan("unfinished");
    await query(
      stack,
      "UPDATE scan_runs SET status = 'accepted', snapshot_id = NULL, completed_at = NULL WHERE id = $1",
      [run],
    );
    expect(errorOf(await put([PASSED], { run }))).toMatchObject({ status: 409, code: "run_not_completed" });
  });

  it.each([
    ["no gates", [], ["gates"]],
    ["eleven gates", Array.from({ length: 11 }, (_, n) => ({ ...PASSED, gate: `g${n}` })), ["gates"]],
    ["a gate twice", [PASSED, PASSED], ["gates[1].gate"]],
    ["a line break in a gate", [{ ...PASSED, gate: "a\nb" }], ["gates[0].gate"]],
    ["an escape sequence in a cause", [{ ...FAILED, causes: ["\u001b[2J"] }], ["gates[0].causes[0]"]],
    ["a cause that is too long", [{ ...FAILED, causes: ["x".repeat(301)] }], ["gates[0].causes[0]"]],
    ["too many causes", [{ ...FAILED, causes: Array(21).fill("x"), causeCount: 21 }], ["gates[0].causes"]],
    ["fewer causes than are listed", [{ ...FAILED, causeCount: 0 }], ["gates[0].causeCount"]],
    ["causes of a gate that passed", [{ ...FAILED, passed: true }], ["gates[0].causeCount"]],
    ["an unknown field", [{ ...PASSED, extra: 1 }], ["gates[0]"]],
    ["no list", 5, ["gates"]],
  ])("with %s is refused with the place", async (_, gates, places) => {
    expect(errorOf(await put(gates))).toEqual({ status: 400, code: "validation_failed", places });
  });

  it("of the largest size fits the limit of the body, and a larger body is refused", async () => {
    const causes = Array.from({ length: 20 }, () => "🦊".repeat(300));
    const largest = Array.from({ length: 10 }, (_, n) => ({
      gate: `${n}${"🦊".repeat(199)}`,
      passed: false,
      causes,
      causeCount: 1_000_000,
    }));
    const { scanRunId: run } = await scan("largest");
    expect((await put(largest, { run })).status).toBe(200);
    expect((await put([{ ...PASSED, gate: "x".repeat(600_000) }], { run })).status).toBe(413);
  });
});
