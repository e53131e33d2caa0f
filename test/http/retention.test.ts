import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { descriptionOf, scanned } from "@waymark/test-support/descriptions.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { ingest, readAllItems, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  type Stack,
  startStack,
  startWorker,
} from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scan(serviceName: string, seed: string) {
  const { body } = await ingest(stack, scanPayload({ serviceName, seed }));
  await waitForRun(stack, body.scanRunId);
  return body;
}

async function runIds(serviceId: string): Promise<string[]> {
  const { body } = await stack.http.get<{ scanRuns: { id: string }[] }>(
    `/api/services/${serviceId}/scan-runs`,
  );
  return body.scanRuns.map((run) => run.id);
}

async function restartWorker(env: Record<string, string>): Promise<void> {
  await stack.worker.stop();
  stack.worker = await startWorker({ ...stack, env: { WORKER_HOUSEKEEPING_MS: "100", ...env } });
}

/** Returns the lines of the worker's log about retention. */
async function saidAtStart(): Promise<unknown[]> {
  const said = () =>
    stack.worker
      .logLines()
      .map(({ msg }) => msg)
      .filter((msg) => String(msg).includes("RETENTION_DAYS"));
  await expect.poll(() => said().length).toBe(1);
  return said();
}

async function makeOlder(days: number, condition: string, values: unknown[] = []): Promise<void> {
  for (const table of ["scan_runs", "snapshots", "idempotency_keys"]) {
    const where = table === "scan_runs" ? condition : "true";
    const given = table === "scan_runs" ? values : [];
    await query(
      stack,
      `UPDATE ${table} SET created_at = created_at - interval '${days} days' WHERE ${where}`,
      given,
    );
  }
}

