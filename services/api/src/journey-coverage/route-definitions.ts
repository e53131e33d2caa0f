import type { DatabasePool } from "@waymark/server/db/pool.ts";

// Definitions that the routes of this folder share.

export interface CoverageRouteDependencies {
  db: DatabasePool;
}
