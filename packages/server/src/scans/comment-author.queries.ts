import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { PrincipalSummary } from "@waymark/shared/api-keys/schema.ts";
import { joinOwner } from "../db/principal-summary.ts";

/** The caller, who may change what its key, or another key of its user, has written. */
export interface Reader {
  apiKeyId: string;
  userId?: string | undefined;
}

/** Columns of every comment. */
export const CommentRow = z.object({
  id: z.string(),
  text: z.string(),
  created_by_key_id: z.string(),
  author: PrincipalSummary.nullable(),
  is_own: z.boolean(),
  created_at: z.string(),
});

/** Joins the key `k` that wrote the comment `c`, and its owner `p`. */
export const JOIN_AUTHOR = joinOwner({
  organizationId: sql.fragment`c.organization_id`,
  keyId: sql.fragment`c.created_by_key_id`,
});

/** Returns whether the reader wrote the comment `c`, by the key `k`. */
export function isOwn({ apiKeyId, userId }: Reader): FragmentSqlToken {
  return sql.fragment`
    (c.created_by_key_id = ${apiKeyId} OR coalesce(k.owner_principal_id = ${userId ?? null}::uuid, false)) AS is_own`;
}

/** Returns the fields of a comment that every kind of comment has. */
export function toWrittenComment(row: z.infer<typeof CommentRow>) {
  const { id, text, author } = row;
  return {
    id,
    text,
    createdByKeyId: row.created_by_key_id,
    author,
    isOwn: row.is_own,
    createdAt: row.created_at,
  };
}