describe("retention", () => {
  it("keeps everything if it is off", async () => {
    const runs = [await scan("kept", "1"), await scan("kept", "2")];
    await makeOlder(4_000, "true");
    const port = await findFreePort();
    await restartWorker({ METRICS_PORT: String(port), RETENTION_DAYS: "off", RETENTION_RUNS: "1" });
    const passes = async () => (await scrape(port)).value("waymark_housekeeping_duration_seconds_count");
    await expect.poll(passes).toBeGreaterThan(1);
    expect(await runIds(runs[0]?.serviceId ?? "")).toHaveLength(2);
    expect(await saidAtStart()).toEqual([expect.stringContaining("every scan run is kept")]);
  });

  it("keeps recent runs, each service's latest ones and the current one, and deletes unreferenced content", async () => {
    const runs = [];
    for (const seed of ["1", "2", "3", "4", "5"]) runs.push(await scan("thinned", seed));
    const [first, second, third, fourth, fifth] = runs.map((run) => run.scanRunId);
    // The first is current although it is the oldest, because the others were held back.
    await query(stack, "UPDATE services SET current_run_id = $1 WHERE id = $2", [first, runs[0]?.serviceId]);
    await makeOlder(40, "id = ANY($1)", [[first, second, third, fourth]]);
    const port = await findFreePort();
    await restartWorker({ RETENTION_DAYS: "30", RETENTION_RUNS: "2", METRICS_PORT: String(port) });

    const serviceId = runs[0]?.serviceId ?? "";
    await expect.poll(() => runIds(serviceId)).toHaveLength(3);
    expect(await runIds(serviceId)).toEqual([fifth, fourth, first]);
    for (const id of [first, fourth, fifth]) {
      expect(await readAllItems(stack, id ?? "", "endpoints")).toHaveLength(3);
    }
    // 5 contents were stored; those of the second and third run are deleted with everything that belonged to them.
    await expect.poll(countUnnamedSnapshots).toBe(0);
    await expect.poll(countUnnamedChunks).toBe(0);
    expect(await countOf("DISTINCT chunk_id", "chunk_endpoints")).toBe(
      await countOf("*", "chunks WHERE endpoint_count > 0"),
    );

    const deleted = (kind: string) => `waymark_housekeeping_deleted_total{kind="${kind}"}`;
    // It is counted after the rows are gone.
    const sample = async (name: string) => (await scrape(port)).value(name);
    await expect.poll(() => sample(deleted("runs"))).toBe(2);
    await expect.poll(() => sample(deleted("snapshots"))).toBeGreaterThanOrEqual(1);
    await expect.poll(() => sample(deleted("chunks"))).toBeGreaterThanOrEqual(1);
    await expect.poll(() => sample("waymark_housekeeping_duration_seconds_count")).toBeGreaterThan(0);
    expect(await sample("waymark_housekeeping_failed_total")).toBe(0);
  });

  it("accepts a body whose content was deleted as a new one", async () => {
    const old = await scan("forgotten", "old");
    // Retention keeps the last change, so the old content must not be part of it.
    await scan("forgotten", "before the last change");
    await scan("forgotten", "new");
    await makeOlder(40, "service_id = $1", [old.serviceId]);
    await restartWorker({ RETENTION_DAYS: "30", RETENTION_RUNS: "1" });
    await expect.poll(() => runIds(old.serviceId)).toHaveLength(2);
    await expect.poll(countUnnamedSnapshots).toBe(0);
    await expect.poll(countUnnamedChunks).toBe(0);

    const payload = scanPayload({ serviceName: "forgotten", seed: "old" });
    const again = await ingest(stack, payload);
    expect(again).toMatchObject({ status: 201, body: { status: "accepted" } });
    expect(await waitForRun(stack, again.body.scanRunId)).toMatchObject({ status: "completed" });
    expect(await readAllItems(stack, again.body.scanRunId, "endpoints")).toEqual(payload.endpoints);
  });

  it("deletes the description of a run with it, and what no other description has", async () => {
    const run = (seed: string) => scanned(stack, { serviceName: "described", seed });
    const runs = [await run("1"), await run("2"), await run("3")];
    for (const { path, endpoints } of runs) {
      const stored = await stack.http.request("PUT", path, { body: descriptionOf(endpoints) });
      expect(stored.status).toBe(201);
    }
    await makeOlder(40, "service_id = $1", [runs[0]?.serviceId]);
    await restartWorker({ RETENTION_DAYS: "30", RETENTION_RUNS: "1" });
    await expect.poll(() => runIds(runs[0]?.serviceId ?? "")).toHaveLength(2);
    await expect.poll(() => countOf("descriptions")).toBe(2);
    const named = "SELECT unnest(chunks || coalesce(canonical_chunks, '{}')) FROM descriptions";
    const unnamed = `description_chunks WHERE id NOT IN (${named})`;
    await expect.poll(() => countOf("*", unnamed)).toBe(0);
    const last = await stack.http.get(runs[2]?.path ?? "");
    expect(last.body).toEqual(descriptionOf(runs[2]?.endpoints ?? []));
  });

  it("deletes idempotency keys after a day", async () => {
    const headers = { "idempotency-key": "yesterday" };
    await stack.http.post("/api/scans/ingest", scanPayload({}), { headers });
    await makeOlder(2, "false");
    await expect.poll(() => countOf("idempotency_keys")).toBe(0);
    const other = await stack.http.post("/api/scans/ingest", scanPayload({ seed: "other" }), { headers });
    expect(other.status).toBe(201);
  });

  it("goes on with other organizations where one has a fault", async () => {
    const { apiKey } = await createHostedOrganization(stack.databaseUrl, "Later");
    const headers = { "idempotency-key": "yesterday" };
    for (const options of [{ headers }, { headers, key: apiKey }])
      await stack.http.post("/api/scans/ingest", scanPayload({ serviceName: "faults", seed: "1" }), options);
    await query(
      stack,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a fault'; END $$;
       CREATE TRIGGER fault BEFORE DELETE ON idempotency_keys FOR EACH ROW
       WHEN (OLD.organization_id = '${stack.organizationId}') EXECUTE FUNCTION fail()`,
    );
    await makeOlder(2, "true");
    const left = "SELECT organization_id AS id FROM idempotency_keys";
    await expect.poll(() => query(stack, left)).toEqual([{ id: stack.organizationId }]);
    await query(stack, "DROP TRIGGER fault ON idempotency_keys");
    await expect.poll(() => query(stack, left)).toEqual([]);
  });

  it("deletes a key that was issued to a build 30 days after its end, keeps its run, and no stored key", async () => {
    const keys = new Map<string, string>();
    for (const name of ["issued, long ago", "issued, not so long ago", "stored, long ago"]) {
      const rawKey = await createKey(stack, [
        "scans:create",
        "services:create",
        "services:update",
        "endpoints:write",
      ]);
      const { body } = await stack.http.get<{ id: string }>("/api/api-keys/self", { key: rawKey });
      keys.set(name, body.id);
      if (name === "issued, long ago")
        await stack.http.post("/api/scans/ingest", scanPayload({ serviceName: "of a build" }), {
          key: rawKey,
        });
    }
    const end = (name: string, days: number) =>
      query(
        stack,
        `UPDATE api_keys SET expires_at = now() - $2 * interval '1 day',
           trust_policy_id = CASE WHEN $3 THEN gen_random_uuid() END WHERE id = $1`,
        [keys.get(name), days, name.startsWith("issued")],
      );
    await end("issued, not so long ago", 29.9);
    await end("stored, long ago", 400);
    await end("issued, long ago", 30.1);
    const left = async () => {
      const ids = await query<{ id: string }>(stack, "SELECT id FROM api_keys");
      return [...keys].flatMap(([name, id]) => (ids.some((row) => row.id === id) ? [name] : []));
    };
    await expect.poll(left).toEqual(["issued, not so long ago", "stored, long ago"]);
    const { body } = await stack.http.get<{ services: { id: string }[] }>("/api/services?name=of+a+build");
    expect(await runIds(body.services[0]?.id ?? "")).toHaveLength(1);
  });

  it("keeps 400 days unless it is configured, and says so when a worker starts", async () => {
    const { serviceId, scanRunId: first } = await scan("dated", "1");
    const second = (await scan("dated", "2")).scanRunId;
    const third = (await scan("dated", "3")).scanRunId;
    const fourth = (await scan("dated", "4")).scanRunId;
    await makeOlder(401, "id = $1", [first]);
    await makeOlder(399, "id = $1", [second]);
    await restartWorker({ RETENTION_RUNS: "1" });
    await expect.poll(() => runIds(serviceId)).toEqual([fourth, third, second]);
    expect(await saidAtStart()).toEqual([expect.stringContaining("older than 400 days are deleted")]);
  });
});

async function countUnnamedSnapshots(): Promise<number> {
  return (await countOf("snapshots")) - (await countOf("DISTINCT snapshot_id", "scan_runs"));
}

async function countUnnamedChunks(): Promise<number> {
  const named = "SELECT unnest(endpoint_chunks || finding_chunks) FROM snapshots";
  return countOf("*", `chunks WHERE id NOT IN (${named})`);
}

async function countOf(what: string, table = what): Promise<number> {
  const expression = what === table ? "*" : what;
  const [row] = await query<{ total: number }>(
    stack,
    `SELECT count(${expression})::int AS total FROM ${table}`,
  );
  return row?.total ?? 0;
}
