import { expect, it } from "vitest";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startProcessStack, startWorkerProcess } from "@waymark/test-support/stack.ts";

const RUNS = scaled({ short: 2_200, long: 200_000 });
/** The run, in the order of deletion, whose row makes a worker wait: in the third batch. */
const HELD = 1_200;

it("a service's deletion goes on where a killed worker ended", { timeout: 600_000 }, async () => {
  await using stack = await startProcessStack({ queue: "postgres" });
  const scan = async (serviceName: string) => {
    const { body } = await ingest(stack, scanPayload({ serviceName }));
    await waitForRun(stack, body.scanRunId);
    return body;
  };
  const { serviceId } = await scan("deleted");
  const kept = await scan("kept");
  await query(
    stack,
    `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, snapshot_id,
                            promote, ordered_at, created_at, completed_at, created_by_key_id, contract_version)
     SELECT organization_id, gen_random_uuid(), service_id, status, spec_hash, spec_format, endpoint_count, finding_count, snapshot_id,
            promote, ordered_at - n * interval '1 minute', created_at, completed_at, created_by_key_id, contract_version
     FROM scan_runs, generate_series(1, $2::int) n WHERE service_id = $1`,
    [serviceId, RUNS],
  );
  const left = async () => {
    const [row] = await query<{ count: number }>(
      stack,
      "SELECT count(*)::int AS count FROM scan_runs WHERE service_id = $1",
      [serviceId],
    );
    return row?.count;
  };
  {
    await using held = await holdStatement(
      stack,
      `SELECT FROM scan_runs WHERE id = (
         SELECT id FROM scan_runs WHERE service_id = $1 ORDER BY ordered_at, id OFFSET $2 LIMIT 1)
       FOR UPDATE`,
      [serviceId, HELD],
    );
    const deleted = await stack.http.request("DELETE", `/api/services/${serviceId}?name=deleted`, {
      key: stack.apiKey,
    });
    expect(deleted.status).toBe(204);
    await untilWaiting(stack, { atLeast: 1, type: "row" });
    await stack.worker.stop("SIGKILL");
    await held.commit();
  }
  // The batch that waited is rolled back or, if its connection outlives the worker, complete.
  await expect.poll(left).toSatisfy((count) => count === RUNS + 1 - 1_000 || count === RUNS + 1 - 1_500);
  expect((await stack.http.get(`/api/services/${serviceId}`)).status).toBe(404);
  // A name is free before the data is gone.
  const again = await ingest(stack, scanPayload({ serviceName: "deleted" }));
  expect(again.body.serviceId).not.toBe(serviceId);
  stack.worker = await startWorkerProcess(stack);
  await expect.poll(left, { timeout: 300_000 }).toBe(0);
  const run = await stack.http.get(`/api/scan-runs/${kept.scanRunId}`);
  expect(run.body).toMatchObject({ status: "completed", endpointCount: 3 });
});
