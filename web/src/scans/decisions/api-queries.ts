import { listFindingDecisions } from "@waymark/shared/scans/finding-decisions/addresses.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { withoutEmpty } from "../../lib/without-empty.ts";

export const DECISIONS_KEY = ["finding-decisions"];

/** The conditions of decisions about findings. An empty text sets none. */
export interface DecisionFilter {
  serviceId: string;
  /** `active` or `expired`. */
  state: string;
  /** `me`, `none`, or the slug of the team that owns the services. */
  owner: string;
  /** The labels of the services. */
  label: string;
}
export const NO_DECISION_FILTER: DecisionFilter = { serviceId: "", state: "", owner: "", label: "" };

export const decisionsQuery = (filter: DecisionFilter) =>
  apiQuery([...DECISIONS_KEY, filter], listFindingDecisions, { query: withoutEmpty(filter) });
