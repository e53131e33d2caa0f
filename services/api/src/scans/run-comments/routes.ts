import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { findScanRun, type FoundScanRun } from "@waymark/server/scans/queries.ts";
import {
  deleteRunComment,
  findRunComment,
  insertRunComment,
  listRunComments,
  updateRunComment,
} from "@waymark/server/scans/run-comments/queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import * as operations from "@waymark/shared/scans/run-comments/operations.ts";
import type { ScanRunComment } from "@waymark/shared/scans/run-comments/schema.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { refuseCredentials } from "../../lib/refuse-credentials.ts";
import type { RequestOf, Serve } from "../../lib/serve.ts";
import { serviceOfRun } from "../../lib/visible-services.ts";
import { authorizedRun } from "../authorized-run.ts";

const CURSORS = listCursor(IdPosition, { list: "listScanRunComments" });

/** Registers the routes that list, add, change and delete comments on scan runs. */
export function registerRunCommentRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  registerListRoute(serve, { db });
  registerCreateRoute(serve, { db });

  serve(operations.updateScanRunComment, (request) => {
    const { organizationId } = actorOf(request);
    const { text } = request.body;
    refuseCredentials({ text });
    return withOrganization(db, organizationId, async (tx) => {
      const { run, comment } = await commentOf(tx, request);
      if (!comment.isOwn) throw new AppError("not_the_author", "Only its author can change a comment.");
      const { id: commentId } = comment;
      await updateRunComment(tx, { organizationId, scanRunId: run.id, commentId }, text);
      await record(tx, request, { run, commentId, action: "scan_run_comment.updated" });
      return (await commentOf(tx, request)).comment;
    });
  });

  serve(operations.deleteScanRunComment, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    await withOrganization(db, organizationId, async (tx) => {
      const { run, comment } = await commentOf(tx, request);
      if (!comment.isOwn) authorize(actor, "principals:manage", serviceOfRun(run));
      const { id: commentId } = comment;
      await deleteRunComment(tx, { organizationId, scanRunId: run.id, commentId });
      await record(tx, request, { run, commentId, action: "scan_run_comment.deleted" });
    });
    return reply.code(204).send(null);
  });
}

function registerListRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.listScanRunComments, (request) => {
    const reader = actorOf(request);
    const { organizationId } = reader;
    const { scanRunId } = request.params;
    const { limit, cursor } = request.query;
    const ofRun = CURSORS.below(scanRunId);
    const afterId = ofRun.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const found = await findScanRun(tx, { organizationId, scanRunId });
      const { id } = authorizedRun(request, "endpoints:read", found);
      const rows = await listRunComments(tx, { organizationId, scanRunId: id }, { reader, limit, afterId });
      const { page, nextCursor } = ofRun.page(rows, limit, (comment) => comment.id);
      return { comments: [...page], nextCursor };
    });
  });
}

function registerCreateRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.createScanRunComment, async (request, reply) => {
    const author = actorOf(request);
    const { organizationId } = author;
    const { scanRunId } = request.params;
    const { text } = request.body;
    refuseCredentials({ text });
    const comment = await withOrganization(db, organizationId, async (tx) => {
      const found = await findScanRun(tx, { organizationId, scanRunId });
      const run = authorizedRun(request, "findings:decide", found);
      const ref = { organizationId, scanRunId: run.id };
      const commentId = await insertRunComment(tx, ref, { text, author });
      await record(tx, request, { run, commentId, action: "scan_run_comment.created" });
      return existing(await findRunComment(tx, { ...ref, commentId }, author));
    });
    return reply.code(201).send(comment);
  });
}

/** Finds the comment of a request, for a key that may write on its run. @throws AppError `permission_denied` or `not_found` */
async function commentOf(
  tx: DatabaseTransactionConnection,
  request: RequestOf<typeof operations.deleteScanRunComment>,
): Promise<{ run: FoundScanRun; comment: ScanRunComment }> {
  const reader = actorOf(request);
  const { organizationId } = reader;
  const { scanRunId, commentId } = request.params;
  const found = await findScanRun(tx, { organizationId, scanRunId });
  const run = authorizedRun(request, "findings:decide", found);
  const comment = await findRunComment(tx, { organizationId, scanRunId: run.id, commentId }, reader);
  return { run, comment: existing(comment) };
}

function existing(comment: ScanRunComment | null): ScanRunComment {
  if (comment === null) throw new AppError("not_found", "There is no comment with this id on this run.");
  return comment;
}

function record(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  change: {
    run: FoundScanRun;
    commentId: string;
    action: "scan_run_comment.created" | "scan_run_comment.updated" | "scan_run_comment.deleted";
  },
): Promise<void> {
  const { run, commentId, action } = change;
  return insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId: actorOf(request).organizationId,
    apiKeyId: null,
    action,
    details: { commentId, scanRunId: run.id, serviceId: run.serviceId },
    ...auditOriginOf(request),
  });
}
