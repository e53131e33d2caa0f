import { type FragmentSqlToken, sql } from "slonik";

/** Returns the expression for the other names of a service, by a row of `services`. */
export function aliasesOf(service: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`ARRAY(
    SELECT other.name FROM service_aliases other
    WHERE other.organization_id = ${service}.organization_id AND other.service_id = ${service}.id
    ORDER BY other.created_at, other.name)`;
}
