import { jsonpath } from "json-p3";
import type { JSONPathQuery } from "json-p3";
import { EvaluationLimit } from "../evaluation/engine-error.ts";
import { VISITS_MAX } from "./visits.ts";

const { FilterSelector, JSONPathSelector } = jsonpath.selectors;
const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression } =
  jsonpath.expressions;

type Expression = InstanceType<typeof LogicalExpression>["expression"];

/** What is left of the visits, for one evaluation or for several. */
export interface Visits {
  left: number;
}

/**
 * Makes a compiled query count: each value that a selector is applied to, and each that it selects, queries within filters
 * included. Selectors are where all the work of a query passes.
 *
 * @param visits gives the counter of the evaluation that is going on
 */
export function countVisits(query: JSONPathQuery, visits: () => Visits): void {
  for (const { selectors } of query.segments) {
    for (const selector of selectors) {
      if (!(selector instanceof JSONPathSelector)) continue;
      const resolve = selector.resolve.bind(selector);
      selector.resolve = (node) => {
        const counter = visits();
        spend(counter, 1);
        const selected = resolve(node);
        spend(counter, selected.length);
        return selected;
      };
      if (selector instanceof FilterSelector) countInFilter(selector.expression, visits);
    }
  }
}

function spend(visits: Visits, count: number): void {
  visits.left -= count;
  if (visits.left < 0) {
    throw new EvaluationLimit(`the query visits more than ${VISITS_MAX.toLocaleString("en")} values`);
  }
}

function countInFilter(expression: Expression, visits: () => Visits): void {
  if (expression instanceof LogicalExpression) countInFilter(expression.expression, visits);
  else if (expression instanceof PrefixExpression) countInFilter(expression.right, visits);
  else if (expression instanceof InfixExpression) {
    countInFilter(expression.left, visits);
    countInFilter(expression.right, visits);
  } else if (expression instanceof FunctionExtension) {
    for (const argument of expression.args) countInFilter(argument, visits);
  } else if (expression instanceof FilterQuery) countVisits(expression.path, visits);
}
