import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";

const ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const JOURNEY = "dddddddd-dddd-4ddd-8ddd-dddddddddddd";
const SOURCE = "ffffffff-ffff-4fff-8fff-ffffffffffff";
const ENVIRONMENT = "eeeeeeee-eeee-4eee-8eee-eeeeeeeeeeee";

let database: TestDatabase;
const hashOf = (text: string) => createHash("sha256").update(text).digest();

beforeAll(async () => {
  database = await createTestDatabase();
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'a')", [ORGANIZATION]);
  await query(
    database,
    `INSERT INTO environments (organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected, stores_bodies,
                               created_by_key_id)
     VALUES ($1, $2, 'test', '{}', '{}', '{}', '{}', false, true, $2)`,
    [ORGANIZATION, ENVIRONMENT],
  );
  for (const version of [1, 2]) {
    await query(database, "INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, $2, 1, 'b')", [
      ORGANIZATION,
      hashOf(`artifact ${version}`),
    ]);
  }
  for (const [id, path, kind] of [
    [JOURNEY, "a.journey.yaml", "journey"],
    [SOURCE, "a.openapi.yaml", "openapi"],
  ]) {
    await query(
      database,
      `WITH document AS (
         INSERT INTO journey_documents (organization_id, id, path, kind, journey_key, head_version)
         VALUES ($1, $2, $3, $4, 'a', 2))
       INSERT INTO journey_document_versions (organization_id, document_id, version, blob_hash, changeset_id, origin,
                                              error_count, warning_count, created_by_key_id)
       SELECT $1, $2, version, $5, $2, 'api', 0, 0, $2 FROM generate_series(1, 2) version`,
      [ORGANIZATION, id, path, kind, hashOf("artifact 1")],
    );
  }
  for (const version of [1, 2]) {
    for (const [ordinal, path] of ["/a/{id}", "/a/{key}", "/b"].entries()) {
      await query(
        database,
        `INSERT INTO build_operations (organization_id, artifact_hash, ordinal, source, method, path, path_key, source_document_id)
         VALUES ($1, $2, $3, 's', 'GET', $4, regexp_replace($4, '{[^}]*}', '{}', 'g'), $5)`,
        [ORGANIZATION, hashOf(`artifact ${version}`), ordinal, path, SOURCE],
      );
    }
  }
});
beforeEach(async () => {
  for (const table of ["operations", "criteria"]) await query(database, `DELETE FROM journey_run_${table}`);
  await query(database, "DELETE FROM journey_runs");
});
afterAll(() => database[Symbol.asyncDispose]());

interface EndedRun {
  version?: number;
  /** Minutes. */
  at: number;
  status?: "proven" | "failed" | "notRun" | "unproven";
  called?: Record<string, { calls?: number; statuses?: number[]; asserted?: boolean }>;
}

/** Ends a run, as a worker or an upload does. @returns its id */
async function end({ version = 1, at, status, called = {} }: EndedRun): Promise<string> {
  const id = crypto.randomUUID();
  await query(
    database,
    `INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision,
       artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id)
     VALUES ($1, $2, $3, $4, $5, 1, $6, 'p', 'cloud', 'api', 'running', '{}', 's', false, $3)`,
    [ORGANIZATION, id, JOURNEY, version, ENVIRONMENT, hashOf(`artifact ${version}`)],
  );
  if (status !== undefined)
    await query(database, "INSERT INTO journey_run_criteria VALUES ($1, $2, $3, 'AC-1', $4)", [
      ORGANIZATION,
      id,
      JOURNEY,
      status,
    ]);
  for (const [ordinal, [path, { calls = 1, statuses = [200], asserted = false }]] of Object.entries(
    called,
  ).entries()) {
    await query(
      database,
      "INSERT INTO journey_run_operations VALUES ($1, $2, $3, 's', 'GET', $4, $5, $6, $7)",
      [ORGANIZATION, id, ordinal, path, calls, statuses, asserted],
    );
  }
  await query(
    database,
    `UPDATE journey_runs SET status = 'passed', ended_at = '2026-01-01'::timestamptz + $2 * interval '1 minute',
       result_hash = artifact_hash, outcome_digest = 'd' WHERE id = $1`,
    [id, at],
  );
  return id;
}

const verdicts = () =>
  query(database, "SELECT document_version, status, run_id FROM journey_criterion_verdicts");
const calls = () =>
  query(
    database,
    `SELECT path_key, document_version AS version, calls::integer, statuses, extract(minute FROM called_at)::integer AS called,
            extract(minute FROM asserted_at)::integer AS asserted
     FROM journey_operation_calls ORDER BY path_key`,
  );

describe("the verdict on a criterion", () => {
  it("is that of the newest run which came to it", async () => {
    await end({ at: 1, status: "proven" });
    const failed = await end({ at: 2, status: "failed" });
    await end({ at: 3, status: "notRun" });
    expect(await verdicts()).toEqual([{ document_version: 1, status: "failed", run_id: failed }]);
  });

  it("is never that of an older version, whenever it ran", async () => {
    const unproven = await end({ version: 2, at: 1, status: "unproven" });
    await end({ version: 1, at: 2, status: "proven" });
    expect(await verdicts()).toEqual([{ document_version: 2, status: "unproven", run_id: unproven }]);
  });

  it("is not that of a run which ended earlier and was stored later", async () => {
    const second = await end({ at: 2, status: "proven" });
    await end({ at: 1, status: "failed" });
    expect(await verdicts()).toMatchObject([{ status: "proven", run_id: second }]);
  });

  it("is deleted with its run", async () => {
    const id = await end({ at: 1, status: "proven", called: { "/b": {} } });
    for (const table of ["operations", "criteria"])
      await query(database, `DELETE FROM journey_run_${table} WHERE run_id = $1`, [id]);
    await query(database, "DELETE FROM journey_runs WHERE id = $1", [id]);
    expect(await verdicts()).toEqual([]);
    expect(await calls()).toEqual([]);
  });
});

describe("the calls of an operation", () => {
  it("add up over the runs of a version, and over paths that differ in a parameter's name", async () => {
    await end({
      at: 1,
      called: {
        "/a/{id}": { statuses: [404, 200], asserted: true },
        "/a/{key}": { calls: 2 },
        "/b": { calls: 0 },
      },
    });
    await end({ at: 2, called: { "/a/{id}": { statuses: [500] }, "/b": { statuses: [] } } });
    expect(await calls()).toEqual([
      { path_key: "/a/{}", version: 1, calls: 4, statuses: [200, 404, 500], called: 2, asserted: 1 },
      { path_key: "/b", version: 1, calls: 1, statuses: [], called: 2, asserted: null },
    ]);
  });

  it("begin anew with a newer version, which an older one's run leaves alone", async () => {
    await end({ at: 1, called: { "/b": { calls: 5, asserted: true } } });
    await end({ version: 2, at: 2, called: { "/b": { statuses: [201] } } });
    await end({ version: 1, at: 3, called: { "/b": { asserted: true } } });
    expect(await calls()).toEqual([
      { path_key: "/b", version: 2, calls: 1, statuses: [201], called: 2, asserted: null },
    ]);
  });

  it("count also where a run ended earlier and was stored later", async () => {
    await end({ at: 2, called: { "/b": {} } });
    await end({ at: 1, called: { "/b": { asserted: true } } });
    expect(await calls()).toMatchObject([{ calls: 2, called: 2, asserted: 1 }]);
  });
});
