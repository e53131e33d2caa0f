import { type FragmentSqlToken, sql } from "slonik";
import { TODAY } from "../../db/today.ts";
import {
  DUE_SOON_DAYS,
  type FindingAge,
  type FindingDue,
} from "@waymark/shared/scans/current-findings/schema.ts";
import type { FindingState } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import type { WantedAssignee } from "../finding-assignments/assignee.queries.ts";
import { rulesWithAssignee } from "./assigned-rules.queries.ts";

export interface FindingFilter {
  organizationId: string;
  /** Null for all services. */
  serviceIds: readonly string[] | null;
  severity: Severity | null;
  code: string | null;
  age: FindingAge | null;
  state: FindingState | null;
  due: FindingDue | null;
  assignee: WantedAssignee | null;
}

/** The first day of each age, and the day after its last one. */
const AGES: Record<FindingAge, { from: FragmentSqlToken; before: FragmentSqlToken }> = {
  today: { from: TODAY, before: sql.fragment`NULL` },
  week: { from: sql.fragment`${TODAY} - 6`, before: sql.fragment`NULL` },
  month: { from: sql.fragment`${TODAY} - 29`, before: sql.fragment`NULL` },
  older: { from: sql.fragment`NULL`, before: sql.fragment`${TODAY} - 29` },
};

/** Returns a condition on seen_on that selects findings of an age. */
export function ofAge(age: FindingAge): FragmentSqlToken {
  const { from, before } = AGES[age];
  return sql.fragment`(seen_on >= coalesce(${from}, '-infinity'::date) AND seen_on < coalesce(${before}, 'infinity'::date))`;
}

/** @param options.isJudged true for the rows with the counts of decided, overdue and soon due findings, which take longer */
export function currentRules(
  filter: Omit<FindingFilter, "severity" | "state" | "due">,
  searched: string | null,
  severity: FragmentSqlToken,
  { isJudged }: { isJudged: boolean },
): FragmentSqlToken {
  const { organizationId, serviceIds, code, age, assignee } = filter;
  const services = serviceIds === null ? sql.fragment`NULL` : sql.array(serviceIds, "uuid");
  const { from, before } =
    age === null ? { from: sql.fragment`NULL`, before: sql.fragment`NULL` } : AGES[age];
  const words = searched === null ? sql.fragment`NULL` : sql.fragment`finding_query(${searched})`;
  const limits = sql.fragment`${severity}, ${code}, ${from}, ${before}, ${words}`;
  const currentOf = (among: FragmentSqlToken | ReturnType<typeof sql.array>) =>
    sql.fragment`list_current_rules(${organizationId}, ${among}, ${limits})`;
  const judged = sql.fragment`list_judged_rules(${organizationId}, ${services}, ${limits}, ${DUE_SOON_DAYS})`;
  if (assignee !== null)
    return rulesWithAssignee({ currentOf, judged }, { organizationId, serviceIds, assignee });
  return isJudged ? judged : currentOf(services);
}

/** Returns the column of list_judged_rules that counts the findings of a state and a deadline. */
export function countOf({ state, due }: Pick<FindingFilter, "state" | "due">): FragmentSqlToken {
  if (due !== null)
    return state === "decided"
      ? sql.fragment`0`
      : due === "overdue"
        ? sql.fragment`overdue_count`
        : sql.fragment`soon_count`;
  return {
    all: sql.fragment`finding_count`,
    decided: sql.fragment`decided_count`,
    open: sql.fragment`(finding_count - decided_count)`,
  }[state ?? "all"];
}
