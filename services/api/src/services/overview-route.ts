import { listExpiringKeys } from "@waymark/server/api-keys/expiring.queries.ts";
import { denial } from "@waymark/shared/api-keys/authorize.ts";
import { listKeyNames } from "@waymark/server/api-keys/queries.ts";
import { listLastRefusals } from "@waymark/server/audit/queries.ts";
import { listFailingAndRecoveredJourneys } from "@waymark/server/journey-runs/failing.queries.ts";
import { listTroubledSchedules } from "@waymark/server/journey-schedules/failing.queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { listDailyBreaks } from "@waymark/server/services/breaks.queries.ts";
import { countServiceNumbers, listRecordedDays } from "@waymark/server/services/overview-days.queries.ts";
import {
  countPendingServices,
  listConcerns,
  listDailyTotals,
  listNewServices,
  sumCurrentRuns,
} from "@waymark/server/services/overview.queries.ts";
import { judgeCurrentFindings } from "@waymark/server/services/judged-findings.queries.ts";
import { EXPIRING_DAYS, Overview, RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import { withOwners } from "@waymark/server/services/owners.queries.ts";
import { actorOf } from "../lib/authenticate.ts";
import { EVERY_JOURNEY } from "../lib/visible-journeys.ts";
import { EVERY_SERVICE, visibleServices } from "../lib/visible-services.ts";
import type { Serve } from "../lib/serve.ts";

export function registerOverviewRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.getOverview, (request): Promise<Overview> => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { rows } = request.query;
    const list = { organizationId, limit: rows };
    const maySeeKeys = denial(actor, ["api-keys:read"], { resourceType: "api_key" }) === undefined;
    const maySeeJourneys = denial(actor, ["journeys:read"], EVERY_JOURNEY) === undefined;
    const maySeeCoverage = maySeeJourneys && denial(actor, ["endpoints:read"], EVERY_SERVICE) === undefined;
    const maySeeRefusals = maySeeKeys && denial(actor, ["audit:read"], {}) === undefined;
    return withOrganization(db, organizationId, async (tx) => {
      const serviceIds = await visibleServices(tx, actor, "services:read", request.query);
      const visible = { organizationId, serviceIds };
      const { serviceCount, endpointCount, findingsBySeverity } = await sumCurrentRuns(tx, visible);
      const days = serviceIds === null ? await listDailyTotals(tx, { organizationId }) : null;
      const dailyBreaks = serviceIds === null ? await listDailyBreaks(tx, { organizationId }) : null;
      const judged = await judgeCurrentFindings(tx, { ...visible, rows });
      const { concerns, counts } = await listConcerns(tx, { ...visible, rows });
      const numbers = await countServiceNumbers(tx, { ...visible, counts });
      const history = { organizationId, withCoverage: maySeeCoverage };
      const recordedDays = serviceIds === null ? await listRecordedDays(tx, history) : null;
      const pendingServiceCount = await countPendingServices(tx, visible);
      const added = await listNewServices(tx, { ...visible, rows });
      const expiring = maySeeKeys ? await listExpiringKeys(tx, { ...list, days: EXPIRING_DAYS }) : null;
      const refused = maySeeRefusals ? await listRefusedKeys(tx, list) : null;
      const journeys = maySeeJourneys ? await listFailingAndRecoveredJourneys(tx, list) : null;
      const troubled = maySeeJourneys ? await listTroubledSchedules(tx, list) : null;
      return {
        ...numbers,
        recordedDays,
        serviceCount,
        endpointCount,
        findingCount: Object.values(findingsBySeverity).reduce((sum, count) => sum + count, 0),
        findingsBySeverity,
        ...judged,
        overdueServices: await withOwners(tx, { organizationId, rows: judged.overdueServices }),
        days,
        dailyBreaks,
        concerns: await withOwners(tx, { organizationId, rows: concerns }),
        concernCounts: counts,
        pendingServiceCount,
        newServices: await withOwners(tx, { organizationId, rows: added.services }),
        newServiceCount: added.count,
        expiringKeys: expiring === null ? null : [...expiring.keys],
        expiringKeyCount: expiring?.count ?? 0,
        refusedKeys: refused?.keys ?? null,
        refusedKeyCount: refused?.count ?? 0,
        failingJourneys: journeys?.failing.journeys ?? null,
        failingJourneyCount: journeys?.failing.count ?? 0,
        recoveredJourneys: journeys?.recovered.journeys ?? null,
        recoveredJourneyCount: journeys?.recovered.count ?? 0,
        troubledSchedules: troubled === null ? null : [...troubled.schedules],
        troubledScheduleCount: troubled?.count ?? 0,
      };
    });
  });
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
