import { type DatabaseTransactionConnection, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { PRINCIPAL_SUMMARY } from "../../db/principal-summary.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { FINDING_COMMENT_LIMITS } from "@waymark/shared/scans/finding-comments/limits.ts";
import type { FindingComment } from "@waymark/shared/scans/finding-comments/schema.ts";
import { CommentRow, isOwn, JOIN_AUTHOR, type Reader, toWrittenComment } from "../comment-author.queries.ts";

/** Lists the comments on a finding, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listComments(
  tx: DatabaseTransactionConnection,
  finding: { organizationId: string; serviceId: string; fingerprint: string },
  options: { reader: Reader; limit: number; afterId: string | null; id?: string },
): Promise<FindingComment[]> {
  const { organizationId, serviceId, fingerprint } = finding;
  const { reader, limit, afterId, id = null } = options;
  const rows = await tx.any(sql.type(CommentRow)`
    SELECT c.id, c.text, c.created_by_key_id, ${PRINCIPAL_SUMMARY} AS author, c.created_at, ${isOwn(reader)}
    FROM finding_comments c
    ${JOIN_AUTHOR}
    WHERE c.organization_id = ${organizationId} AND c.service_id = ${serviceId} AND c.fingerprint = ${fingerprint}::uuid
      AND (${afterId}::uuid IS NULL OR c.id < ${afterId}::uuid) AND (${id}::uuid IS NULL OR c.id = ${id}::uuid)
    ORDER BY c.id DESC
    LIMIT ${limit + 1}`);
  return rows.map(toWrittenComment);
}

/** Stores a comment. @throws AppError `limit_reached` */
export async function insertComment(
  tx: DatabaseTransactionConnection,
  finding: { organizationId: string; serviceId: string; fingerprint: string },
  { text, author }: { text: string; author: Reader },
): Promise<FindingComment> {
  const { organizationId, serviceId, fingerprint } = finding;
  await tx.query(sql.type(z.object({}))`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('comments on findings ' || ${serviceId}, 0))`);
  const count = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM finding_comments c WHERE c.organization_id = ${organizationId} AND c.service_id = ${serviceId}`);
  if (count >= FINDING_COMMENT_LIMITS.perServiceMax)
    throw new AppError(
      "limit_reached",
      `A service has at most ${FINDING_COMMENT_LIMITS.perServiceMax.toLocaleString("en")} comments on findings. Delete some of yours.`,
    );
  const id = uuidv7();
  await tx.query(sql.type(z.object({}))`
    INSERT INTO finding_comments (organization_id, id, service_id, fingerprint, text, created_by_key_id)
    VALUES (${organizationId}, ${id}, ${serviceId}, ${fingerprint}::uuid, ${text}, ${author.apiKeyId})`);
  const [stored] = await listComments(tx, finding, { reader: author, limit: 1, afterId: null, id });
  if (stored === undefined) throw new Error("the comment that was stored is not there");
  return stored;
}

const FoundComment = z.object({ service_id: z.string(), fingerprint: z.string(), is_own: z.boolean() });

/** Finds a comment's service and finding, and whether the caller wrote it. */
export async function findComment(
  tx: DatabaseTransactionConnection,
  { organizationId, commentId }: { organizationId: string; commentId: string },
  reader: Reader,
): Promise<{ serviceId: string; fingerprint: string; isOwn: boolean } | null> {
  const row = await tx.maybeOne(sql.type(FoundComment)`
    SELECT c.service_id, replace(c.fingerprint::text, '-', '') AS fingerprint, ${isOwn(reader)}
    FROM finding_comments c
    ${JOIN_AUTHOR}
    WHERE c.organization_id = ${organizationId} AND c.id = ${commentId}`);
  return row === null ? null : { serviceId: row.service_id, fingerprint: row.fingerprint, isOwn: row.is_own };
}

/** Deletes a comment. */
export async function deleteComment(
  tx: DatabaseTransactionConnection,
  { organizationId, commentId }: { organizationId: string; commentId: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM finding_comments c WHERE c.organization_id = ${organizationId} AND c.id = ${commentId}`);
}
