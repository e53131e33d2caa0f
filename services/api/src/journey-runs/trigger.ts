import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import type { FastifyRequest } from "fastify";

/** Who starts or uploads a run: the console by its session, the command by its name. */
export function triggerOf(request: FastifyRequest): JourneyRun["trigger"] {
  if (request.session !== null) return "manual";
  return request.headers["user-agent"]?.startsWith("waymark/") === true ? "cli" : "api";
}
