import { type FragmentSqlToken, sql } from "slonik";

/** Returns the team that owns a service, as a `TeamSummary`; null if none does. */
export function ownerOf(service: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    SELECT jsonb_build_object('id', o.id, 'slug', o.slug, 'displayName', o.display_name) FROM teams o
    WHERE o.organization_id = ${service}.organization_id AND o.id = ${service}.owner_team_id)`;
}
