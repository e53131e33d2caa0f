import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findDocument } from "@waymark/server/journeys/queries.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "../lib/authenticate.ts";

/** @throws AppError `permission_denied`, the same whether the document exists or not, or `not_found` */
export async function findAuthorizedDocument(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  { documentId, permission }: { documentId: string; permission: Permission },
): Promise<JourneyDocument> {
  const actor = actorOf(request);
  const document = await findDocument(tx, { organizationId: actor.organizationId, documentId });
  authorize(actor, permission, document === null ? {} : { workflowId: document.id });
  if (document === null) throw new AppError("not_found", "There is no journey with this id.");
  return document;
}
