import { listFindings, summarizeFindings } from "@waymark/shared/scans/current-findings/addresses.ts";
import { apiQuery, PAGE_LIMIT } from "../../lib/api-query.ts";
import { withoutEmpty } from "../../lib/without-empty.ts";

/** The conditions of findings. An empty text sets none. */
export interface FindingFilter {
  severity: string;
  code: string;
  serviceId: string;
  firstSeen: string;
  /** `open` or `decided`. */
  state: string;
  /** `me`, `none`, the id of a user, or the slug of a team: to whom the findings are assigned. */
  assignee: string;
  /** `overdue` or `soon`. */
  due: string;
  /** The labels of the services. */
  label: string;
  /** `me`, `none`, or the slug of the team that owns the services. */
  owner: string;
}
export const NO_FILTER: FindingFilter = {
  severity: "",
  code: "",
  serviceId: "",
  firstSeen: "",
  state: "",
  assignee: "",
  due: "",
  label: "",
  owner: "",
};

/** Returns the filter as a query. Only lists and exports have a text. */
export function queryOf(filter: FindingFilter, text = ""): Readonly<Record<string, string>> {
  return withoutEmpty({ ...filter, q: text.trim() });
}

export const findingSummaryQuery = (filter: FindingFilter) =>
  apiQuery(["findings", "summary", filter], summarizeFindings, { query: queryOf(filter) });

export const currentFindingsQuery = (filter: FindingFilter, text: string) =>
  apiQuery(["findings", "list", filter, text.trim()], listFindings, {
    query: { ...queryOf(filter, text), limit: PAGE_LIMIT },
  });
