// How many changes broke clients on each day, and how many runs nobody compared.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ScanChanges, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { descriptionOf } from "@waymark/test-support/descriptions.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const NIL = "00000000-0000-0000-0000-000000000000";
const NOON = new Date().setUTCHours(0, 0, 0, 0) - 12 * 3_600_000;
const dayOf = (ago: number) => new Date(NOON - (ago - 1) * 86_400_000).toISOString().slice(0, 10);

/** An organization of its own, whose services are scanned on days before today. */
async function newOrganization() {
  const { organizationId, apiKey: key } = await createHostedOrganization(stack.databaseUrl, "Breaking");
  const http = createHttpClient(stack.api.baseUrl, { key });
  const changesOf = async (scanRunId: string) =>
    (await http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`)).body;
  /** Scans a description whose operation requires some parameters, so many days ago. None: the run gets no description. */
  const scan = async (name: string, ago: number, required?: readonly string[], seconds = 0) => {
    const headers =
      ago === 0
        ? {}
        : { "scanned-at": new Date(NOON - (ago - 1) * 86_400_000 + seconds * 1000).toISOString() };
    const payload = scanPayload({ serviceName: name, seed: name, endpoints: 1 });
    const { body } = await http.post<ScanIngestionResult>("/api/scans/ingest", payload, { headers });
    await waitForRun({ http }, body.scanRunId);
    if (required === undefined) return body;
    const description = descriptionOf(payload.endpoints);
    for (const operation of Object.values(description.paths).flatMap((item) => Object.values(item)))
      Object.assign(operation, {
        parameters: required.map((parameter) => ({
          name: parameter,
          in: "query",
          required: true,
          schema: {},
        })),
      });
    await http.request("PUT", `/api/scan-runs/${body.scanRunId}/description`, { body: description });
    await expect
      .poll(async () => (await changesOf(body.scanRunId)).comparison.status, { timeout: 60_000 })
      .not.toBe("pending");
    return body;
  };
  const inOrganization = (call: string) =>
    query(stack, `SELECT set_config('waymark.organization_id', $1::text, true), ${call}`, [organizationId]);
  const record = () => inOrganization(`record_service_breaks($1::uuid, '${NIL}', 1000)`);
  const listed = async () => {
    const { body } = await http.get<Overview>("/api/overview");
    return body.dailyBreaks?.map(({ day, breakingChanges, comparedRuns, notComparedRuns }) => [
      day,
      breakingChanges,
      comparedRuns,
      notComparedRuns,
    ]);
  };
  return { organizationId, http, scan, record, listed, changesOf, inOrganization };
}

it("are those of compared runs, and runs that nobody compared are counted as such", async () => {
  const { http, scan, listed, changesOf } = await newOrganization();
  await scan("orders", 3, []);
  await scan("orders", 2, ["a"]);
  await scan("orders", 2, undefined, 1);
  await scan("orders", 1, ["a", "b"]);
  await scan("orders", 1, ["a", "b"], 1);
  const { scanRunId, serviceId } = await scan("orders", 0, ["a", "b", "c"]);
  await scan("other", 2);
  await scan("other", 1);
  const before = [
    [dayOf(2), 1, 1, 1],
    [dayOf(1), 0, 1, 2],
  ];
  // Its worker counts them.
  await expect.poll(listed, { timeout: 60_000 }).toEqual([...before, [dayOf(0), 1, 1, 0]]);
  const { verdicts } = await changesOf(scanRunId);
  await http.post(`/api/services/${serviceId}/change-approvals`, {
    fingerprints: verdicts.map(({ fingerprint }) => fingerprint),
    reason: "agreed",
    scanRunId,
  });
  await expect.poll(listed, { timeout: 60_000 }).toEqual([...before, [dayOf(0), 0, 1, 0]]);
});

it("count a repeated scan, a late one, and the run after it", async () => {
  const { scan, record, listed } = await newOrganization();
  await scan("orders", 3, ["a"]);
  await record();
  expect(await listed()).toEqual([]);
  await scan("orders", 1);
  await record();
  await scan("orders", 1, undefined, 1);
  await record();
  expect(await listed()).toEqual([[dayOf(1), 0, 0, 2]]);
  await scan("orders", 5, []);
  const late = async () => {
    await record();
    return listed();
  };
  // Until a worker has compared it, it counts as not compared.
  await expect.poll(late, { timeout: 60_000 }).toEqual([
    [dayOf(3), 1, 1, 0],
    [dayOf(1), 0, 0, 2],
  ]);
});

it("no longer have a run whose promotion is undone", async () => {
  const { http, scan, record, listed } = await newOrganization();
  await scan("orders", 2, []);
  const payload = scanPayload({ serviceName: "orders", seed: "other", endpoints: 2 });
  const held = await http.post<ScanIngestionResult>("/api/scans/ingest", payload, {
    headers: { "waymark-promote": "false" },
  });
  await waitForRun({ http }, held.body.scanRunId);
  await record();
  expect(await listed()).toEqual([]);
  await http.post(`/api/scan-runs/${held.body.scanRunId}/promote`);
  await record();
  expect(await listed()).toEqual([[dayOf(0), 0, 0, 1]]);
  await http.request("DELETE", `/api/scan-runs/${held.body.scanRunId}/promotion`);
  await record();
  expect(await listed()).toEqual([]);
});

it("stay when retention deletes the runs", async () => {
  const { organizationId, scan, record, listed, inOrganization } = await newOrganization();
  await scan("orders", 9, []);
  await scan("orders", 8, ["a"]);
  await scan("orders", 7, undefined);
  await scan("orders", 6, undefined);
  const expected = [
    [dayOf(8), 1, 1, 0],
    [dayOf(7), 0, 0, 1],
    [dayOf(6), 0, 0, 1],
  ];
  await record();
  expect(await listed()).toEqual(expected);
  await query(stack, "UPDATE scan_runs SET created_at = ordered_at WHERE organization_id = $1", [
    organizationId,
  ]);
  await inOrganization(
    `record_service_changes($1::uuid, '${NIL}', 1000), record_service_days($1::uuid, '${NIL}', 1000)`,
  );
  await query(stack, "DELETE FROM service_changes WHERE organization_id = $1", [organizationId]);
  await inOrganization("delete_old_scan_runs($1::uuid, 1, 1, 100)");
  const left = await query(stack, "SELECT FROM scan_runs WHERE organization_id = $1", [organizationId]);
  expect(left).toHaveLength(1);
  await scan("orders", 8, undefined, 1);
  await record();
  expect(await listed()).toEqual(expected);
});
