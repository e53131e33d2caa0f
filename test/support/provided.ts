import type { RedisSource } from "./redis-source.ts";

declare module "vitest" {
  // What the global set-up hands to the test files.
  export interface ProvidedContext {
    /** A superuser's or CREATEDB login's address on the test server; the database in it is for maintenance only. */
    maintenanceUrl: string;
    /** The migrated database that every test database is cloned from. */
    templateDatabase: string;
    redisSource: RedisSource;
  }
}
