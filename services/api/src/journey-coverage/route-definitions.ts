import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import type { Authenticate } from "../lib/authenticate.ts";

// Definitions that the routes of this folder share.

export interface CoverageRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
}

export const COVERAGE_ERRORS = {
  400: ErrorResponse,
  401: ErrorResponse,
  403: ErrorResponse,
  404: ErrorResponse,
};
