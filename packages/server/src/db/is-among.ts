import { type FragmentSqlToken, sql } from "slonik";

/** Returns the condition that a column has one of these ids. Null: it is true for every row. */
export function isAmong(column: FragmentSqlToken, ids: readonly string[] | null): FragmentSqlToken {
  return ids === null ? sql.fragment`true` : sql.fragment`${column} = ANY(${sql.array([...ids], "uuid")})`;
}
