import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { listLinks, listUsers } from "@waymark/server/journeys/links.queries.ts";
import { listDocuments } from "@waymark/server/journeys/queries.ts";
import { findVersion, listVersions } from "@waymark/server/journeys/versions.queries.ts";
import { VERSION_MAX } from "@waymark/shared/journeys/limits.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { z } from "zod";
import * as operations from "@waymark/shared/journeys/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { EVERY_JOURNEY, mayReadJourney } from "../lib/visible-journeys.ts";
import { asSeenBy, mayReadService } from "./as-seen-by.ts";
import { findAuthorizedDocument } from "./authorized-document.ts";
import { findOrMakeBinding } from "./binding.ts";
import type { JourneyRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

const JOURNEYS = listCursor(IdPosition, { list: "listJourneys" });

const VERSIONS = listCursor(z.int().min(1).max(VERSION_MAX), { list: "listJourneyVersions" });

export function registerJourneyReadRoutes(serve: Serve, { db }: JourneyRouteDependencies): void {
  serve(operations.listJourneys, async (request) => {
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
  });

  serve(operations.getJourney, async (request) => {
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
        // A document that the caller may not read looks as if it did not exist.
        links: links.map((link) =>
          link.documentId === null || mayReadJourney(actor, link.documentId)
            ? link
            : { ...link, documentId: null },
        ),
        usedBy: usedBy.filter(({ id }) => mayReadJourney(actor, id)),
        binding: binding !== null && mayReadService(actor, binding) ? binding : null,
      };
    });
  });

  serve(operations.listJourneyVersions, async (request) => {
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
  });

  serve(operations.getJourneyVersion, async (request, reply) => {
    const { organizationId } = actorOf(request);
    const { journeyId: documentId, version } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      await findAuthorizedDocument(tx, request, { documentId, permission: "journeys:read" });
      const found = await findVersion(tx, { organizationId, documentId, version });
      if (found === null) throw new AppError("not_found", `The document has no version ${version}.`);
      void reply.header("etag", `"${found.version.hash}"`);
      return { ...found.version, text: (await found.readText()).toString("utf8") };
    });
  });
}
