import { createDatabasePool, type DatabasePool } from "@waymark/server/db/pool.ts";
import { serviceUrl } from "./service-url.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

export interface TestPools extends AsyncDisposable {
  database: TestDatabase;
  /** With the services' login. */
  services: DatabasePool;
  /** With the owner's, to see and change what the services can't. */
  owner: DatabasePool;
}

/** A migrated database, and pools of both logins. */
export async function createTestPools(): Promise<TestPools> {
  const database = await createTestDatabase();
  const { databaseUrl } = database;
  const services = await createDatabasePool(serviceUrl(databaseUrl), { max: 10, applicationName: "test" });
  const owner = await createDatabasePool(databaseUrl, { max: 2, applicationName: "test" });
  return {
    database,
    services,
    owner,
    async [Symbol.asyncDispose]() {
      await Promise.all([services.end(), owner.end()]);
      await database[Symbol.asyncDispose]();
    },
  };
}
