import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "../../../../../test/support/scan-payload.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../test/support/test-database.ts";
import type { ScanIngestionPayload } from "../schema.ts";
import { packRows, readSnapshot, rowArray, type RowTypes, snapshotId, unpackRows } from "./snapshot-rows.ts";

let database: TestDatabase;
let client: Client;
let types: RowTypes;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.databaseUrl });
  await client.connect();
  const { rows } = await client.query<RowTypes>(
    "SELECT 'snapshot_endpoint_row'::regtype::oid AS endpoint, 'snapshot_finding_row'::regtype::oid AS finding",
  );
  types = rows[0] ?? { endpoint: 0, finding: 0 };
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

type Content = Pick<ScanIngestionPayload, "endpoints" | "findings">;

/** What Postgres reads of the rows of these contents, sent as one array each. */
async function readBack(contents: readonly Content[]) {
  const snapshots = contents.map((content) => readSnapshot(packRows(content)));
  const endpoints = await client.query<Record<string, unknown>>(
    `SELECT snapshot_id, ordinal, method, path, operation_id AS "operationId", tags, summary
     FROM unnest($1::snapshot_endpoint_row[])`,
    [
      rowArray(
        types.endpoint,
        snapshots.map((snapshot) => snapshot.endpoints),
      ),
    ],
  );
  const findings = await client.query<Record<string, unknown>>(
    "SELECT snapshot_id, ordinal, code, severity, message, method, path FROM unnest($1::snapshot_finding_row[])",
    [
      rowArray(
        types.finding,
        snapshots.map((snapshot) => snapshot.findings),
      ),
    ],
  );
  return {
    ids: snapshots.map((snapshot) => snapshot.id),
    endpoints: endpoints.rows,
    findings: findings.rows,
  };
}

function expected(contents: readonly Content[], ids: readonly Buffer[], field: "endpoints" | "findings") {
  return contents.flatMap((content, n) =>
    content[field].map((item, ordinal) => ({ snapshot_id: ids[n], ordinal, ...item })),
  );
}

describe("the rows of a snapshot, as the worker sends them", () => {
  it.each<[string, Content[]]>([
    ["of a large scan with awkward texts", [scanPayload({ endpoints: 2000, findings: 500 })]],
    ["of several scans at once", ["a", "b", "c"].map((seed) => scanPayload({ seed, endpoints: 7 }))],
    ["of a scan without any", [scanPayload({ endpoints: 0, findings: 0 })]],
    ["longer than expected", [longScan()]],
  ])("%s reach Postgres as they are", async (_name, contents) => {
    const { ids, endpoints, findings } = await readBack(contents);
    expect(endpoints).toEqual(expected(contents, ids, "endpoints"));
    expect(findings).toEqual(expected(contents, ids, "findings"));
  });
});

describe("packed rows", () => {
  const content = scanPayload({ endpoints: 3, findings: 2 });
  const bodyHash = Buffer.alloc(32, 7);

  it("say what body they were made of, which is no part of their identity", () => {
    const snapshot = readSnapshot(packRows(content, { bodyHash }));
    expect(snapshot.bodyHash).toEqual(bodyHash);
    expect(snapshot.id).toEqual(snapshotId(content));
    expect(readSnapshot(packRows(content)).id).toEqual(snapshot.id);
  });

  it("are the same with an id known before as with one filled in", () => {
    const { id, endpoints, findings } = readSnapshot(packRows(content));
    expect(unpackRows(packRows(content, { id }))).toEqual({ endpoints, findings });
  });

  it("are refused where they are cut off, at whatever byte, or longer than they say", () => {
    const packed = packRows(content);
    for (let bytes = 0; bytes < packed.byteLength; bytes++) {
      expect(() => readSnapshot(Buffer.from(packed.subarray(0, bytes)))).toThrow(/not as long as they say/);
    }
    expect(() => readSnapshot(Buffer.concat([packed, Buffer.alloc(1)]))).toThrow(/not as long as they say/);
  });
});

function longScan(): Content {
  const wide = "漢😀".repeat(300);
  return {
    endpoints: [
      {
        method: "GET",
        path: wide,
        operationId: wide,
        tags: Array.from({ length: 20 }, () => wide),
        summary: wide,
      },
    ],
    findings: [{ code: wide, severity: "low", message: wide, method: null, path: wide }],
  };
}
