import { API_KEY_LIMITS } from "@waymark/shared/api-keys/schema.ts";
import { INVITATION_LIMITS } from "@waymark/shared/principals/invitations/schema.ts";
import { ROLE_LIMITS } from "@waymark/shared/principals/roles/schema.ts";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import { TRUST_POLICY_LIMITS } from "@waymark/shared/api-keys/trust-policies/limits.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import { ENVIRONMENT_LIMITS } from "@waymark/shared/environments/limits.ts";
import { findDayUsage } from "@waymark/server/scans/accept/usage.queries.ts";
import { JOURNEY_COVERAGE_LIMITS } from "@waymark/shared/journey-coverage/limits.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { JOURNEY_RUN_LINK_LIMITS } from "@waymark/shared/journey-runs/links/limits.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "@waymark/shared/journey-schedules/limits.ts";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import { Limits } from "@waymark/shared/limits/schema.ts";
import { RATE_LIMITS, type RateLimitName, WAIT_LIMITS } from "@waymark/shared/operations/limits.ts";
import { SAVED_VIEW_LIMITS } from "@waymark/shared/saved-views/limits.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { RUN_COMMENT_LIMITS } from "@waymark/shared/scans/run-comments/limits.ts";
import { SNOOZE_LIMITS } from "@waymark/shared/services/snoozes/limits.ts";
import { SERVICE_CHANGES_MAX } from "@waymark/shared/services/schema.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "@waymark/shared/operations/page-query.ts";
import { ITEM_PAGE_LIMIT_MAX } from "@waymark/shared/scans/item-page-query.ts";
import * as operations from "@waymark/shared/limits/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { RequestLimits } from "../lib/limits/request-limits.ts";
import type { Serve } from "../lib/serve.ts";

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
  requestLimits: RequestLimits;
  limits: PublishedLimits;
}

/** `GET /api/limits`: the server's limits, so that clients can check before they send. */
export function registerLimitsRoute(serve: Serve, dependencies: LimitsRouteDependencies): void {
  const { limits } = dependencies;
  const ofServer = {
    scans: {
      ...SCAN_LIMITS,
      bodyBytesMax: limits.bodyBytesMax,
      descriptionBytesMax: Math.min(SCAN_LIMITS.descriptionBytesMax, 2 * limits.bodyBytesMax),
    },
    apiKeys: API_KEY_LIMITS,
    trustPolicies: TRUST_POLICY_LIMITS,
    principals: PRINCIPAL_LIMITS,
    roles: ROLE_LIMITS,
    invitations: INVITATION_LIMITS,
    teams: TEAM_LIMITS,
    savedViews: SAVED_VIEW_LIMITS,
    snoozes: SNOOZE_LIMITS,
    scanRunComments: RUN_COMMENT_LIMITS,
    environments: ENVIRONMENT_LIMITS,
    storesSecrets: limits.keyRing !== undefined,
    journeys: JOURNEY_LIMITS,
    journeyRuns: JOURNEY_RUN_LIMITS,
    journeyRunLinks: JOURNEY_RUN_LINK_LIMITS,
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
    rateLimits: rateLimitsOf(limits),
  };
  serve(operations.getLimits, async (request) => ({
    ...ofServer,
    organization: await readOrganization(dependencies, actorOf(request).organizationId),
  }));
}

function rateLimitsOf(limits: PublishedLimits): Limits["rateLimits"] {
  const values = new Map<string, unknown>(Object.entries(limits));
  return Limits.shape.rateLimits.parse(
    Object.fromEntries(Object.keys(RATE_LIMITS).map((name) => [name, values.get(name) ?? null])),
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
