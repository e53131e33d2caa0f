import { randomUUID } from "node:crypto";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { query } from "@waymark/test-support/sql.ts";
import { expect, it } from "vitest";
import { writeUuidArray } from "./uuid-array.ts";

it.each([0, 1, 2, 2_500])("is read by Postgres as the same %d ids in the same order", async (count) => {
  await using database = await createTestDatabase();
  const ids = Array.from({ length: count }, () => randomUUID());
  const array = writeUuidArray(ids.map((id) => id.replaceAll("-", "")));
  const rows = await query<{ ids: string[] }>(database, "SELECT ($1::uuid[])::text[] AS ids", [array]);
  expect(rows).toEqual([{ ids }]);
});
