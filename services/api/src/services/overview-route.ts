import { denial } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { listDailyBreaks } from "@waymark/server/services/breaks.queries.ts";
import { judgeCurrentFindings } from "@waymark/server/services/judged-findings.queries.ts";
import { countServiceNumbers, listRecordedDays } from "@waymark/server/services/overview-days.queries.ts";
import {
  countPendingServices,
  listConcerns,
  listDailyTotals,
  listNewServices,
  sumCurrentRuns,
} from "@waymark/server/services/overview.queries.ts";
import { withOwners } from "@waymark/server/services/owners.queries.ts";
import { listSnoozes } from "@waymark/server/services/snoozes.queries.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import { eventOfNewService, eventOfOverdue } from "@waymark/shared/services/snoozes/item-event.ts";
import type { SnoozableKind } from "@waymark/shared/services/snoozes/schema.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { EVERY_JOURNEY } from "../lib/visible-journeys.ts";
import { EVERY_SERVICE, visibleServices } from "../lib/visible-services.ts";
import {
  keepConcerns,
  listJourneys,
  listKeysThatExpire,
  listRefusedKeys,
  listSchedules,
} from "./overview-lists.ts";
import { splitSnoozed } from "./snoozes/split-snoozed.ts";

const CONCERNS = [
  "breaking",
  "removed",
  "gates",
  "held",
  "failed",
  "severe",
] as const satisfies SnoozableKind[];

export function registerOverviewRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.getOverview, (request): Promise<Overview> => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { rows, snoozed: isOfSnoozed } = request.query;
    const maySeeKeys = denial(actor, ["api-keys:read"], { resourceType: "api_key" }) === undefined;
    const maySeeJourneys = denial(actor, ["journeys:read"], EVERY_JOURNEY) === undefined;
    const maySeeCoverage = maySeeJourneys && denial(actor, ["endpoints:read"], EVERY_SERVICE) === undefined;
    const maySeeRefusals = maySeeKeys && denial(actor, ["audit:read"], {}) === undefined;
    return withOrganization(db, organizationId, async (tx) => {
      const { userId } = actor;
      const snoozes = userId === undefined ? [] : await listSnoozes(tx, { organizationId, userId });
      const split = splitSnoozed(snoozes, { rows, isOfSnoozed });
      const serviceIds = await visibleServices(tx, actor, "services:read", request.query);
      const visible = { organizationId, serviceIds };
      const { serviceCount, endpointCount, findingsBySeverity } = await sumCurrentRuns(tx, visible);
      const days = serviceIds === null ? await listDailyTotals(tx, { organizationId }) : null;
      const dailyBreaks = serviceIds === null ? await listDailyBreaks(tx, { organizationId }) : null;
      const judged = await judgeCurrentFindings(tx, { ...visible, rows: split.rowsFor("overdueServices") });
      const overdue = split.keep({
        rows: judged.overdueServices,
        count: judged.overdueServiceCount,
        eventOf: eventOfOverdue,
      });
      const { concerns, counts } = await listConcerns(tx, { ...visible, rows: split.rowsFor(...CONCERNS) });
      const shown = keepConcerns(split, { concerns, counts });
      // Snoozing changes no numbers of the organization.
      const numbers = await countServiceNumbers(tx, { ...visible, counts });
      const history = { organizationId, withCoverage: maySeeCoverage };
      const recordedDays = serviceIds === null ? await listRecordedDays(tx, history) : null;
      const pendingServiceCount = await countPendingServices(tx, visible);
      const all = await listNewServices(tx, { ...visible, rows: split.rowsFor("newServices") });
      const added = split.keep({ rows: all.services, count: all.count, eventOf: eventOfNewService });
      const keys = maySeeKeys ? await listKeysThatExpire(tx, { organizationId, split }) : null;
      const refused = maySeeRefusals ? await listRefusedKeys(tx, { organizationId, split }) : null;
      const journeys = maySeeJourneys ? await listJourneys(tx, { organizationId, split }) : null;
      const troubled = maySeeJourneys ? await listSchedules(tx, { organizationId, split }) : null;
      return {
        ...numbers,
        recordedDays,
        serviceCount,
        endpointCount,
        findingCount: Object.values(findingsBySeverity).reduce((sum, count) => sum + count, 0),
        findingsBySeverity,
        ...judged,
        overdueServices: await withOwners(tx, { organizationId, rows: overdue.rows }),
        overdueServiceCount: overdue.count,
        days,
        dailyBreaks,
        concerns: await withOwners(tx, { organizationId, rows: shown.concerns }),
        concernCounts: shown.counts,
        pendingServiceCount,
        newServices: await withOwners(tx, { organizationId, rows: added.rows }),
        newServiceCount: added.count,
        expiringKeys: keys?.rows ?? null,
        expiringKeyCount: keys?.count ?? 0,
        refusedKeys: refused?.rows ?? null,
        refusedKeyCount: refused?.count ?? 0,
        failingJourneys: journeys?.failing.rows ?? null,
        failingJourneyCount: journeys?.failing.count ?? 0,
        recoveredJourneys: journeys?.recovered.rows ?? null,
        recoveredJourneyCount: journeys?.recovered.count ?? 0,
        troubledSchedules: troubled?.rows ?? null,
        troubledScheduleCount: troubled?.count ?? 0,
        snoozes: split.found(),
      };
    });
  });
}
