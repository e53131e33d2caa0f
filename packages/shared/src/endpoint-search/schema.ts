import { z } from "zod";
import { text, Uuid } from "../lib/schema.ts";
import { TeamSummary } from "../principals/team-names/schema.ts";
import { SCAN_LIMITS } from "../scans/limits.ts";
import { HttpMethod } from "../scans/schema.ts";

export const ENDPOINT_SEARCH_MAX = 200;

/** An endpoint of some service's current run. */
export const FoundEndpoint = z
  .object({
    serviceId: Uuid,
    serviceName: z.string(),
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service." }),
    scanRunId: Uuid.meta({ description: "The service's current run." }),
    method: HttpMethod,
    path: z.string(),
    operationId: z.string().nullable(),
    tags: z.array(z.string()),
    summary: z.string().nullable(),
  })
  .meta({ id: "FoundEndpoint" });
export type FoundEndpoint = z.infer<typeof FoundEndpoint>;

export const EndpointSearchResult = z
  .object({ endpoints: z.array(FoundEndpoint), nextCursor: z.string().optional() })
  .meta({ id: "EndpointSearchResult" });

/** The position of an endpoint in the list of those that match. A description can have an endpoint twice. */
export const FoundPosition = z.strictObject({
  serviceName: text({ max: SCAN_LIMITS.serviceNameMax }),
  path: text({ max: SCAN_LIMITS.pathMax }),
  method: HttpMethod,
  occurrence: z.int().min(1).max(SCAN_LIMITS.endpointsMax),
});
export type FoundPosition = z.infer<typeof FoundPosition>;
