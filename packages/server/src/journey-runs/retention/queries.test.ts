import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  addJourneyBuild,
  addJourneyOrganization,
  addJourneyRun,
  ARTIFACT,
  DOCUMENT,
  ENVIRONMENT,
  hashOf,
} from "@waymark/test-support/stored-journeys.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { withOrganizationClient } from "../../db/organization.ts";
import { createPgPool, type PgPool } from "../../db/pool.ts";
import { claimJourneyRuns, finishJourneyRun } from "../work/queries.ts";
import { type DeletedOfJourneys, deleteOfJourneys } from "./queries.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const OTHER = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

let database: TestDatabase;
let pool: PgPool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 4,
    applicationName: "test",
    onError: () => undefined,
  });
  for (const organizationId of [ORGANIZATION, OTHER]) await addJourneyOrganization(database, organizationId);
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

/** A run that ended so many days ago, with two steps and a result. */
async function addEnded(ageDays: number, organizationId = ORGANIZATION): Promise<string> {
  const runId = await addJourneyRun(database, { organizationId });
  const [found] = await claimJourneyRuns(pool, {
    afterOrganizationId: NIL_UUID,
    runsMax: 1,
    leaseMs: 60_000,
  });
  const held = found?.claimed;
  if (held?.runId !== runId) throw new Error("another run was claimed");
  await finishJourneyRun(pool, held, {
    outcome: { status: "passed", stepCount: 2, passedStepCount: 2, outcomeDigest: "sha256:0" },
    result: { hash: hashOf(runId), size: 6, bytes: Buffer.from("result") },
    steps: [0, 1].map((seq) => ({
      seq,
      stepId: "s",
      phase: "main",
      workflow: null,
      status: "passed",
      ms: 1,
      result: "{}",
      evidence: "{}",
    })),
    operations: [{ source: "a", method: "GET", path: "/", calls: 1, statuses: [200], asserted: true }],
    criteria: [{ id: "AC-1", status: "proven" }],
  });
  await query(database, "ALTER TABLE journey_runs DISABLE TRIGGER kept_when_final");
  await query(database, "UPDATE journey_runs SET ended_at = now() - $2 * interval '1 day' WHERE id = $1", [
    runId,
    ageDays,
  ]);
  await query(database, "ALTER TABLE journey_runs ENABLE TRIGGER kept_when_final");
  return runId;
}

function deleteOld(what: DeletedOfJourneys, keepDays: number, batchMax = 10): Promise<number> {
  return withOrganizationClient(pool, ORGANIZATION, (client) =>
    deleteOfJourneys(client, what, { organizationId: ORGANIZATION, keepDays, batchMax }),
  );
}

/** Describes the parts of a run that are left. */
async function left(runId: string): Promise<string> {
  const counted = async (text: string, values: unknown[]) => (await query(database, text, values)).length;
  const [run] = await query<{ kept: string }>(database, "SELECT kept FROM journey_runs WHERE id = $1", [
    runId,
  ]);
  const steps = await counted("SELECT FROM journey_run_steps WHERE run_id = $1", [runId]);
  const evidence = await counted("SELECT FROM journey_run_steps WHERE run_id = $1 AND evidence IS NOT NULL", [
    runId,
  ]);
  const facts =
    (await counted("SELECT FROM journey_run_operations WHERE run_id = $1", [runId])) +
    (await counted("SELECT FROM journey_run_criteria WHERE run_id = $1", [runId]));
  const results = await counted("SELECT FROM blobs WHERE hash = $1", [hashOf(runId)]);
  return `${run?.kept ?? "none"} steps ${steps} evidence ${evidence} facts ${facts} results ${results}`;
}

