import { jsonpath, JSONPathNodeList } from "json-p3";
import type { JSONPathQuery } from "json-p3";
import { walkQuery } from "./walk-query.ts";
import type { Comparison } from "./walk-query.ts";

const { NumberLiteral, compare } = jsonpath.expressions;

/** Makes the comparisons of a compiled query exact for integers beyond 2^53, which are bigints in a value. */
export function compareExactly(query: JSONPathQuery): void {
  walkQuery(query, {
    comparison: (comparison) => {
      comparison.evaluate = (context) => {
        const left = operand(comparison.left, context);
        const right = operand(comparison.right, context);
        if (typeof left !== "bigint" && typeof right !== "bigint")
          return compare(left, comparison.operator, right);
        return compareNumbers(left, comparison.operator, right);
      };
    },
  });
}

type Operand = Comparison["left"];

function operand(expression: Operand, context: Parameters<Operand["evaluate"]>[0]): unknown {
  if (expression instanceof NumberLiteral && !Number.isSafeInteger(expression.value)) {
    const { value } = expression.token;
    return /^-?\d+$/.test(value) ? BigInt(value) : expression.value;
  }
  const value = expression.evaluate(context);
  return value instanceof JSONPathNodeList && value.nodes.length === 1 ? value.nodes[0]?.value : value;
}

function compareNumbers(left: unknown, operator: string, right: unknown): boolean {
  if (!isNumber(left) || !isNumber(right)) return operator === "!=";
  // JavaScript orders numbers and bigints among each other exactly.
  const order = left < right ? -1 : left > right ? 1 : 0;
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order >= 0;
  }
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
