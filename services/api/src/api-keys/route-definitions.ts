import type { DatabasePool } from "@waymark/server/db/pool.ts";

// Definitions that the routes of this folder share.

export interface KeyRouteDependencies {
  db: DatabasePool;
  /** The maximum lifetime of a new key, in days; undefined for no maximum. */
  lifetimeDaysMax: number | undefined;
}

export const STORE_WARNING =
  "Save this key now, in a secret store: it is shown only once and can't be recovered. Revoke it if it leaks.";
