import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { sql } from "slonik";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { withOrganization } from "./organization.ts";
import { createDatabasePool, type DatabasePool, type DatabaseTransactionConnection } from "./pool.ts";

const ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";

let database: TestDatabase;
let db: DatabasePool;
beforeAll(async () => {
  database = await createTestDatabase();
  // One connection: whoever gets another process's id has a new one.
  db = await createDatabasePool(database.databaseUrl, { max: 1, applicationName: "test" });
  await db.query(sql.type(z.object({}))`CREATE TABLE notes (text text)`);
});
afterAll(async () => {
  await db.end();
  await database[Symbol.asyncDispose]();
});

const processId = (transaction: DatabaseTransactionConnection) =>
  transaction.oneFirst(sql.type(z.object({ pid: z.int() }))`SELECT pg_backend_pid() AS pid`);
const currentProcessId = () => withOrganization(db, ORGANIZATION, processId);

function noteThen(error: Error): Promise<never> {
  return withOrganization(db, ORGANIZATION, async (transaction) => {
    await transaction.query(sql.type(z.object({}))`INSERT INTO notes VALUES ('written')`);
    throw error;
  });
}

describe("a transaction of an organization", () => {
  it("that ends in a refusal is rolled back, and its connection is used again", async () => {
    const before = await currentProcessId();
    const refusal = new AppError("not_found", "There is no such thing.");
    await expect(noteThen(refusal)).rejects.toBe(refusal);
    expect(await currentProcessId()).toBe(before);
    expect(await db.any(sql.type(z.object({ text: z.string() }))`SELECT text FROM notes`)).toEqual([]);
  });

  it("that ends in any other error is rolled back, and its connection is closed", async () => {
    const before = await currentProcessId();
    await expect(noteThen(new Error("a fault"))).rejects.toThrow("a fault");
    expect(await currentProcessId()).not.toBe(before);
    expect(await db.any(sql.type(z.object({ text: z.string() }))`SELECT text FROM notes`)).toEqual([]);
  });
});
