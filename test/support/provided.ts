import type { RedisSource } from "./redis-source.ts";

declare module "vitest" {
  // The values that the global set-up provides to test files.
  export interface ProvidedContext {
    /** The test server's address with a superuser or a login with CREATEDB. Its database is for maintenance only. */
    maintenanceUrl: string;
    /** The migrated database that every test database is cloned from. */
    templateDatabase: string;
    redisSource: RedisSource;
    /** For the packed file of the command. */
    packFolder: string;
  }
}
