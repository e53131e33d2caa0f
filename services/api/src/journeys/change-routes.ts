import { withOrganization } from "@waymark/server/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findDocument } from "@waymark/server/journeys/queries.ts";
import { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { findVersion } from "@waymark/server/journeys/versions.queries.ts";
import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/journeys/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { applyChangeset } from "./apply-changeset.ts";
import { asSeenBy } from "./as-seen-by.ts";
import { findAuthorizedDocument } from "./authorized-document.ts";
import { type JourneyRouteDependencies, originOf } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

/** Restoring and archiving are changesets of one document. */
export function registerJourneyChangeRoutes(serve: Serve, dependencies: JourneyRouteDependencies): void {
  const { db } = dependencies;

  serve(operations.restoreJourney, async (request) => {
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
  });

  serve(operations.archiveJourney, async (request) => {
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
  });

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
