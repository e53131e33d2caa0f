import type { Expression, Template } from "../expressions/ast.ts";
import { bytesAsText } from "../expressions/bytes.ts";
import { evaluate, renderTemplate } from "../expressions/evaluate.ts";
import { toJson } from "../expressions/exact-json.ts";
import { inspected } from "../expressions/scope.ts";
import type { Scope } from "../expressions/scope.ts";
import type { Criterion, Verdict } from "./ast.ts";
import { EngineError, EvaluationLimit } from "../expressions/engine-error.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { isJson } from "../openapi/body.ts";
import { brief, evaluateCondition } from "./evaluate-condition.ts";

type PatternCriterion = Exclude<Criterion, { type: "simple" }>;

/** Evaluates one criterion. Never throws: a criterion that can't be evaluated has failed, with the reason. */
export function evaluateCriterion(
  criterion: Criterion,
  scope: Scope,
  evaluator: Evaluator,
): Verdict | Promise<Verdict> {
  if (criterion.type !== "simple") {
    return evaluatePattern(criterion, scope, evaluator).catch((error: unknown) =>
      notEvaluated(criterion, error),
    );
  }
  try {
    return evaluateCondition(criterion.condition, scope);
  } catch (error) {
    return notEvaluated(criterion, error);
  }
}

function notEvaluated(criterion: Criterion, error: unknown): Verdict {
  // RangeError: a value nested deeper than the stack; it comes from the response, not from this code.
  if (!(error instanceof EngineError || error instanceof RangeError)) throw error;
  const explanation = error instanceof EngineError ? error.message : "the value is nested too deeply";
  const status = error instanceof EvaluationLimit ? "error" : "failed";
  return { status, actual: null, expected: criterion.text, explanation };
}

async function evaluatePattern(
  criterion: PatternCriterion,
  scope: Scope,
  evaluator: Evaluator,
): Promise<Verdict> {
  const context = bytesAsText(inspected(scope, evaluate(criterion.context, scope)));
  const pattern = inspected(scope, renderTemplate(criterion.pattern, scope, quoterFor(criterion, scope)));
  if (context === undefined || context === null) {
    return {
      status: "failed",
      actual: null,
      expected: expectedOf(criterion, pattern),
      explanation: `${criterion.contextText} is missing`,
    };
  }
  switch (criterion.type) {
    case "regex":
      return verdictOfRegex(criterion, context, pattern, { scope, evaluator });
    case "jsonpath":
      return verdictOfJsonPath(criterion, context, pattern, { scope, evaluator });
    default:
      return verdictOfXPath(criterion, context, pattern, { scope, evaluator });
  }
}

async function verdictOfRegex(
  criterion: PatternCriterion,
  context: unknown,
  pattern: string,
  { scope, evaluator }: { scope: Scope; evaluator: Evaluator },
): Promise<Verdict> {
  const text = typeof context === "string" ? context : (toJson(context) ?? "");
  const passed = await evaluator.testRegex(pattern, text);
  return verdict(
    passed,
    context,
    expectedOf(criterion, pattern),
    passed ? "" : `${criterion.contextText} is ${brief(context, scope)} and does not match ${pattern}`,
  );
}

async function verdictOfJsonPath(
  criterion: PatternCriterion,
  context: unknown,
  pattern: string,
  { scope, evaluator }: { scope: Scope; evaluator: Evaluator },
): Promise<Verdict> {
  if (!isJsonData(criterion.context, context, scope)) {
    const explanation = `${criterion.contextText} is no JSON structure but ${brief(context, scope)}`;
    return verdict(false, context, expectedOf(criterion, pattern), explanation);
  }
  const nodes = await evaluator.selectJsonPath(pattern, context, criterion.version);
  const passed = nodes.length > 0;
  return verdict(
    passed,
    nodes,
    expectedOf(criterion, pattern),
    passed ? "" : `nothing in ${criterion.contextText} matches ${pattern}`,
  );
}

/** A whole body is JSON when its media type says so; every other value is one of JSON's, scalars included. */
function isJsonData(expression: Expression, value: unknown, scope: Scope): boolean {
  if (typeof value !== "string" || expression.kind !== "body" || expression.pointer !== undefined)
    return true;
  const message = expression.of === "request" ? scope.request : scope.response;
  return isJson(message?.headers["content-type"] ?? "");
}

async function verdictOfXPath(
  criterion: PatternCriterion,
  context: unknown,
  pattern: string,
  { scope, evaluator }: { scope: Scope; evaluator: Evaluator },
): Promise<Verdict> {
  const { passed, selected } = await evaluator.testXPath(pattern, context, criterion.version);
  return verdict(
    passed,
    selected,
    expectedOf(criterion, pattern),
    passed ? "" : `${pattern} gives ${brief(selected, scope)} on ${criterion.contextText}`,
  );
}

const WANTED = { regex: "a match of", jsonpath: "a node at", xpath: "true for" };

function expectedOf(criterion: PatternCriterion, pattern: string): string {
  return `${WANTED[criterion.type]} ${pattern}`;
}

function verdict(passed: boolean, actual: unknown, expected: unknown, explanation: string): Verdict {
  return { status: passed ? "passed" : "failed", actual, expected, explanation };
}

/**
 * Escapes a value that is embedded in a quoted literal of a query; otherwise a quote in it would end the literal, and the rest
 * would become part of the query. Secrets are hidden before, because they are not found where their quotes are doubled.
 */
function quoterFor(
  criterion: PatternCriterion,
  scope: Scope,
): ((text: string, part: number) => string) | undefined {
  if (criterion.type === "regex" || criterion.pattern.length === 1) return undefined;
  const quotes = quotesAround(criterion.pattern);
  return (value, part) => {
    const quote = quotes[part];
    const text = inspected(scope, value);
    if (quote === undefined) return text;
    if (criterion.type === "xpath") return text.replaceAll(quote, quote + quote);
    const escaped = JSON.stringify(text).slice(1, -1);
    return quote === '"' ? escaped : escaped.replaceAll('\\"', '"').replaceAll("'", "\\'");
  };
}

/** For each part of a template, the quote that is open at its beginning. */
function quotesAround(template: Template): (string | undefined)[] {
  let open: string | undefined;
  return template.map((part) => {
    const before = open;
    if (typeof part !== "string") return before;
    for (let at = 0; at < part.length; at++) {
      const char = part.charAt(at);
      if (char === "\\") at++;
      else if (open === undefined) open = char === '"' || char === "'" ? char : undefined;
      else if (char === open) open = undefined;
    }
    return before;
  });
}
