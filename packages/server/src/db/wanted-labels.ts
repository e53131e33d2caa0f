import { type FragmentSqlToken, sql } from "slonik";
import type { WantedLabel } from "@waymark/shared/services/labels/schema.ts";

/** Returns the condition that a column of labels has all that is wanted. */
export function hasWantedLabels(labels: FragmentSqlToken, wanted: readonly WantedLabel[]): FragmentSqlToken {
  const conditions = wanted.map(({ key, value }) =>
    value === null ? sql.fragment`${labels} ? ${key}` : sql.fragment`${labels} ->> ${key} = ${value}`,
  );
  return sql.fragment`${sql.join([sql.fragment`true`, ...conditions], sql.fragment` AND `)}`;
}
