import { PART_FINDINGS_MAX } from "@waymark/server/scans/current-findings/queries.ts";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startStack } from "@waymark/test-support/stack.ts";
import { expect, it } from "vitest";

const { findingsMax, messageMax, pathMax } = SCAN_LIMITS;
const WORDS_EACH = (messageMax + pathMax) / 2;

/** As many characters as asked for, with as many words and bytes as they can have: each second one is a word of four bytes. */
function longText(length: number, firstWord: number): string {
  const character = (at: number) =>
    at % 2 === 0 ? String.fromCodePoint(0x2_00_00 + firstWord + at / 2) : " ";
  return Array.from({ length }, (_, at) => character(at)).join("");
}

/** One rule that is broken as often as a scan can say, with texts as long as they can be. No two of 64 in a row share a word. */
const findings = Array.from({ length: findingsMax }, (_, n) => {
  const number = ` at${n}`;
  const firstWord = (n % 64) * WORDS_EACH;
  return {
    severity: "high" as const,
    code: "one-rule",
    message: longText(messageMax - number.length, firstWord) + number,
    method: "GET" as const,
    path: longText(pathMax, firstWord + messageMax / 2),
  };
});

it("500 findings of one rule with the longest texts are indexed, listed and found", async () => {
  await using stack = await startStack();
  const { body } = await ingest(stack, { ...scanPayload({ serviceName: "long", endpoints: 1 }), findings });
  await waitForRun(stack, body.scanRunId);
  const list = async (search: string) => {
    const page = await stack.http.get<{ findings: CurrentFinding[] }>(`/api/findings?limit=200&${search}`);
    expect(page.status).toBe(200);
    return page.body.findings.map(({ index }) => index);
  };
  // Each of the two words is in other findings too.
  const find = () =>
    list(`q=${encodeURIComponent(`${String.fromCodePoint(0x2_00_00 + 63 * WORDS_EACH)} at63`)}`);
  await query(stack, "DELETE FROM service_derivations");
  expect(await find()).toEqual([63]);
  await query(
    stack,
    `SELECT set_config('waymark.organization_id', $1::text, true), index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
    [stack.organizationId],
  );
  expect(await query(stack, "SELECT DISTINCT part FROM service_rules")).toHaveLength(
    Math.ceil(findingsMax / PART_FINDINGS_MAX),
  );
  expect(await find()).toEqual([63]);
  const byPath = findings
    .map(({ path, message }, index) => ({ path: Buffer.from(path), message, index }))
    .toSorted((a, b) => Buffer.compare(a.path, b.path));
  const listed = await list("");
  expect(listed.map((index) => findings[index]?.path)).toEqual(
    byPath.slice(0, 200).map(({ index }) => findings[index]?.path),
  );
});
