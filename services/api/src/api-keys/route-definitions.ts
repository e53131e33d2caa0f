import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import type { Authenticate } from "../lib/authenticate.ts";

// Definitions that the routes of this folder share.

export interface KeyRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  /** The maximum lifetime of a new key, in days; undefined for no maximum. */
  lifetimeDaysMax: number | undefined;
}

export const KeyParams = z.object({ apiKeyId: Uuid });

export const KEY_ERRORS = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse, 429: ErrorResponse };

export const STORE_WARNING =
  "Save this key now, in a secret store: it is shown only once and can't be recovered. Revoke it if it leaks.";
