import { randomBytes } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { sql } from "slonik";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { readBlob, storeBlobs, toBlob } from "./blobs.ts";
import { withOrganization } from "./organization.ts";
import { createDatabasePool, type DatabasePool } from "./pool.ts";

const A = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const B = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

let database: TestDatabase;
let db: DatabasePool;
beforeAll(async () => {
  database = await createTestDatabase();
  const owner = await createDatabasePool(database.databaseUrl, { max: 1, applicationName: "test" });
  await owner.query(
    sql.type(z.object({}))`INSERT INTO organizations (id, name) VALUES (${A}, 'A'), (${B}, 'B')`,
  );
  await owner.end();
  db = await createDatabasePool(serviceUrl(database.databaseUrl), { max: 4, applicationName: "test" });
});
afterAll(async () => {
  await db.end();
  await database[Symbol.asyncDispose]();
});

const store = async (organizationId: string, ...contents: Uint8Array[]) => {
  const blobs = await Promise.all(contents.map(toBlob));
  await withOrganization(db, organizationId, (tx) => storeBlobs(tx, { organizationId, blobs }));
  return blobs.map(({ hash }) => hash);
};
const read = (organizationId: string, hash: Buffer) =>
  withOrganization(db, organizationId, (tx) => readBlob(tx, { organizationId, hash }));

it("gives back the same bytes, whatever they are", async () => {
  const contents = [
    Buffer.alloc(0),
    Buffer.from("\uFEFFa: 1\r\n\tb\n"),
    randomBytes(100_000),
    Buffer.alloc(4 << 20, "["),
  ];
  const hashes = await store(A, ...contents);
  for (const [n, hash] of hashes.entries())
    expect((await read(A, hash))?.equals(contents[n] ?? Buffer.from("none"))).toBe(true);
});

it("stores a content once, also when many store it at the same time and name it twice", async () => {
  const contents = ["x", "y", "z", "x"].map((text) => Buffer.from(text.repeat(1_000)));
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => store(A, ...(n % 2 === 0 ? contents : contents.toReversed()))),
  );
  const count = await withOrganization(db, A, (tx) =>
    tx.oneFirst(
      sql.type(z.object({ count: z.number() }))`SELECT count(*)::int AS count FROM blobs WHERE size = 1000`,
    ),
  );
  expect(count).toBe(3);
});

it("shows another organization nothing, although it has the hash", async () => {
  const [hash = Buffer.alloc(0)] = await store(A, Buffer.from("ours"));
  expect(await read(B, hash)).toBeNull();
});
