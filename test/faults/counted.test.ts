import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
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

const COUNTED = "c0c0c0c0-0000-4000-8000-000000000001";
const MISSING = "c0c0c0c0-0000-4000-8000-000000000002";
const STORE_SNAPSHOT = "SELECT store_snapshot($1, $2, $3, $4, $5, $6)";
const ONE_ROW = "WHERE ordinal = 0";
const OF_COMPLETED = "WHERE id = (SELECT snapshot_id FROM scan_runs WHERE status = 'completed' LIMIT 1)";
const COMPLETE = "UPDATE scan_runs SET status = 'completed', completed_at = now()";

describe.each(["owner", "services"] as const)("the database lets not even the %s", (role) => {
  it.each([
    [
      "complete a run whose declared counts are not the snapshot's",
      () => [`${COMPLETE}, snapshot_id = (SELECT id FROM snapshots ${OF_COMPLETED}) WHERE id = $1`, accepted],
    ],
    ["complete a run without a snapshot", () => [`${COMPLETE} WHERE id = $1`, accepted]],
    [
      "complete a run with a snapshot that is not stored",
      () => [`${COMPLETE}, snapshot_id = gen_random_uuid() WHERE id = $1`, accepted],
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
    ["change the chunks of a snapshot", () => ["UPDATE snapshots SET endpoint_chunks = '{}'"]],
    [
      "change the order of a snapshot's findings",
      () => ["UPDATE snapshots SET finding_chunks = finding_chunks"],
    ],
    ["delete a snapshot in use", () => ["DELETE FROM snapshots"]],
    ["empty the table of snapshots", () => ["TRUNCATE snapshots"]],
    [
      "insert a completed run with counts of its own",
      () => [
        `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count,
           finding_count, snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id, contract_version)
         SELECT organization_id, gen_random_uuid(), service_id, 'completed', spec_hash, spec_format, 1000,
           finding_count, snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id, contract_version
         FROM scan_runs WHERE id = $1`,
        completed,
      ],
    ],
    ["delete a chunk beneath a completed run", () => ["DELETE FROM chunks"]],
    ["change a chunk's count", () => ["UPDATE chunks SET endpoint_count = endpoint_count + 1"]],
    ["change the severity of a chunk's findings", () => ["UPDATE chunks SET high_count = high_count + 1"]],
    ["change a chunk's id", () => ["UPDATE chunks SET id = gen_random_uuid()"]],
    ["empty the table of chunks", () => ["TRUNCATE chunks"]],
    ["delete an endpoint beneath a completed run", () => [`DELETE FROM chunk_endpoints ${ONE_ROW}`]],
    ["delete the findings beneath a completed run", () => ["DELETE FROM chunk_findings"]],
    ["change an endpoint beneath a completed run", () => ["UPDATE chunk_endpoints SET path = 'other'"]],
    [
      "move an endpoint from beneath a completed run",
      () => [`UPDATE chunk_endpoints SET chunk_id = gen_random_uuid() ${ONE_ROW}`],
    ],
    ["empty the table of endpoints", () => ["TRUNCATE chunk_endpoints"]],
    ["empty the table of findings", () => ["TRUNCATE chunk_findings"]],
    ["empty all tables of content", () => ["TRUNCATE chunks, chunk_endpoints, chunk_findings"]],
  ] satisfies [string, () => [string, ...string[]]][])("%s", async (_name, statementOf) => {
    const before = await storedState(stack);
    const [statement, ...values] = statementOf();
    await expect(attempt(role, statement, values)).rejects.toThrow(
      /violates (foreign key|check|RESTRICT setting of foreign key) constraint|permission denied|neither changed nor deleted|is refused: it has stored content|cannot truncate a table referenced/,
    );
    expect(await storedState(stack)).toEqual(before);
  });
});

describe("the services", () => {
  it.each([
    [
      "store a snapshot of their own",
      `INSERT INTO snapshots SELECT organization_id, gen_random_uuid(), endpoint_chunks, finding_chunks, 1000, 1000, '{}', now()
       FROM snapshots`,
    ],
    [
      "store a chunk of their own",
      `INSERT INTO chunks (organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count)
       SELECT organization_id, gen_random_uuid(), 5, 5, 0, 0, 0, 0 FROM chunks`,
    ],
    [
      "add a row beneath a stored chunk",
      `INSERT INTO chunk_endpoints SELECT organization_id, chunk_id, 1000, method, path, operation_id, tags, summary
       FROM chunk_endpoints`,
    ],
    ["delete a chunk that nothing refers to", "DELETE FROM chunks WHERE id = gen_random_uuid()"],
    ["change a snapshot that nothing refers to", "UPDATE snapshots SET created_at = now()"],
    ["delete a snapshot that nothing refers to", "DELETE FROM snapshots WHERE id = gen_random_uuid()"],
  ])("may not %s", async (_name, statement) => {
    await expect(attempt("services", statement)).rejects.toThrow(/permission denied/);
  });

  it("store chunks with the counts of the rows that came with them, once", async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => endpointRow(COUNTED, n)).join();
    expect(await storeChunks(rows(2))).toBe(2);
    expect(await storeChunks(rows(3))).toBe(0);
    expect(
      await rowsOf(
        `SELECT endpoint_count, finding_count,
                (SELECT count(*)::int FROM chunk_endpoints e WHERE e.chunk_id = c.id) AS rows
         FROM chunks c WHERE id = $1`,
        COUNTED,
      ),
    ).toEqual([{ endpoint_count: 2, finding_count: 0, rows: 2 }]);
  });

  it.each([
    ["with a chunk that is not stored", [COUNTED, MISSING], [], [2, 0]],
    ["without one of its chunks", [COUNTED], [], [4, 0]],
    ["with more rows than it declares", [COUNTED, COUNTED], [], [2, 0]],
    ["with findings that it does not have", [COUNTED], [], [2, 1]],
    ["with endpoints as findings", [], [COUNTED], [0, 2]],
    ["of nothing", [], [], [1, 0]],
  ])("can't store a snapshot %s", async (_name, endpoints, findings, [endpointCount, findingCount]) => {
    const before = await storedState(stack);
    await expect(
      attempt("services", STORE_SNAPSHOT, [
        stack.organizationId,
        MISSING,
        endpoints,
        findings,
        endpointCount,
        findingCount,
      ]),
    ).rejects.toThrow(/^a snapshot of \d+ endpoints and \d+ findings, but/);
    expect(await storedState(stack)).toEqual(before);
  });

  it("can't complete a run with a snapshot of other counts than those that it declared", async () => {
    await attempt("services", STORE_SNAPSHOT, [stack.organizationId, COUNTED, [COUNTED], [], 2, 0]);
    await expect(
      attempt("services", `${COMPLETE}, snapshot_id = $2 WHERE id = $1`, [accepted, COUNTED]),
    ).rejects.toThrow(/violates foreign key/);
  });

  it("can't store content for another organization, nor delete it", async () => {
    const other = "eeeeeeee-eeee-4eee-8eee-eeeeeeeeeeee";
    for (const statement of [
      `SELECT store_chunks('${other}', '{}', '{}')`,
      `SELECT store_snapshot('${other}', '${other}', '{}', '{}', 0, 0)`,
      `SELECT collect_snapshots('${other}', 1)`,
      `SELECT collect_chunks('${other}', 1)`,
      `SELECT lock_missing_chunks('${other}', '${other}', '{}', '{}')`,
      `SELECT lock_snapshot('${other}', '${other}')`,
    ])
      await expect(attempt("services", statement)).rejects.toThrow("content of another organization");
  });

  it("collect content that no run refers to, and none that a run refers to, however old", async () => {
    await attempt("owner", "UPDATE snapshots SET created_at = now() - interval '2 days'");
    const payload = await rowsOf("SELECT * FROM scan_payloads");
    await attempt("services", `SELECT collect_snapshots('${stack.organizationId}', 100)`);
    await attempt("services", `SELECT collect_chunks('${stack.organizationId}', 100)`);
    expect(await rowsOf("SELECT FROM snapshots WHERE id = $1", COUNTED)).toEqual([]);
    expect(await rowsOf("SELECT FROM chunks WHERE id = $1", COUNTED)).toEqual([]);
    expect(await rowsOf("SELECT FROM chunk_endpoints WHERE chunk_id = $1", COUNTED)).toEqual([]);
    expect(await countedRows(completed)).toEqual({ endpoints: 5, findings: 2 });
    expect(await rowsOf("SELECT * FROM scan_payloads")).toEqual(payload);
  });
});

const endpointRow = (chunk: string, ordinal: number) =>
  `ROW('${chunk}', ${ordinal}, 'GET', '/', NULL, '{}', NULL)::chunk_endpoint_row`;

/** @returns how many rows were stored */
async function storeChunks(rows: string): Promise<number> {
  const count = async () => (await rowsOf("SELECT FROM chunk_endpoints")).length;
  const before = await count();
  await attempt("services", `SELECT store_chunks('${stack.organizationId}', ARRAY[${rows}], '{}')`);
  return (await count()) - before;
}

async function rowsOf(text: string, ...values: string[]): Promise<unknown[]> {
  return (await owner.query<Record<string, unknown>>(text, values)).rows;
}

async function countedRows(scanRunId: string): Promise<unknown> {
  const [row] = await rowsOf(
    `SELECT (SELECT count(*)::int FROM chunk_endpoints e WHERE e.chunk_id = ANY (n.endpoint_chunks)) AS endpoints,
            (SELECT count(*)::int FROM chunk_findings f WHERE f.chunk_id = ANY (n.finding_chunks)) AS findings
     FROM scan_runs r JOIN snapshots n ON n.id = r.snapshot_id WHERE r.id = $1`,
    scanRunId,
  );
  return row;
}
