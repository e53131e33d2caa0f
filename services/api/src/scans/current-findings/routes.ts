import { Readable } from "node:stream";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { listCursor } from "@waymark/shared/lib/cursor.ts";
import { text, Uuid } from "@waymark/shared/lib/schema.ts";
import {
  type FindingFilter,
  listCurrentFindings,
  summarizeCurrentFindings,
} from "@waymark/shared/scans/current-findings/queries.ts";
import {
  CurrentFindingPage,
  EXPORT_FINDINGS_MAX,
  ExportFormat,
  FINDING_SEARCH_MAX,
  FindingAge,
  FindingSummary,
} from "@waymark/shared/scans/current-findings/schema.ts";
import { FindingPosition, positionOfFinding } from "@waymark/shared/scans/current-findings/position.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { Severity } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { actorOf, type Authenticate } from "../../lib/authenticate.ts";
import { PageQuery } from "../../lib/paging.ts";
import { visibleServices } from "../../lib/visible-services.ts";
import type { ZodApp } from "../../lib/zod-routes.ts";
import { exportFindings, MEDIA_TYPES, toCurrentFinding } from "./export-findings.ts";

const CURSORS = listCursor(FindingPosition, { list: "listFindings" });

const Filter = z.strictObject({
  severity: Severity.optional(),
  code: text({ max: SCAN_LIMITS.codeMax }).optional().meta({ description: "The code of the rule." }),
  serviceId: Uuid.optional(),
  firstSeen: FindingAge.optional(),
});
type Filter = z.infer<typeof Filter>;

const SearchedText = {
  q: text({ min: 1, max: FINDING_SEARCH_MAX }).optional().meta({
    description:
      "Words of a message, a method or a path, or their beginnings, in any case: `get pay` finds those of GET /v1/payments.",
  }),
};

const PageOfFindings = PageQuery.extend({
  ...Filter.shape,
  ...SearchedText,
});
const ExportQuery = Filter.extend({ ...SearchedText, format: ExportFormat });

const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse };
const WHOSE = "A key whose scope is limited to services gets the findings of these services only.";

export function registerCurrentFindingRoutes(
  app: ZodApp,
  { db, authenticate }: { db: DatabasePool; authenticate: Authenticate },
): void {
  app.get(
    "/api/findings",
    {
      schema: {
        operationId: "listFindings",
        summary: "List the findings of all services",
        description: `Those of their current runs: the most severe first, then by rule, service, the day when they were first seen, and path. ${WHOSE}`,
        tags: ["scans"],
        querystring: PageOfFindings,
        response: { 200: CurrentFindingPage, ...errors },
      },
      onRequest: authenticate,
    },
    (request) => {
      const actor = actorOf(request);
      const { limit, cursor } = request.query;
      const after = CURSORS.read(cursor);
      return withOrganization(db, actor.organizationId, async (tx) => {
        const filter = await findFilter(tx, actor, request.query);
        const { page, nextCursor } = CURSORS.page(
          await listCurrentFindings(tx, { ...filter, searched: request.query.q ?? null, limit, after }),
          limit,
          positionOfFinding,
        );
        return { findings: page.map(toCurrentFinding), nextCursor };
      });
    },
  );

  app.get(
    "/api/findings/summary",
    {
      schema: {
        operationId: "summarizeFindings",
        summary: "Count the findings of all services",
        description: `Those of their current runs, by severity, rule and service. ${WHOSE}`,
        tags: ["scans"],
        querystring: Filter,
        response: { 200: FindingSummary, ...errors },
      },
      onRequest: authenticate,
    },
    (request) => {
      const actor = actorOf(request);
      return withOrganization(db, actor.organizationId, async (tx) => summarize(tx, actor, request.query));
    },
  );

  app.get(
    "/api/findings/export",
    {
      schema: {
        operationId: "exportFindings",
        summary: "Export the findings of all services",
        description:
          `Those of their current runs, at most ${EXPORT_FINDINGS_MAX.toLocaleString("en")}: if more pass the filters, with or without ` +
          `\`q\`, the request is refused. A service that is scanned meanwhile can be in it with the findings of both scans. ${WHOSE}`,
        tags: ["scans"],
        querystring: ExportQuery,
        // A stream, which is sent as it is.
        response: { 200: z.unknown().meta({ type: "string" }), ...errors },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { format, q } = request.query;
      const filter = await withOrganization(db, organizationId, async (tx) => {
        const { findingCount } = await summarize(tx, actor, request.query);
        if (findingCount > EXPORT_FINDINGS_MAX) throw tooMany(findingCount);
        return findFilter(tx, actor, request.query);
      });
      const readPage = (page: { limit: number; after: FindingPosition | null }) =>
        withOrganization(db, organizationId, (tx) =>
          listCurrentFindings(tx, { ...filter, ...page, searched: q ?? null }),
        );
      return reply
        .type(MEDIA_TYPES[format])
        .header("content-disposition", `attachment; filename="findings.${format}"`)
        .send(Readable.from(exportFindings(readPage, format)));
    },
  );
}

async function summarize(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { severity, code, serviceId, firstSeen }: Filter,
): Promise<FindingSummary> {
  const serviceIds = await visibleServices(tx, actor, "endpoints:read");
  return summarizeCurrentFindings(tx, {
    organizationId: actor.organizationId,
    serviceIds,
    severity: severity ?? null,
    code: code ?? null,
    age: firstSeen ?? null,
    serviceId: serviceId ?? null,
  });
}

async function findFilter(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { severity, code, serviceId, firstSeen }: Filter,
): Promise<FindingFilter> {
  const visible = await visibleServices(tx, actor, "endpoints:read");
  return {
    organizationId: actor.organizationId,
    serviceIds: narrow(visible, serviceId),
    severity: severity ?? null,
    code: code ?? null,
    age: firstSeen ?? null,
  };
}

/** A service that the key can't read has no findings for it, like one that does not exist. */
function narrow(visible: readonly string[] | null, serviceId: string | undefined): readonly string[] | null {
  if (serviceId === undefined) return visible;
  const wanted = serviceId.toLowerCase();
  return visible === null || visible.includes(wanted) ? [wanted] : [];
}

function tooMany(count: number): AppError {
  const [found, most] = [count, EXPORT_FINDINGS_MAX].map((each) => each.toLocaleString("en"));
  return new AppError(
    "validation_failed",
    `An export has at most ${most} findings, and ${found} pass these filters. Filter by severity, rule, service or age.`,
  );
}
