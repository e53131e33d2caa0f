import { EvaluationLimit } from "../expressions/engine-error.ts";

/** Values or nodes that a query may visit: about half a second. */
export const VISITS_MAX = 1_000_000;

/** The number of visits that are left, for one evaluation or for several. */
export interface Visits {
  left: number;
}

/** Counts one node of XML that is looked at. @throws EvaluationLimit */
export function countNode(visits: Visits): void {
  if (--visits.left >= 0) return;
  throw new EvaluationLimit(`the expression visits more than ${VISITS_MAX.toLocaleString("en")} nodes`);
}
