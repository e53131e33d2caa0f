import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { countCharacters } from "@waymark/shared/lib/schema.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { encodeEndpointRows, encodeFindingRows } from "./encode-rows.ts";
import { type ChunkItems, unpackChunks } from "./packed-chunks.ts";

interface Content {
  endpoints: NormalizedEndpoint[];
  findings: NormalizedFinding[];
}

function unpackedChunks(contents: readonly Content[]) {
  const unpacked = contents.map((content) => {
    const scan = chunkedContent(content);
    return unpackChunks(scan.pack(new Set([...scan.endpointChunks, ...scan.findingChunks])));
  });
  return {
    endpoints: unpacked.flatMap(({ endpoints }) => endpoints),
    findings: unpacked.flatMap(({ findings }) => findings),
  };
}

describe("rows, as the worker sends them", () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.databaseUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  /** The rows of these chunks as Postgres reads them, sent as one array each. */
  async function readBack(chunks: ReturnType<typeof unpackedChunks>) {
    const { rows } = await client.query<{ endpoint: number; finding: number }>(
      "SELECT 'chunk_endpoint_row'::regtype::oid AS endpoint, 'chunk_finding_row'::regtype::oid AS finding",
    );
    const types = rows[0] ?? { endpoint: 0, finding: 0 };
    const endpoints = await client.query(
      `SELECT replace(chunk_id::text, '-', '') AS "chunkId", ordinal, method, path, operation_id AS "operationId", tags, summary
       FROM unnest($1::chunk_endpoint_row[])`,
      [encodeEndpointRows(types.endpoint, chunks.endpoints)],
    );
    const findings = await client.query(
      `SELECT replace(chunk_id::text, '-', '') AS "chunkId", ordinal, code, severity, message, method, path
       FROM unnest($1::chunk_finding_row[])`,
      [encodeFindingRows(types.finding, chunks.findings)],
    );
    return { endpoints: endpoints.rows, findings: findings.rows };
  }

  it.each<[string, Content[]]>([
    ["of a large scan with awkward texts", [scanPayload({ endpoints: 2000, findings: 500 })]],
    ["of several scans at once", ["a", "b", "c"].map((seed) => scanPayload({ seed, endpoints: 7 }))],
    ["of a scan without any", [scanPayload({ endpoints: 0, findings: 0 })]],
    ["of endpoints alone", [scanPayload({ findings: 0 })]],
    ["longer than expected", [longScan()]],
  ])("%s reach Postgres unchanged", async (_name, contents) => {
    const chunks = unpackedChunks(contents);
    // No chunk occurs twice, so that nothing is left out.
    expect(chunks.endpoints.flatMap(({ items }) => items)).toEqual(contents.flatMap((one) => one.endpoints));
    expect(await readBack(chunks)).toEqual({
      endpoints: expectedRows(chunks.endpoints),
      findings: expectedRows(chunks.findings),
    });
  });

  it("have each chunk once, regardless of the scan that sent it", async () => {
    const content = scanPayload({ endpoints: 30, findings: 9 });
    const once = unpackedChunks([content]);
    expect(await readBack(unpackedChunks([content, content]))).toEqual({
      endpoints: expectedRows(once.endpoints),
      findings: expectedRows(once.findings),
    });
  });
});

/** Each item with its chunk's id and its ordinal. */
function expectedRows<Item>(chunks: readonly ChunkItems<Item>[]) {
  return chunks.flatMap(({ id, items }) => items.map((item, ordinal) => ({ chunkId: id, ordinal, ...item })));
}

/** Every text at its limit in characters, of 3 and 4 bytes; tags have no limit. */
function longScan(): Content {
  const wide = (characters: number) => "漢😀".repeat(characters / 2);
  const tags = Array.from({ length: SCAN_LIMITS.tagsMax }, () => wide(2000));
  const { pathMax, operationIdMax, summaryMax, codeMax, messageMax } = SCAN_LIMITS;
  const path = wide(pathMax);
  expect(countCharacters(path)).toBe(pathMax);
  return {
    endpoints: [{ method: "GET", path, operationId: wide(operationIdMax), tags, summary: wide(summaryMax) }],
    findings: [{ code: wide(codeMax), severity: "low", message: wide(messageMax), method: null, path }],
  };
}
