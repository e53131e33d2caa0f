import { jsonpath } from "json-p3";
import type { JSONPathQuery } from "json-p3";

const { FilterSelector, JSONPathSelector } = jsonpath.selectors;
const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression } =
  jsonpath.expressions;

type Expression = InstanceType<typeof LogicalExpression>["expression"];
export type Selector = InstanceType<typeof JSONPathSelector>;
export type Comparison = InstanceType<typeof InfixExpression>;

/** Callbacks for the parts of a compiled query, including those within filters. */
export interface QueryVisitor {
  selector?: (selector: Selector) => void;
  comparison?: (comparison: Comparison) => void;
}

/** Visits the parts of a compiled query. */
export function walkQuery(query: JSONPathQuery, visitor: QueryVisitor): void {
  for (const { selectors } of query.segments) {
    for (const selector of selectors) {
      if (!(selector instanceof JSONPathSelector)) continue;
      visitor.selector?.(selector);
      if (selector instanceof FilterSelector) walkFilter(selector.expression, visitor);
    }
  }
}

function walkFilter(expression: Expression, visitor: QueryVisitor): void {
  if (expression instanceof LogicalExpression) walkFilter(expression.expression, visitor);
  else if (expression instanceof PrefixExpression) walkFilter(expression.right, visitor);
  else if (expression instanceof InfixExpression) {
    if (!expression.logical) visitor.comparison?.(expression);
    walkFilter(expression.left, visitor);
    walkFilter(expression.right, visitor);
  } else if (expression instanceof FunctionExtension) {
    for (const argument of expression.args) walkFilter(argument, visitor);
  } else if (expression instanceof FilterQuery) walkQuery(expression.path, visitor);
}
