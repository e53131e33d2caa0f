import { sql } from "slonik";

/** The summary of the principal `p` of a left join, as JSON; null if there is none. */
export const PRINCIPAL_SUMMARY = sql.fragment`
  CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('type', p.kind, 'id', p.id, 'displayName', p.display_name) END`;
