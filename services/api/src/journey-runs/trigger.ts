import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import type { FastifyRequest } from "fastify";

/**
 * Returns the trigger of a run that is started or uploaded. A session means the console, and the user agent names the
 * command.
 */
export function triggerOf(request: FastifyRequest): JourneyRun["trigger"] {
  if (request.session !== null) return "manual";
  return request.headers["user-agent"]?.startsWith("waymark/") === true ? "cli" : "api";
}
