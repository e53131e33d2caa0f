import { listExpiringKeys } from "@waymark/shared/api-keys/expiring/queries.ts";
import { denial } from "@waymark/shared/api-keys/authorize.ts";
import { listKeyNames } from "@waymark/shared/api-keys/queries.ts";
import { listLastRefusals } from "@waymark/shared/audit/queries.ts";
import { listFailingJourneys } from "@waymark/shared/journey-runs/failing/queries.ts";
import { listTroubledSchedules } from "@waymark/shared/journey-schedules/failing/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { optionalWholeNumber } from "@waymark/shared/lib/query-fields.ts";
import {
  countPendingServices,
  listConcerns,
  listDailyTotals,
  listNewServices,
  sumCurrentRuns,
} from "@waymark/shared/services/overview/queries.ts";
import {
  EXPIRING_DAYS,
  Overview,
  OVERVIEW_ROWS,
  OVERVIEW_ROWS_MAX,
  RECENT_DAYS,
} from "@waymark/shared/services/overview/schema.ts";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { EVERY_JOURNEY } from "../lib/visible-journeys.ts";
import { visibleServices } from "../lib/visible-services.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

export function registerOverviewRoute(
  app: ZodApp,
  { db, authenticate }: { db: DatabasePool; authenticate: Authenticate },
): void {
  app.get(
    "/api/overview",
    {
      schema: {
        operationId: "getOverview",
        summary: "Read what needs attention",
        description:
          "Services that need attention, new services, keys that expire soon or were refused lately, and totals of all current runs. " +
          "A key whose scope is limited to services gets these services only.",
        tags: ["services"],
        querystring: z.strictObject({
          rows: optionalWholeNumber({ min: 1, max: OVERVIEW_ROWS_MAX, default: OVERVIEW_ROWS }).describe(
            "The most rows of each list.",
          ),
        }),
        response: { 200: Overview, 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse },
      },
      onRequest: authenticate,
    },
    (request): Promise<Overview> => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { rows } = request.query;
      const list = { organizationId, limit: rows };
      const maySeeKeys = denial(actor, ["api-keys:read"], { resourceType: "api_key" }) === undefined;
      const maySeeJourneys = denial(actor, ["journeys:read"], EVERY_JOURNEY) === undefined;
      const maySeeRefusals = maySeeKeys && denial(actor, ["audit:read"], {}) === undefined;
      return withOrganization(db, organizationId, async (tx) => {
        const serviceIds = await visibleServices(tx, actor, "services:read");
        const visible = { organizationId, serviceIds };
        const { serviceCount, endpointCount, findingsBySeverity } = await sumCurrentRuns(tx, visible);
        const days = serviceIds === null ? await listDailyTotals(tx, { organizationId }) : null;
        const { concerns, counts } = await listConcerns(tx, { ...visible, rows });
        const pendingServiceCount = await countPendingServices(tx, visible);
        const added = await listNewServices(tx, { ...visible, rows });
        const expiring = maySeeKeys ? await listExpiringKeys(tx, { ...list, days: EXPIRING_DAYS }) : null;
        const refused = maySeeRefusals ? await listRefusedKeys(tx, list) : null;
        const failing = maySeeJourneys ? await listFailingJourneys(tx, list) : null;
        const troubled = maySeeJourneys ? await listTroubledSchedules(tx, list) : null;
        return {
          serviceCount,
          endpointCount,
          findingCount: Object.values(findingsBySeverity).reduce((sum, count) => sum + count, 0),
          findingsBySeverity,
          days,
          concerns,
          concernCounts: counts,
          pendingServiceCount,
          newServices: [...added.services],
          newServiceCount: added.count,
          expiringKeys: expiring === null ? null : [...expiring.keys],
          expiringKeyCount: expiring?.count ?? 0,
          refusedKeys: refused?.keys ?? null,
          refusedKeyCount: refused?.count ?? 0,
          failingJourneys: failing === null ? null : [...failing.journeys],
          failingJourneyCount: failing?.count ?? 0,
          troubledSchedules: troubled === null ? null : [...troubled.schedules],
          troubledScheduleCount: troubled?.count ?? 0,
        };
      });
    },
  );
}

type Transaction = Parameters<typeof listLastRefusals>[0];

async function listRefusedKeys(
  tx: Transaction,
  { organizationId, limit }: { organizationId: string; limit: number },
) {
  const since = new Date(Date.now() - RECENT_DAYS * 24 * 3600 * 1000);
  const { refusals, count } = await listLastRefusals(tx, { organizationId, since, limit });
  const apiKeyIds = refusals.map(({ apiKeyId }) => apiKeyId);
  const names = await listKeyNames(tx, { organizationId, apiKeyIds });
  const keys = refusals.map(({ apiKeyId, refusedAt, route, code }) => {
    return { apiKeyId, name: names.get(apiKeyId) ?? "", refusedAt, route, code };
  });
  return { keys, count };
}
