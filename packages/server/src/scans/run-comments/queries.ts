import { type DatabaseTransactionConnection, ForeignKeyIntegrityConstraintViolationError, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { RUN_COMMENT_LIMITS } from "@waymark/shared/scans/run-comments/limits.ts";
import type { ScanRunComment } from "@waymark/shared/scans/run-comments/schema.ts";
import { PRINCIPAL_SUMMARY } from "../../db/principal-summary.ts";
import { CommentRow, isOwn, JOIN_AUTHOR, type Reader, toWrittenComment } from "../comment-author.queries.ts";

const RunCommentRow = CommentRow.extend({ edited_at: z.string().nullable() });

interface RunRef {
  organizationId: string;
  scanRunId: string;
}

/** Lists the comments on a run, oldest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listRunComments(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: RunRef,
  options: { reader: Reader; limit: number; afterId: string | null; id?: string },
): Promise<ScanRunComment[]> {
  const { reader, limit, afterId, id = null } = options;
  const rows = await tx.any(sql.type(RunCommentRow)`
    SELECT c.id, c.text, c.created_by_key_id, ${PRINCIPAL_SUMMARY} AS author, c.created_at, c.edited_at, ${isOwn(reader)}
    FROM scan_run_comments c
    ${JOIN_AUTHOR}
    WHERE c.organization_id = ${organizationId} AND c.scan_run_id = ${scanRunId}
      AND (${afterId}::uuid IS NULL OR c.id > ${afterId}::uuid) AND (${id}::uuid IS NULL OR c.id = ${id}::uuid)
    ORDER BY c.id
    LIMIT ${limit + 1}`);
  return rows.map((row) => ({ ...toWrittenComment(row), editedAt: row.edited_at }));
}

/** Finds a comment on a run. */
export async function findRunComment(
  tx: DatabaseTransactionConnection,
  { commentId: id, ...run }: RunRef & { commentId: string },
  reader: Reader,
): Promise<ScanRunComment | null> {
  const [found] = await listRunComments(tx, run, { reader, limit: 1, afterId: null, id });
  return found ?? null;
}

/** Stores a comment. @throws AppError `limit_reached`, or `not_found` if the run was deleted meanwhile */
export async function insertRunComment(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: RunRef,
  { text, author }: { text: string; author: Reader },
): Promise<string> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('comments on run ' || ${scanRunId}, 0))`);
  const count = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM scan_run_comments c WHERE c.organization_id = ${organizationId} AND c.scan_run_id = ${scanRunId}`);
  if (count >= RUN_COMMENT_LIMITS.perRunMax)
    throw new AppError(
      "limit_reached",
      `A scan run has at most ${RUN_COMMENT_LIMITS.perRunMax} comments. Delete some of yours.`,
    );
  const id = uuidv7();
  try {
    await tx.query(sql.type(z.object({}))`
      INSERT INTO scan_run_comments (organization_id, scan_run_id, id, text, created_by_key_id)
      VALUES (${organizationId}, ${scanRunId}, ${id}, ${text}, ${author.apiKeyId})`);
  } catch (error) {
    if (!(error instanceof ForeignKeyIntegrityConstraintViolationError)) throw error;
    throw new AppError("not_found", "The scan run was deleted meanwhile.", { cause: error });
  }
  return id;
}

/** Replaces the text of a comment. */
export async function updateRunComment(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId, commentId }: RunRef & { commentId: string },
  text: string,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE scan_run_comments c SET text = ${text}, edited_at = now()
    WHERE c.organization_id = ${organizationId} AND c.scan_run_id = ${scanRunId} AND c.id = ${commentId}`);
}

/** Deletes a comment. */
export async function deleteRunComment(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId, commentId }: RunRef & { commentId: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM scan_run_comments c
    WHERE c.organization_id = ${organizationId} AND c.scan_run_id = ${scanRunId} AND c.id = ${commentId}`);
}
