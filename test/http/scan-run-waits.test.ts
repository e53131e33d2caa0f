import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { type CountedStack, startCountedStack } from "@waymark/test-support/postgres/counted-stack.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let started: CountedStack;
let stack: CountedStack["stack"];
let counted: CountedStack["counted"];
let http: CountedStack["http"];
beforeAll(async () => {
  started = await startCountedStack();
  ({ stack, counted, http } = started);
});
afterAll(() => started[Symbol.asyncDispose]());

/** Stores a run that no worker completes. */
async function acceptedRun(serviceName: string): Promise<string> {
  const { body } = await ingest(stack, scanPayload({ serviceName, endpoints: 2, findings: 1 }));
  await waitForRun(stack, body.scanRunId);
  await query(
    stack,
    "UPDATE scan_runs SET status = 'accepted', snapshot_id = NULL, completed_at = NULL WHERE id = $1",
    [body.scanRunId],
  );
  return body.scanRunId;
}

const fail = (scanRunId: string) =>
  query(
    stack,
    "UPDATE scan_runs SET status = 'failed', error_code = 'internal_error', error_message = 'lost' WHERE id = $1",
    [scanRunId],
  );
const waiting = (scanRunId: string, waitSeconds = 20) =>
  http.get<ScanRun>(`/api/scan-runs/${scanRunId}?waitSeconds=${waitSeconds}`);

it("a request that waits gets the run as soon as it has ended, and many share the reads", async () => {
  const scanRunId = await acceptedRun("ends");
  const before = counted.queriesOf("read_scan_run_progress");
  const answers = Array.from({ length: 20 }, () => waiting(scanRunId));
  await expect.poll(() => counted.queriesOf("read_scan_run_progress")).toBeGreaterThan(before + 2);
  await fail(scanRunId);
  for (const { status, body } of await Promise.all(answers)) {
    expect([status, body.status]).toEqual([200, "failed"]);
  }
  // One for each 250 ms, and some more where a busy machine lets the requests wait at different times. Reads of their own would be 20
  // at the first look alone.
  expect(counted.queriesOf("read_scan_run_progress") - before).toBeLessThan(20);
});

it("a run that has ended is not waited for, and one that does not end is returned as it is", async () => {
  const failed = await acceptedRun("has ended");
  await fail(failed);
  const before = counted.queriesOf("read_scan_run_progress");
  expect((await waiting(failed)).body.status).toBe("failed");
  expect(counted.queriesOf("read_scan_run_progress")).toBe(before);
  const scanRunId = await acceptedRun("waits");
  expect((await waiting(scanRunId, 1)).body.status).toBe("accepted");
});

it("a run that is deleted meanwhile is not found", async () => {
  const scanRunId = await acceptedRun("deleted");
  const before = counted.queriesOf("read_scan_run_progress");
  const answer = waiting(scanRunId);
  await expect.poll(() => counted.queriesOf("read_scan_run_progress")).toBeGreaterThan(before);
  await query(stack, "UPDATE services SET current_run_id = NULL WHERE current_run_id = $1", [scanRunId]);
  await query(stack, "DELETE FROM scan_runs WHERE id = $1", [scanRunId]);
  expect(errorOf(await answer)).toMatchObject({ status: 404 });
});

it("a key that may not read the run does not wait for it", async () => {
  const scanRunId = await acceptedRun("not readable");
  const key = await createKey(stack, [
    { permission: "services:read", resourceConstraints: { serviceNames: ["another"] } },
  ]);
  const before = counted.queriesOf("read_scan_run_progress");
  const answer = await http.get(`/api/scan-runs/${scanRunId}?waitSeconds=20`, { key });
  expect(answer.status).toBe(403);
  expect(counted.queriesOf("read_scan_run_progress")).toBe(before);
});
