import { API_KEY_LIMITS } from "@waymark/shared/api-keys/schema.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import type { KeyRing } from "@waymark/shared/encryption/key-ring.ts";
import { ENVIRONMENT_LIMITS } from "@waymark/shared/environments/limits.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { findDayUsage } from "@waymark/shared/scans/accept/usage/queries.ts";
import { JOURNEY_COVERAGE_LIMITS } from "@waymark/shared/journey-coverage/limits.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "@waymark/shared/journey-schedules/limits.ts";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import { Limits } from "@waymark/shared/limits/schema.ts";
import { WAIT_LIMITS } from "@waymark/shared/limits/limits.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { SERVICE_CHANGES_MAX } from "@waymark/shared/services/schema.ts";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { RATE_LIMITS, type RateLimitName } from "../lib/limits/limit-responses.ts";
import type { RequestLimits } from "../lib/limits/request-limits.ts";
import { ITEM_PAGE_LIMIT_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

const LimitsResponse = Limits.extend({
  rateLimits: z.object(ofRateLimits(() => z.int().nullable())).meta({
    description:
      "Requests per minute: per key, per key on ingest, and refused ones per client address, or per key if the key is known. Null: no limit.",
  }),
}).meta({ id: "Limits" });

export interface PublishedLimits extends Readonly<Record<RateLimitName, number | undefined>> {
  bodyBytesMax: number;
  keyLifetimeDaysMax: number | undefined;
  scheduleMinutesMin: number;
  organizationScansPerDay: number | undefined;
  organizationBytesPerDay: number | undefined;
  keyRing: KeyRing | undefined;
}

interface LimitsRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  requestLimits: RequestLimits;
  limits: PublishedLimits;
}

/** `GET /api/limits`: the server's limits, so that clients can check before they send. */
export function registerLimitsRoute(app: ZodApp, dependencies: LimitsRouteDependencies): void {
  const { limits } = dependencies;
  const ofServer = {
    scans: { ...SCAN_LIMITS, bodyBytesMax: limits.bodyBytesMax },
    apiKeys: API_KEY_LIMITS,
    environments: ENVIRONMENT_LIMITS,
    storesSecrets: limits.keyRing !== undefined,
    journeys: JOURNEY_LIMITS,
    journeyRuns: JOURNEY_RUN_LIMITS,
    journeyCoverage: JOURNEY_COVERAGE_LIMITS,
    journeySchedules: { ...JOURNEY_SCHEDULE_LIMITS, intervalMinutesMin: limits.scheduleMinutesMin },
    apiKeyPolicy: { lifetimeDaysMax: limits.keyLifetimeDaysMax ?? null },
    waits: WAIT_LIMITS,
    pages: {
      limitDefault: PAGE_LIMIT_DEFAULT,
      limitMax: PAGE_LIMIT_MAX,
      itemLimitMax: ITEM_PAGE_LIMIT_MAX,
      changeLimitMax: SERVICE_CHANGES_MAX,
    },
    rateLimits: ofRateLimits((name) => limits[name] ?? null),
  };
  app.get(
    "/api/limits",
    {
      schema: {
        operationId: "getLimits",
        summary: "Read the server's limits",
        description:
          "Items, Unicode characters and bytes, and the usage of the caller's organization. Needs no permission.",
        tags: ["limits"],
        response: { 200: LimitsResponse, 401: ErrorResponse, 429: ErrorResponse },
      },
      onRequest: dependencies.authenticate,
    },
    async (request) => ({
      ...ofServer,
      organization: await readOrganization(dependencies, actorOf(request).organizationId),
    }),
  );
}

async function readOrganization(
  { db, requestLimits, limits }: LimitsRouteDependencies,
  organizationId: string,
): Promise<Limits["organization"]> {
  const minute = await requestLimits.organizationState(organizationId);
  const { organizationScansPerDay: scansPerDay, organizationBytesPerDay: bytesPerDay } = limits;
  const day =
    scansPerDay === undefined && bytesPerDay === undefined
      ? undefined
      : await withOrganization(db, organizationId, (tx) => findDayUsage(tx, organizationId));
  const quota = (limit: number | undefined, used: "scans" | "bytes") =>
    limit === undefined || day === undefined
      ? null
      : { limit, used: day[used], resetSeconds: day.resetSeconds };
  return {
    requestsPerMinute:
      minute === undefined
        ? null
        : { limit: minute.limit, used: minute.limit - minute.remaining, resetSeconds: minute.resetSeconds },
    scansPerDay: quota(scansPerDay, "scans"),
    bytesPerDay: quota(bytesPerDay, "bytes"),
  };
}

function ofRateLimits<Value>(valueOf: (name: RateLimitName) => Value) {
  return Object.fromEntries(RATE_LIMITS.map((name) => [name, valueOf(name)]));
}
