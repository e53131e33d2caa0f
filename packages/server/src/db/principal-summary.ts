import { type FragmentSqlToken, sql } from "slonik";

/** The summary of the principal `p` of a left join, as JSON; null if there is none. */
export const PRINCIPAL_SUMMARY = sql.fragment`
  CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('type', p.kind, 'id', p.id, 'displayName', p.display_name) END`;

/** Returns the joins of the principal `p` to which the key of a row belongs, if it belongs to one. */
export function joinOwner(row: {
  organizationId: FragmentSqlToken;
  keyId: FragmentSqlToken;
}): FragmentSqlToken {
  return sql.fragment`
    LEFT JOIN api_keys k ON k.organization_id = ${row.organizationId} AND k.id = ${row.keyId}
    LEFT JOIN principals p ON p.organization_id = k.organization_id AND p.id = k.owner_principal_id`;
}
