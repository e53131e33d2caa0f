import { afterAll, beforeAll, expect, it } from "vitest";
import { query } from "../../../../../test/support/sql.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../test/support/test-database.ts";

const FIRST_ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SECOND_ORGANIZATION = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const payloads = [
    [FIRST_ORGANIZATION, "11111111-1111-4111-8111-111111111111", "rows"],
    [SECOND_ORGANIZATION, "22222222-2222-4222-8222-222222222222", "rows"],
    [SECOND_ORGANIZATION, "33333333-3333-4333-8333-333333333333", "zstd"],
  ];
  for (const payload of payloads) {
    await query(
      database,
      `INSERT INTO scan_payloads (organization_id, scan_run_id, body_encoding, body, body_hash, body_bytes)
       VALUES ($1, $2, $3, 'b', sha256('b'), 1)`,
      payload,
    );
  }
});
afterAll(() => database[Symbol.asyncDispose]());

/** The encodings of what comes, claim by claim, until nothing is left. */
async function claimAll(): Promise<string[][]> {
  const claims: string[][] = [];
  for (;;) {
    const rows = await query<{ body_encoding: string }>(
      database,
      `SELECT body_encoding FROM claim_scan_payloads('00000000-0000-0000-0000-000000000000', 10, 100, '1 minute')`,
    );
    if (rows.length === 0) return claims;
    claims.push(rows.map((row) => row.body_encoding));
  }
}

it("claims the runs of one organization at a time, however their payloads are encoded", async () => {
  expect((await claimAll()).map((encodings) => encodings.toSorted())).toEqual([["rows"], ["rows", "zstd"]]);
});
