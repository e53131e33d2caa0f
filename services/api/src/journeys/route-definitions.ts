import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import type { Compiler } from "@waymark/shared/journeys/compiler/compiler.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Authenticate } from "../lib/authenticate.ts";
import type { ChangesetRequest } from "./changeset.ts";

export interface JourneyRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  compiler: Compiler;
  /** The limit of one decoded body. */
  bodyBytesMax: number;
}

/** Postgres stores versions as integers. */
export const VERSION_MAX = 2 ** 31 - 1;

export const JourneyParams = z.object({ journeyId: Uuid });

export const JOURNEY_ERRORS = {
  400: ErrorResponse,
  401: ErrorResponse,
  403: ErrorResponse,
  404: ErrorResponse,
};

export const CHANGE_ERRORS = {
  ...JOURNEY_ERRORS,
  409: ErrorResponse,
  413: ErrorResponse,
  422: ErrorResponse,
  503: ErrorResponse,
};

/** Who sends a change: the console by its session, the command by its name. */
export function originOf(request: FastifyRequest): ChangesetRequest["origin"] {
  if (request.session !== null) return "console";
  return request.headers["user-agent"]?.startsWith("waymark/") === true ? "cli" : "api";
}
