import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { listLinks, listUsers } from "@waymark/shared/journeys/links/queries.ts";
import { listDocuments } from "@waymark/shared/journeys/queries.ts";
import {
  DocumentKind,
  DocumentText,
  DocumentVersionPage,
  JourneyDocumentDetail,
  JourneyDocumentPage,
} from "@waymark/shared/journeys/schema.ts";
import { findVersion, listVersions } from "@waymark/shared/journeys/versions/queries.ts";
import { IdPosition, listCursor } from "@waymark/shared/lib/cursor.ts";
import { flag, optionalFlag, wholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { text } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import { EVERY_JOURNEY, mayReadJourney } from "../lib/visible-journeys.ts";
import { PageQuery } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { asSeenBy, mayReadService } from "./as-seen-by.ts";
import { findAuthorizedDocument } from "./authorized-document.ts";
import { findOrMakeBinding } from "./binding.ts";
import {
  JOURNEY_ERRORS,
  JourneyParams,
  type JourneyRouteDependencies,
  VERSION_MAX,
} from "./route-definitions.ts";

const ListQuery = PageQuery.extend({
  kind: DocumentKind.optional(),
  tag: text({ max: 80 }).optional(),
  template: flag().optional(),
  path: text({ max: 400 }).optional().meta({ description: "The document with this path." }),
  q: text({ max: 200 }).optional().meta({ description: "A part of the path or the title." }),
  archived: optionalFlag().meta({ description: "true lists archived documents, and no others." }),
});
const JOURNEYS = listCursor(IdPosition, { list: "listJourneys" });

const VersionParams = JourneyParams.extend({
  version: wholeNumber({ min: 1, max: VERSION_MAX }),
});
const VERSIONS = listCursor(z.int().min(1).max(VERSION_MAX), { list: "listJourneyVersions" });

export function registerJourneyReadRoutes(app: ZodApp, { db, authenticate }: JourneyRouteDependencies): void {
  app.get(
    "/api/journeys",
    {
      schema: {
        operationId: "listJourneys",
        summary: "List journeys, overlays and descriptions",
        description: "Newest first. A key whose scope is limited to one journey must read it by its id.",
        tags: ["journeys"],
        querystring: ListQuery,
        response: {
          200: JourneyDocumentPage,
          400: JOURNEY_ERRORS[400],
          401: JOURNEY_ERRORS[401],
          403: JOURNEY_ERRORS[403],
        },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      authorize(actor, "journeys:read", EVERY_JOURNEY);
      const { organizationId } = actor;
      const { limit, cursor, kind, tag, template, path, q, archived } = request.query;
      const rows = await withOrganization(db, organizationId, (tx) =>
        listDocuments(tx, {
          organizationId,
          limit,
          afterId: JOURNEYS.read(cursor),
          filter: {
            kind: kind ?? null,
            tag: tag ?? null,
            isTemplate: template ?? null,
            path: path ?? null,
            text: q ?? null,
            isArchived: archived,
          },
        }),
      );
      const { page, nextCursor } = JOURNEYS.page(rows, limit, (document) => document.id);
      return { journeys: [...page], nextCursor };
    },
  );

  app.get(
    "/api/journeys/:journeyId",
    {
      schema: {
        operationId: "getJourney",
        summary: "Read a journey, an overlay or a description",
        description: "Its metadata, what it refers to and what refers to it. Its text is a version's.",
        tags: ["journeys"],
        params: JourneyParams,
        response: { 200: JourneyDocumentDetail, ...JOURNEY_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      return withOrganization(db, organizationId, async (tx) => {
        const documentId = request.params.journeyId;
        const document = await findAuthorizedDocument(tx, request, {
          documentId,
          permission: "journeys:read",
        });
        const links = await listLinks(tx, { organizationId, documentId });
        const usedBy =
          document.archivedAt === null ? await listUsers(tx, { organizationId, paths: [document.path] }) : [];
        const binding = await findOrMakeBinding(tx, { organizationId, document });
        return {
          ...asSeenBy(actor, document),
          // What the caller may not read looks like what does not exist.
          links: links.map((link) =>
            link.documentId === null || mayReadJourney(actor, link.documentId)
              ? link
              : { ...link, documentId: null },
          ),
          usedBy: usedBy.filter(({ id }) => mayReadJourney(actor, id)),
          binding: binding !== null && mayReadService(actor, binding) ? binding : null,
        };
      });
    },
  );

  app.get(
    "/api/journeys/:journeyId/versions",
    {
      schema: {
        operationId: "listJourneyVersions",
        summary: "List a document's versions",
        description: "Newest first.",
        tags: ["journeys"],
        params: JourneyParams,
        querystring: PageQuery,
        response: { 200: DocumentVersionPage, ...JOURNEY_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const { organizationId } = actorOf(request);
      const { limit, cursor } = request.query;
      const documentId = request.params.journeyId;
      const cursors = VERSIONS.below(documentId);
      const before = cursors.read(cursor);
      return withOrganization(db, organizationId, async (tx) => {
        await findAuthorizedDocument(tx, request, { documentId, permission: "journeys:read" });
        const rows = await listVersions(tx, { organizationId, documentId, limit, before });
        const { page, nextCursor } = cursors.page(rows, limit, ({ version }) => version);
        return { versions: [...page], nextCursor };
      });
    },
  );

  app.get(
    "/api/journeys/:journeyId/versions/:version",
    {
      schema: {
        operationId: "getJourneyVersion",
        summary: "Read the text of a version",
        description: "A version never changes: its ETag is the hash of its bytes.",
        tags: ["journeys"],
        params: VersionParams,
        response: { 200: DocumentText, ...JOURNEY_ERRORS },
      },
      config: { revalidates: true },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const { organizationId } = actorOf(request);
      const { journeyId: documentId, version } = request.params;
      return withOrganization(db, organizationId, async (tx) => {
        await findAuthorizedDocument(tx, request, { documentId, permission: "journeys:read" });
        const found = await findVersion(tx, { organizationId, documentId, version });
        if (found === null) throw new AppError("not_found", `The document has no version ${version}.`);
        void reply.header("etag", `"${found.version.hash}"`);
        return { ...found.version, text: (await found.readText()).toString("utf8") };
      });
    },
  );
}
