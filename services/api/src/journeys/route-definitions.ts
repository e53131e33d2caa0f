import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { FastifyRequest } from "fastify";
import type { ChangesetRequest } from "./changeset.ts";

export interface JourneyRouteDependencies {
  db: DatabasePool;
  compiler: Compiler;
  /** The limit of one decoded body. */
  bodyBytesMax: number;
}

/** Returns the origin of a change. A session means the console, and the user agent names the command. */
export function originOf(request: FastifyRequest): ChangesetRequest["origin"] {
  if (request.session !== null) return "console";
  return request.headers["user-agent"]?.startsWith("waymark/") === true ? "cli" : "api";
}
