import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let stack: Stack;
let completed: ScanRun;
const ids: Record<string, string> = {};
beforeAll(async () => {
  stack = await startStack();
  for (const name of ["completed", "accepted", "failed"]) {
    const { body } = await ingest(stack, scanPayload({ serviceName: name, endpoints: 2, findings: 1 }));
    const run = await waitForRun(stack, body.scanRunId);
    if (name === "completed") completed = run;
    ids[name] = body.scanRunId;
  }
  await query(
    stack,
    "UPDATE scan_runs SET status = 'accepted', snapshot_id = NULL, completed_at = NULL WHERE id = $1",
    [ids["accepted"]],
  );
  await query(
    stack,
    `UPDATE scan_runs SET status = 'failed', snapshot_id = NULL, completed_at = NULL, error_code = 'internal_error', error_message = 'lost'
     WHERE id = $1`,
    [ids["failed"]],
  );
});
afterAll(() => stack[Symbol.asyncDispose]());

/** The requests that need the content of this run. */
const requests = (id = "") => [
  `/api/scan-runs/${id}/changes`,
  `/api/scan-runs/${completed.id}/changes?against=${id}`,
  `/api/scan-runs/${id}/broken-journeys`,
  `/api/scan-runs/${id}/findings/0`,
];

it("a run that is not completed yet has no content: 409, to be tried again", async () => {
  for (const path of requests(ids["accepted"])) {
    const answer = await stack.http.get(path);
    expect({ path, ...errorOf(answer) }).toMatchObject({ path, status: 409, code: "run_not_completed" });
    expect(answer.headers.get("retry-after")).toBe("1");
  }
});

it("a failed run never has a content: 409, not to be tried again", async () => {
  for (const path of requests(ids["failed"])) {
    const answer = await stack.http.get(path);
    expect({ path, ...errorOf(answer) }).toMatchObject({ path, status: 409, code: "run_failed" });
    expect(answer.headers.get("retry-after")).toBeNull();
  }
  const promotion = await stack.http.post(`/api/scan-runs/${ids["failed"]}/promote`);
  expect(errorOf(promotion)).toMatchObject({ status: 409, code: "run_failed" });
});

it("a run of a journey that has not ended has no result and no report: 409, to be tried again", async () => {
  const { id: journeyId } = await storeDocument(stack, {
    path: "waits.journey.yaml",
    text: journeyText("waits"),
  });
  const environment = await stack.http.post<{ id: string }>("/api/environments", { name: "test" });
  // The worker of the stack carries out no journeys: the run waits.
  const started = await stack.http.post<{ runId: string }>("/api/journey-runs", {
    journeyId,
    environmentId: environment.body.id,
  });
  const { runId } = started.body;
  for (const path of [`/api/journey-runs/${runId}/result`, `/api/journey-runs/${runId}/reports/junit`]) {
    const answer = await stack.http.get(path);
    expect({ path, ...errorOf(answer) }).toMatchObject({ path, status: 409, code: "run_not_completed" });
    expect(answer.headers.get("retry-after")).toBe("5");
  }
});
