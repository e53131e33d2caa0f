import type { DatabasePool } from "@waymark/shared/db/pool.ts";

// Definitions that the routes of this folder share.

export interface CoverageRouteDependencies {
  db: DatabasePool;
}
