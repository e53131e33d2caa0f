import { Readable } from "node:stream";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { listCursor } from "@waymark/server/lib/cursor.ts";
import type { FindingFilter } from "@waymark/server/scans/current-findings/current-rules.queries.ts";
import { type ListedFinding, listCurrentFindings } from "@waymark/server/scans/current-findings/queries.ts";
import { summarizeCurrentFindings } from "@waymark/server/scans/current-findings/summary.queries.ts";
import {
  type CurrentFinding,
  EXPORT_FINDINGS_MAX,
  FindingSummary,
} from "@waymark/shared/scans/current-findings/schema.ts";
import { findAssignees } from "@waymark/server/scans/finding-assignments/assignee.queries.ts";
import { withOwners } from "@waymark/server/services/owners.queries.ts";
import { createDescriber } from "@waymark/server/scans/finding-decisions/describe-findings.ts";
import { FindingPosition, positionOfFinding } from "@waymark/server/scans/current-findings/position.ts";
import * as operations from "@waymark/shared/scans/current-findings/operations.ts";
import type { FindingFilterFields } from "@waymark/shared/scans/current-findings/operations.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { narrowServices, visibleServices } from "../../lib/visible-services.ts";
import { wantedAssignee } from "../wanted-assignee.ts";
import { exportFindings, MEDIA_TYPES } from "./export-findings.ts";
import type { Serve } from "../../lib/serve.ts";

const CURSORS = listCursor(FindingPosition, { list: "listFindings" });

export function registerCurrentFindingRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.listFindings, (request) => {
    const actor = actorOf(request);
    const { limit, cursor } = request.query;
    const after = CURSORS.read(cursor);
    return withOrganization(db, actor.organizationId, async (tx) => {
      const filter = await findFilter(tx, actor, request.query);
      const listed = await listDescribed(tx, { ...filter, searched: request.query.q ?? null, limit, after });
      const { page, nextCursor } = CURSORS.page(listed, limit, (each) => positionOfFinding(each.listed));
      return { findings: page.map(({ finding }) => finding), nextCursor };
    });
  });

  serve(operations.summarizeFindings, (request) => {
    const actor = actorOf(request);
    return withOrganization(db, actor.organizationId, async (tx) => summarize(tx, actor, request.query));
  });

  serve(operations.exportFindings, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { format, q } = request.query;
    const filter = await withOrganization(db, organizationId, async (tx) => {
      const wanted = await findFilter(tx, actor, request.query);
      const { findingCount } = await summarizeCurrentFindings(tx, { ...wanted, serviceId: null });
      if (findingCount > EXPORT_FINDINGS_MAX) throw tooMany(findingCount);
      return wanted;
    });
    const readPage = (page: { limit: number; after: FindingPosition | null }) =>
      withOrganization(db, organizationId, (tx) =>
        listDescribed(tx, { ...filter, ...page, searched: q ?? null }),
      );
    return reply
      .type(MEDIA_TYPES[format])
      .header("content-disposition", `attachment; filename="findings.${format}"`)
      .send(Readable.from(exportFindings(readPage, format)));
  });
}

/** Lists findings with their descriptions. */
async function listDescribed(
  tx: DatabaseTransactionConnection,
  page: Parameters<typeof listCurrentFindings>[1],
): Promise<{ listed: ListedFinding; finding: CurrentFinding }[]> {
  const { organizationId } = page;
  const listed = await listCurrentFindings(tx, page);
  const owned = await withOwners(tx, { organizationId, rows: listed });
  const describe = await createDescriber(tx, {
    organizationId,
    serviceIds: listed.map(({ serviceId }) => serviceId),
    codes: listed.map(({ code }) => code),
  });
  const described = owned.map((each) => ({ each, description: describe(each.serviceId, each) }));
  const assigneeOf = await findAssignees(tx, {
    organizationId,
    findings: described.map(({ each: { serviceId }, description: { fingerprint } }) => ({
      serviceId,
      fingerprint,
    })),
  });
  return described.map(({ each: { ownerTeam, ...each }, description }) => {
    const { serviceId, serviceName, scanRunId, index, code, severity, message, method, path, dueOn } = each;
    const own = {
      serviceId,
      serviceName,
      ownerTeam,
      scanRunId,
      index,
      code,
      severity,
      message,
      method,
      path,
      dueOn,
      isOverdue: each.isPastDue && description.decision === null,
    };
    const assignee = assigneeOf({ serviceId, fingerprint: description.fingerprint });
    return { listed: each, finding: { ...description, ...own, assignee } };
  });
}

async function summarize(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { serviceId, ...fields }: FindingFilterFields,
): Promise<FindingSummary> {
  const filter = await findFilter(tx, actor, fields);
  return summarizeCurrentFindings(tx, { ...filter, serviceId: serviceId ?? null });
}

async function findFilter(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { severity, code, serviceId, firstSeen, state, due, assignee, ...ofServices }: FindingFilterFields,
): Promise<FindingFilter> {
  const visible = await visibleServices(tx, actor, "endpoints:read", ofServices);
  return {
    organizationId: actor.organizationId,
    serviceIds: narrowServices(visible, serviceId),
    severity: severity ?? null,
    code: code ?? null,
    age: firstSeen ?? null,
    state: state ?? null,
    due: due ?? null,
    assignee: wantedAssignee(actor, assignee),
  };
}

function tooMany(count: number): AppError {
  const [found, most] = [count, EXPORT_FINDINGS_MAX].map((each) => each.toLocaleString("en"));
  return new AppError(
    "validation_failed",
    `An export has at most ${most} findings, and ${found} pass these filters. Filter by severity, rule, service or age.`,
  );
}
