import { type FragmentSqlToken, sql } from "slonik";
import { TODAY } from "../../db/today.ts";
import { DUE_SOON_DAYS, type FindingDue } from "@waymark/shared/scans/current-findings/schema.ts";

/** Returns the condition that a day on which a finding is due passes a filter. Decided findings pass it too. */
export function isDue(due: FindingDue, day: FragmentSqlToken): FragmentSqlToken {
  return due === "overdue"
    ? sql.fragment`${day} < ${TODAY}`
    : sql.fragment`${day} BETWEEN ${TODAY} AND ${TODAY} + ${DUE_SOON_DAYS}::int`;
}
