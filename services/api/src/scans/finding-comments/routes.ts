import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import {
  deleteComment,
  findComment,
  insertComment,
  listComments,
} from "@waymark/server/scans/finding-comments/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import * as operations from "@waymark/shared/scans/finding-comments/operations.ts";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { refuseCredentials } from "../../lib/refuse-credentials.ts";
import { authorizeService } from "../decidable-service.ts";

const CURSORS = listCursor(IdPosition, { list: "listFindingComments" });

/** Registers the routes that list, add and delete comments on findings. */
export function registerFindingCommentRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.listFindingComments, (request) => {
    const reader = actorOf(request);
    const { organizationId } = reader;
    const { fingerprint, limit, cursor } = request.query;
    const afterId = CURSORS.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const { id: serviceId } = await authorizeService(tx, request, "endpoints:read", request.query);
      const finding = { organizationId, serviceId, fingerprint };
      const rows = await listComments(tx, finding, { reader, limit, afterId });
      const { page, nextCursor } = CURSORS.page(rows, limit, ({ id }) => id);
      return { comments: [...page], nextCursor };
    });
  });

  serve(operations.createFindingComment, async (request, reply) => {
    const author = actorOf(request);
    const { organizationId } = author;
    const { fingerprint, text } = request.body;
    refuseCredentials({ text });
    const comment = await withOrganization(db, organizationId, async (tx) => {
      const { id: serviceId } = await authorizeService(tx, request, "findings:decide", request.body);
      const stored = await insertComment(tx, { organizationId, serviceId, fingerprint }, { text, author });
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "finding_comment.created",
        details: { commentId: stored.id, serviceId, fingerprint },
        ...auditOriginOf(request),
      });
      return stored;
    });
    return reply.code(201).send(comment);
  });

  serve(operations.deleteFindingComment, async (request, reply) => {
    const reader = actorOf(request);
    const { organizationId } = reader;
    const { commentId } = request.params;
    await withOrganization(db, organizationId, async (tx) => {
      const found = await findComment(tx, { organizationId, commentId }, reader);
      const target = { serviceId: found?.serviceId, what: "comment" };
      const { id: serviceId } = await authorizeService(tx, request, "findings:decide", target);
      if (found?.isOwn !== true)
        throw new AppError("not_the_author", "Only its author can delete a comment.");
      await deleteComment(tx, { organizationId, commentId });
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "finding_comment.deleted",
        details: { commentId, serviceId, fingerprint: found.fingerprint },
        ...auditOriginOf(request),
      });
    });
    return reply.code(204).send(null);
  });
}
