import type { JSONPathQuery } from "json-p3";
import { EvaluationLimit } from "../expressions/engine-error.ts";
import { VISITS_MAX } from "./visits.ts";
import type { Visits } from "./visits.ts";
import { walkQuery } from "./walk-query.ts";

/**
 * Makes a compiled query count its visits: each value that a selector is applied to, and each that it selects, including
 * queries within filters. All work of a query is in selectors.
 *
 * @param visits returns the counter of the current evaluation
 */
export function countVisits(query: JSONPathQuery, visits: () => Visits): void {
  walkQuery(query, {
    selector: (selector) => {
      const resolve = selector.resolve.bind(selector);
      selector.resolve = (node) => {
        const counter = visits();
        spend(counter, 1);
        const selected = resolve(node);
        spend(counter, selected.length);
        return selected;
      };
    },
  });
}

function spend(visits: Visits, count: number): void {
  visits.left -= count;
  if (visits.left < 0) {
    throw new EvaluationLimit(`the query visits more than ${VISITS_MAX.toLocaleString("en")} values`);
  }
}
