import { withOrganization } from "@waymark/shared/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findDocument } from "@waymark/shared/journeys/queries.ts";
import { JourneyDocument, RestoreDocumentRequest } from "@waymark/shared/journeys/schema.ts";
import { findVersion } from "@waymark/shared/journeys/versions/queries.ts";
import { wholeNumber } from "@waymark/shared/lib/query-fields.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { applyChangeset } from "./apply-changeset.ts";
import { asSeenBy } from "./as-seen-by.ts";
import { findAuthorizedDocument } from "./authorized-document.ts";
import {
  CHANGE_ERRORS,
  JourneyParams,
  type JourneyRouteDependencies,
  originOf,
  VERSION_MAX,
} from "./route-definitions.ts";

const ArchiveQuery = z.strictObject({
  baseVersion: wholeNumber({ min: 1, max: VERSION_MAX })
    .optional()
    .meta({ description: "The newest version that the caller knows. Default: any." }),
});

/** Restoring and archiving are changesets of one document. */
export function registerJourneyChangeRoutes(app: ZodApp, dependencies: JourneyRouteDependencies): void {
  const { db, authenticate } = dependencies;

  app.post(
    "/api/journeys/:journeyId/restore",
    {
      schema: {
        operationId: "restoreJourney",
        summary: "Make an old text the newest version",
        description: "An archived document is brought back.",
        tags: ["journeys"],
        params: JourneyParams,
        body: RestoreDocumentRequest,
        response: { 200: JourneyDocument, ...CHANGE_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const { version, baseVersion, message } = request.body;
      const { document, text } = await readVersion(request, {
        documentId: request.params.journeyId,
        version,
      });
      await applyChangeset(dependencies, {
        actor: actorOf(request),
        origin: originOf(request),
        changeset: {
          message: message ?? `Restore version ${version}`,
          changes: [{ path: document.path, kind: document.kind, text, baseVersion }],
        },
        idempotencyKey: null,
        ...(document.archivedAt === null ? {} : { revivedId: document.id }),
      });
      return readDocument(request, document.id);
    },
  );

  app.delete(
    "/api/journeys/:journeyId",
    {
      schema: {
        operationId: "archiveJourney",
        summary: "Archive a journey, an overlay or a description",
        description: "Its versions stay and its path is free again. 409 while another document refers to it.",
        tags: ["journeys"],
        params: JourneyParams,
        querystring: ArchiveQuery,
        response: { 200: JourneyDocument, ...CHANGE_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const document = await withOrganization(db, actorOf(request).organizationId, (tx) =>
        findAuthorizedDocument(tx, request, {
          documentId: request.params.journeyId,
          permission: "journeys:write",
        }),
      );
      if (document.archivedAt !== null) return asSeenBy(actorOf(request), document);
      const baseVersion = request.query.baseVersion ?? document.headVersion;
      await applyChangeset(dependencies, {
        actor: actorOf(request),
        origin: originOf(request),
        changeset: { changes: [{ path: document.path, text: null, baseVersion }] },
        idempotencyKey: null,
      });
      return readDocument(request, document.id);
    },
  );

  async function readVersion(
    request: FastifyRequest,
    { documentId, version }: { documentId: string; version: number },
  ): Promise<{ document: JourneyDocument; text: string }> {
    const { organizationId } = actorOf(request);
    return withOrganization(db, organizationId, async (tx) => {
      const document = await findAuthorizedDocument(tx, request, {
        documentId,
        permission: "journeys:write",
      });
      const found = await findVersion(tx, { organizationId, documentId, version });
      if (found === null) throw new AppError("not_found", `The document has no version ${version}.`);
      return { document, text: (await found.readText()).toString("utf8") };
    });
  }

  async function readDocument(request: FastifyRequest, documentId: string): Promise<JourneyDocument> {
    const { organizationId } = actorOf(request);
    const document = await withOrganization(db, organizationId, (tx) =>
      findDocument(tx, { organizationId, documentId }),
    );
    if (document === null) throw new Error("documents are not deleted");
    return asSeenBy(actorOf(request), document);
  }
}
