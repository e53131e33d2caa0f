import * as fc from "fast-check";
import { Client } from "pg";
import { expect, it } from "vitest";
import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { findingFingerprint } from "./finding-fingerprint.ts";

/** Texts of the characters and words by which patterns are found, and of any others that Postgres can store. */
const piece = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      '"',
      "`",
      "'",
      " ",
      "{",
      "}",
      "\n",
      "\\1",
      "$1",
      "&",
      "#",
      "(",
      "=",
      ":",
      ",",
      ".",
      "-",
      "0",
      "12",
      "a",
      "Pet",
      // An apostrophe after these begins a quote.
      " '",
      "('",
      "='",
      ":'",
      ",'",
      "'",
    ),
  },
  { weight: 1, arbitrary: fc.uuid() },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: "binary", maxLength: 3 })
      .filter((text) => text.isWellFormed() && !text.includes("\0")),
  },
);
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));

it("a finding has the same fingerprint in TypeScript and in SQL", async () => {
  await using database = await createTestDatabase();
  const client = new Client({ connectionString: database.databaseUrl });
  await client.connect();
  try {
    const finding = fc.record({
      code: text,
      method: fc.option(fc.constantFrom(...HTTP_METHODS)),
      path: fc.option(text),
      message: text,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(finding, { minLength: 20, maxLength: 50 }), async (findings) => {
        const { rows } = await client.query<{ fingerprint: string }>(
          `SELECT replace(finding_fingerprint(f->>'code', f->>'method', f->>'path', f->>'message')::text, '-', '') AS fingerprint
           FROM json_array_elements($1) WITH ORDINALITY AS each (f, n) ORDER BY n`,
          [JSON.stringify(findings)],
        );
        expect(rows.map(({ fingerprint }) => fingerprint)).toEqual(findings.map(findingFingerprint));
      }),
      { numRuns: 40 },
    );
  } finally {
    await client.end();
  }
});
