import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "../support/scan-payload.ts";
import { ingest, waitForRun } from "../support/scans.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { storedState } from "./support/stored-state.ts";

let stack: Stack;
let owner: Client;
let completed: string;
let accepted: string;
beforeAll(async () => {
  stack = await startStack();
  const first = await ingest(stack, scanPayload({ endpoints: 5, findings: 2 }));
  completed = first.body.scanRunId;
  await waitForRun(stack, completed);
  await stack.worker.stop();
  accepted = (await ingest(stack, scanPayload({ endpoints: 4, findings: 2, seed: "waits" }))).body.scanRunId;
  owner = new Client(stack.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await stack[Symbol.asyncDispose]();
});

/** Runs a statement in a transaction of the organization, as the owner or as the services do. */
async function attempt(role: "owner" | "services", statement: string, values: unknown[] = []): Promise<void> {
  await owner.query("BEGIN");
  try {
    if (role === "services") await owner.query("SET LOCAL ROLE waymark_app");
    await owner.query("SELECT set_config('waymark.organization_id', $1, true)", [stack.organizationId]);
    await owner.query(statement, values);
    await owner.query("COMMIT");
  } catch (error) {
    await owner.query("ROLLBACK");
    throw error;
  }
}

const ONE_ROW = "WHERE ordinal = 0";
const SNAPSHOT_OF_COMPLETED = "(SELECT snapshot_id FROM scan_runs WHERE status = 'completed' LIMIT 1)";
const COMPLETE = `UPDATE scan_runs SET status = 'completed', completed_at = now(), snapshot_id = ${SNAPSHOT_OF_COMPLETED}`;

describe.each(["owner", "services"] as const)("the database lets not even the %s", (role) => {
  it.each([
    [
      "complete a run whose declared counts are not the snapshot's",
      () => [`${COMPLETE} WHERE id = $1`, accepted],
    ],
    [
      "complete a run without a snapshot",
      () => ["UPDATE scan_runs SET status = 'completed', completed_at = now() WHERE id = $1", accepted],
    ],
    [
      "complete a run with a snapshot that is not stored",
      () => [
        "UPDATE scan_runs SET status = 'completed', completed_at = now(), snapshot_id = sha256('x') WHERE id = $1",
        accepted,
      ],
    ],
    [
      "change a completed run's endpoint count",
      () => ["UPDATE scan_runs SET endpoint_count = endpoint_count + 1 WHERE id = $1", completed],
    ],
    [
      "change a completed run's finding count",
      () => ["UPDATE scan_runs SET finding_count = 0 WHERE id = $1", completed],
    ],
    [
      "take a completed run its snapshot",
      () => ["UPDATE scan_runs SET snapshot_id = NULL WHERE id = $1", completed],
    ],
    [
      "call a run that has a snapshot accepted",
      () => ["UPDATE scan_runs SET status = 'accepted' WHERE id = $1", completed],
    ],
    ["fail a run without a reason", () => ["UPDATE scan_runs SET status = 'failed' WHERE id = $1", accepted]],
    [
      "change the counts of a snapshot in use",
      () => ["UPDATE snapshots SET endpoint_count = endpoint_count + 1"],
    ],
    ["delete a snapshot in use", () => ["DELETE FROM snapshots"]],
    [
      "insert a completed run with counts of its own",
      () => [
        `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count,
           finding_count, snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id)
         SELECT organization_id, gen_random_uuid(), service_id, 'completed', spec_hash, spec_format, 1000,
           finding_count, snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id
         FROM scan_runs WHERE id = $1`,
        completed,
      ],
    ],
    [
      "leave a receipt with other counts than its snapshot's",
      () => ["UPDATE scan_receipts SET endpoint_count = endpoint_count + 1"],
    ],
    ["delete an endpoint beneath a completed run", () => [`DELETE FROM snapshot_endpoints ${ONE_ROW}`]],
    ["delete the findings beneath a completed run", () => ["DELETE FROM snapshot_findings"]],
    ["change an endpoint beneath a completed run", () => ["UPDATE snapshot_endpoints SET path = 'other'"]],
    [
      "move an endpoint from beneath a completed run",
      () => [`UPDATE snapshot_endpoints SET snapshot_id = sha256('x') ${ONE_ROW}`],
    ],
    ["empty the table of endpoints", () => ["TRUNCATE snapshot_endpoints"]],
    ["empty the table of findings", () => ["TRUNCATE snapshot_findings"]],
  ] satisfies [string, () => [string, ...string[]]][])("%s", async (_name, statementOf) => {
    const before = await storedState(stack);
    const [statement, ...values] = statementOf();
    await expect(attempt(role, statement, values)).rejects.toThrow(
      /violates (foreign key|check|RESTRICT setting of foreign key) constraint|permission denied|rows of (a )?stored snapshot/,
    );
    expect(await storedState(stack)).toEqual(before);
  });
});

describe("the services", () => {
  it.each([
    [
      "store a snapshot with counts of their own",
      `INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
       SELECT organization_id, sha256('false'), endpoint_count, finding_count, '{}'
       FROM scan_runs WHERE status = 'accepted'`,
    ],
    [
      "add a row beneath a stored snapshot",
      `INSERT INTO snapshot_endpoints
       SELECT organization_id, snapshot_id, 1000, method, path, operation_id, tags, summary
       FROM snapshot_endpoints`,
    ],
    ["change the counts of a snapshot that nothing refers to", "UPDATE snapshots SET finding_count = 0"],
    ["delete a snapshot that nothing refers to", "DELETE FROM snapshots WHERE id = sha256('none')"],
  ])("may not %s", async (_name, statement) => {
    await expect(attempt("services", statement)).rejects.toThrow(/permission denied/);
  });

  it("store snapshots with the counts of the rows that came with them, whatever else they hand over", async () => {
    const row = (snapshot: string, ordinal: number) =>
      `ROW(sha256('${snapshot}'), ${ordinal}, 'GET', '/', NULL, '{}', NULL)::snapshot_endpoint_row`;
    const rows = `ARRAY[${row("counted", 0)}, ${row("counted", 1)}, ${row("another", 0)}]`;
    const store = `SELECT insert_snapshots('${stack.organizationId}', ARRAY[sha256('counted')], ${rows}, '{}')`;
    await attempt("services", store);
    await expect(attempt("services", store)).rejects.toThrow(/duplicate key/);
    const stored = await owner.query(
      `SELECT endpoint_count, finding_count, (SELECT count(*)::int FROM snapshot_endpoints e WHERE e.snapshot_id = n.id) AS rows
       FROM snapshots n WHERE id IN (sha256('counted'), sha256('another'))`,
    );
    expect(stored.rows).toEqual([{ endpoint_count: 2, finding_count: 0, rows: 2 }]);
    // The run that waits declared 4 and 2.
    await expect(
      attempt(
        "services",
        "UPDATE scan_runs SET status = 'completed', completed_at = now(), snapshot_id = sha256('counted') WHERE id = $1",
        [accepted],
      ),
    ).rejects.toThrow(/violates foreign key/);
  });

  it("collect a snapshot with its rows when no run refers to it, and none that a run refers to, however old", async () => {
    await attempt("services", "UPDATE snapshots SET created_at = now() - interval '2 days'");
    await attempt("services", `SELECT collect_unused_snapshots('${stack.organizationId}', 100)`);
    const { rows } = await owner.query(
      `SELECT (SELECT count(*)::int FROM snapshots WHERE id = sha256('counted')) AS snapshots,
              (SELECT count(*)::int FROM snapshot_endpoints WHERE snapshot_id = sha256('counted')) AS endpoints`,
    );
    expect(rows).toEqual([{ snapshots: 0, endpoints: 0 }]);
    expect(await countedRows(completed)).toEqual({ endpoints: 5, findings: 2 });
  });
});

async function countedRows(scanRunId: string): Promise<unknown> {
  const { rows } = await owner.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM snapshot_endpoints e WHERE e.snapshot_id = r.snapshot_id) AS endpoints,
            (SELECT count(*)::int FROM snapshot_findings f WHERE f.snapshot_id = r.snapshot_id) AS findings
     FROM scan_runs r WHERE r.id = $1`,
    [scanRunId],
  );
  return rows[0];
}
