import { withOrganization } from "@waymark/server/db/organization.ts";
import { findEnvironment } from "@waymark/server/environments/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type {
  CoveredCriterion,
  CoveredOperation,
  CriterionState,
} from "@waymark/shared/journey-coverage/schema.ts";
import { type ListCursor, listCursor } from "@waymark/server/lib/cursor.ts";
import { findService } from "@waymark/server/services/queries.ts";
import { z } from "zod";
import { getJourneyCoverage } from "@waymark/shared/journey-coverage/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import {
  positionOf,
  readCoverage,
  sharesOf,
  type WholeCoverage,
} from "@waymark/server/journey-coverage/read/read-coverage.ts";
import type { CoverageRouteDependencies } from "./route-definitions.ts";
import { viewOf } from "./view.ts";
import type { Serve } from "../lib/serve.ts";

const DAY_MS = 86_400_000;

const CRITERIA = listCursor(z.string(), { list: "getJourneyCoverage", name: "criteriaCursor" });
const OPERATIONS = listCursor(z.string(), { list: "getJourneyCoverage", name: "operationsCursor" });

const NO_LISTS = { criteria: [], operations: [] };

/** `GET /api/journey-coverage`: what runs of the current versions have proved and called lately. */
export function registerCoverageRoute(serve: Serve, { db }: CoverageRouteDependencies): void {
  serve(getJourneyCoverage, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { window, environmentId, serviceId, origin, severity, gaps, totals, ...page } = request.query;
    const since = new Date(Date.now() - window * DAY_MS).toISOString();
    const whole = await withOrganization(db, organizationId, async (tx) => {
      const service = serviceId === undefined ? null : await findService(tx, { organizationId, serviceId });
      const view = await viewOf(tx, actor, { serviceId, service, environmentId });
      if (serviceId !== undefined && service === null)
        throw new AppError("not_found", "There is no service with this id.");
      if (
        environmentId !== undefined &&
        (await findEnvironment(tx, { organizationId, environmentId })) === null
      )
        throw new AppError("not_found", "There is no environment with this id.");
      const filter = {
        journeyIds: view.journeyIds,
        organizationId,
        since,
        environmentId: environmentId ?? null,
        origin: origin ?? null,
        serviceId: serviceId ?? null,
      };
      return readCoverage(tx, filter, {
        service,
        severity: severity ?? null,
        view,
        onlyTotals: totals,
      });
    });
    return {
      windowDays: window,
      since,
      ...summaryOf(whole),
      ...(totals ? NO_LISTS : pagesOf(gaps ? gapsOf(whole) : whole, page)),
    };
  });
}

function summaryOf(whole: WholeCoverage) {
  const count = (state: CriterionState) =>
    whole.criteria.filter((criterion) => criterion.state === state).length;
  return {
    shares: sharesOf(whole),
    criteriaByState: {
      proven: count("proven"),
      failed: count("failed"),
      stale: count("stale"),
      notRun: count("notRun"),
      unproven: count("unproven"),
    },
    notInInventoryCount: whole.operations.filter(({ state }) => state === "notInInventory").length,
  };
}

function gapsOf({ criteria, operations, ...rest }: WholeCoverage): WholeCoverage {
  return {
    ...rest,
    criteria: criteria.filter(({ state }) => state !== "proven"),
    operations: operations.filter(({ state }) => state !== "asserted"),
  };
}

function pagesOf(
  { criteria, operations }: Pick<WholeCoverage, "criteria" | "operations">,
  {
    limit,
    criteriaCursor,
    operationsCursor,
  }: { limit: number; criteriaCursor?: string | undefined; operationsCursor?: string | undefined },
) {
  const first = pageOf(CRITERIA, criteria, { limit, cursor: criteriaCursor });
  const second = pageOf(OPERATIONS, operations, { limit, cursor: operationsCursor });
  return {
    criteria: first.items,
    criteriaCursor: first.nextCursor,
    operations: second.items,
    operationsCursor: second.nextCursor,
  };
}

function pageOf<Item extends CoveredCriterion | CoveredOperation>(
  cursors: ListCursor<string>,
  items: readonly Item[],
  { limit, cursor }: { limit: number; cursor: string | undefined },
): { items: Item[]; nextCursor: string | undefined } {
  const after = cursors.read(cursor);
  const rest = after === null ? items : items.filter((item) => positionOf(item) > after);
  const { page, nextCursor } = cursors.page(rest, limit, positionOf);
  return { items: [...page], nextCursor };
}
