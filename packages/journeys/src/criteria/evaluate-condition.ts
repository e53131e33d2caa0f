import { resolvePointer } from "@waymark/openapi/pointer.ts";
import { EvaluationLimit, MissingArgument } from "../expressions/engine-error.ts";
import { evaluate, renderTemplate } from "../expressions/evaluate.ts";
import { toJson } from "../expressions/exact-json.ts";
import { inspected } from "../expressions/scope.ts";
import type { Expression } from "../expressions/ast.ts";
import type { Scope } from "../expressions/scope.ts";
import type { ComparisonOperator, Condition, Operand, Verdict } from "./ast.ts";
import { compare, truthy } from "./compare.ts";

/** A verdict that creates its explanation on demand: most conditions pass, and nobody reads why. */
interface Outcome {
  passed: boolean;
  actual: unknown;
  expected: unknown;
  explain: () => string;
}

/** Evaluates a simple condition, with the actual and expected values of the part that decided it. */
export function evaluateCondition(condition: Condition, scope: Scope): Verdict {
  const { passed, actual, expected, explain } = evaluateNode(condition, scope);
  return { status: passed ? "passed" : "failed", actual, expected, explanation: passed ? "" : explain() };
}

/** Whether a simple condition holds. One whose values are too large does not. */
export function holds(condition: Condition, scope: Scope): boolean {
  try {
    return evaluateNode(condition, scope).passed;
  } catch (error) {
    if (error instanceof EvaluationLimit || error instanceof RangeError) return false;
    throw error;
  }
}

function evaluateNode(condition: Condition, scope: Scope): Outcome {
  switch (condition.op) {
    case "&&":
    case "||": {
      const left = evaluateNode(condition.left, scope);
      return left.passed === (condition.op === "||") ? left : evaluateNode(condition.right, scope);
    }
    case "!": {
      const inner = evaluateNode(condition.of, scope);
      const expected = inner.expected === true ? false : `not ${brief(inner.expected, scope)}`;
      return { ...inner, passed: !inner.passed, expected, explain: () => `expected not: ${inner.explain()}` };
    }
    case "value": {
      const { of } = condition;
      const actual = operandValue(of, scope);
      const explain = () => `${of.text} is ${brief(actual, scope)}, expected true`;
      return { passed: truthy(actual), actual: shown(actual), expected: true, explain };
    }
    default:
      return evaluateComparison(condition, scope);
  }
}

type Comparison = Extract<Condition, { op: ComparisonOperator }>;

function evaluateComparison(condition: Comparison, scope: Scope): Outcome {
  // `200 == $statusCode` means the same as `$statusCode == 200`: the literal is what is expected.
  const turned = "literal" in condition.left && !("literal" in condition.right);
  const operator = turned ? TURNED[condition.op] : condition.op;
  const left = turned ? condition.right : condition.left;
  const right = turned ? condition.left : condition.right;
  const actual = operandValue(left, scope);
  const expected = operandValue(right, scope);
  return {
    passed: compare(operator, actual, expected),
    actual: shown(actual),
    expected: operator === "==" ? shown(expected) : `${operator} ${brief(expected, scope)}`,
    explain: () => {
      const wanted =
        "literal" in right ? brief(expected, scope) : `${brief(expected, scope)} (${right.text})`;
      return `${left.text} is ${brief(actual, scope)}, expected ${operator === "==" ? "" : `${operator} `}${wanted}`;
    },
  };
}

const TURNED: Record<ComparisonOperator, ComparisonOperator> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

function operandValue(operand: Operand, scope: Scope): unknown {
  if ("literal" in operand) return operand.literal;
  if ("expr" in operand) return inspected(scope, valueOrMissing(operand.expr, scope));
  if ("template" in operand) return inspected(scope, renderTemplate(operand.template, scope));
  if ("access" in operand) return resolvePointer(operandValue(operand.access, scope), operand.path);
  return evaluateNode(operand.group, scope).passed;
}

function valueOrMissing(expression: Expression, scope: Scope): unknown {
  try {
    return evaluate(expression, scope);
  } catch (error) {
    if (error instanceof MissingArgument) return undefined;
    throw error;
  }
}

/** A missing value is shown as null, as the comparison treats it. */
function shown(value: unknown): unknown {
  return value === undefined ? null : value;
}

const BRIEF_MAX = 200;

/** A value for a sentence; long ones are cut, by the run where there is one, because half of a secret is no longer found. */
export function brief(value: unknown, { cut = cutPlain }: Pick<Scope, "cut"> = {}): string {
  if (value === undefined) return "missing";
  const text = toJson(value) ?? "missing";
  return text.length > BRIEF_MAX ? cut(text, BRIEF_MAX) : text;
}

function cutPlain(text: string, max: number): string {
  return `${text.slice(0, max)}…`;
}