describe("what is kept of a run", () => {
  it("loses its evidence, then its steps and result, then all, each after its days", async () => {
    const run = await addEnded(50);
    const recent = await addEnded(10);
    const stranger = await addEnded(5_000, OTHER);
    const waiting = await addJourneyRun(database, { organizationId: ORGANIZATION });
    expect(await left(run)).toBe("evidence steps 2 evidence 2 facts 2 results 1");
    expect(await deleteOld("evidence", 51)).toBe(0);
    expect(await deleteOld("evidence", 49)).toBe(1);
    expect(await deleteOld("evidence", 49)).toBe(0);
    expect(await left(run)).toBe("result steps 2 evidence 0 facts 2 results 1");
    expect(await deleteOld("results", 49)).toBe(1);
    expect(await left(run)).toBe("run steps 0 evidence 0 facts 2 results 0");
    expect(await deleteOld("evidence", 1)).toBe(1);
    expect(await deleteOld("runs", 49)).toBe(1);
    expect(await left(run)).toBe("none steps 0 evidence 0 facts 0 results 0");
    expect(await left(recent)).toBe("result steps 2 evidence 0 facts 2 results 1");
    // Neither one that has not ended, nor another organization's.
    expect(await query(database, "SELECT FROM journey_runs WHERE id = $1", [waiting])).toHaveLength(1);
    expect(await left(stranger)).toContain("evidence steps 2");
    await query(database, "DELETE FROM journey_run_tickets");
    await query(database, "DELETE FROM journey_runs WHERE id = $1", [waiting]);
  });

  it("is deleted in batches, and a whole run also where nothing was deleted before", async () => {
    for (let n = 0; n < 5; n++) await addEnded(100);
    expect(await deleteOld("evidence", 90, 2)).toBe(2);
    expect(await deleteOld("results", 90, 3)).toBe(3);
    expect([await deleteOld("runs", 90, 4), await deleteOld("runs", 90, 4)]).toEqual([4, 1]);
  });

  it("is nothing that anybody else may change", async () => {
    const run = await addEnded(1);
    for (const change of [
      "kept = 'result', seed = 'x'",
      "kept = 'run', result_hash = NULL, status = 'failed'",
    ]) {
      await expect(query(database, `UPDATE journey_runs SET ${change} WHERE id = $1`, [run])).rejects.toThrow(
        /not changed any more/,
      );
    }
  });
});

describe("builds and contents", () => {
  it("go when no run has them, and stay while one does", async () => {
    const unused = hashOf("unused artifact");
    const facts = `INSERT INTO build_operations (organization_id, artifact_hash, ordinal, source, method, path, path_key)
                   VALUES ($1, $2, 0, 's', 'GET', '/', '/')`;
    await addJourneyBuild(database, { organizationId: ORGANIZATION, artifact: unused, ageDays: 500 });
    await query(database, facts, [ORGANIZATION, unused]);
    await addJourneyBuild(database, { organizationId: ORGANIZATION, artifact: ARTIFACT, ageDays: 500 });
    await addEnded(1);
    expect(await deleteOld("builds", 501)).toBe(0);
    expect(await deleteOld("builds", 400)).toBe(1);
    expect(await query(database, "SELECT FROM blobs WHERE hash = $1", [unused])).toEqual([]);
    expect(await query(database, "SELECT FROM build_operations WHERE artifact_hash = $1", [unused])).toEqual(
      [],
    );
    expect(await query(database, "SELECT FROM journey_builds")).toHaveLength(1);
  });

  it("stay with their facts while the artifact is released", async () => {
    const released = hashOf("released artifact");
    await addJourneyBuild(database, { organizationId: ORGANIZATION, artifact: released, ageDays: 500 });
    await query(
      database,
      `INSERT INTO journey_releases (organization_id, environment_id, document_id, version, artifact_hash, program_id, needs,
                                     built_from, released_by_key_id)
       VALUES ($1, $2, $3, 1, $4, 'p', '{}', '{}', $3)`,
      [ORGANIZATION, ENVIRONMENT, DOCUMENT, released],
    );
    expect(await deleteOld("builds", 400)).toBe(0);
    await query(database, "DELETE FROM journey_releases");
    expect(await deleteOld("builds", 400)).toBe(1);
    expect(await query(database, "SELECT FROM blobs WHERE hash = $1", [released])).toEqual([]);
  });

  it("a content stays while any row refers to it", async () => {
    const references = await query<{ name: string }>(
      database,
      `SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE confrelid = 'blobs'::regclass ORDER BY 1`,
    );
    const [used] = await query<{ source: string }>(
      database,
      "SELECT prosrc AS source FROM pg_proc WHERE proname = 'is_blob_used'",
    );
    const named = [...(used?.source ?? "").matchAll(/FROM (\w+) \w WHERE/g)].map(([, table]) => table ?? "");
    expect(named.toSorted()).toEqual(references.map(({ name }) => name));
  });
});
