import { bytesAsText } from "../expressions/bytes.ts";
import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";
import { EngineError, EvaluationLimit } from "../expressions/engine-error.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { evaluate, renderTemplate } from "../expressions/evaluate.ts";
import type { SelectorResults } from "../expressions/evaluate.ts";
import type { Selector, ValueNode } from "../expressions/ast.ts";
import { inspected } from "../expressions/scope.ts";
import type { Scope } from "../expressions/scope.ts";

/**
 * Applies the Selector Objects of values, so that the values themselves can be evaluated at once. If a selector selects nothing
 * or can't be applied, its value is missing.
 *
 * @throws EvaluationLimit
 */
export async function applySelectors(
  nodes: readonly ValueNode[],
  scope: Scope,
  evaluator: Evaluator,
): Promise<SelectorResults> {
  const results = new Map<Selector, unknown>();
  for (const node of nodes) {
    for (const selector of selectorsOf(node)) {
      results.set(selector, await applySelector(selector, scope, evaluator));
    }
  }
  return results;
}

async function applySelector(
  { context: from, selector, type }: Selector,
  scope: Scope,
  evaluator: Evaluator,
): Promise<unknown> {
  const context = bytesAsText(inspected(scope, evaluate(from, scope)));
  if (context === undefined || context === null) return undefined;
  const text = inspected(scope, renderTemplate(selector, scope));
  if (type.type === "jsonpointer") return resolvePointer(context, decodePointer(text) ?? ["\0"]);
  try {
    if (type.type === "xpath") return await evaluator.selectXPath(text, context, type.version);
    const found = await evaluator.selectJsonPath(text, context, type.version);
    return found.length > 1 ? found : found[0];
  } catch (error) {
    if (error instanceof EngineError && !(error instanceof EvaluationLimit)) return undefined;
    throw error;
  }
}

/** Most values have none, so the search result is cached. */
const found = new WeakMap<ValueNode, Selector[]>();

function selectorsOf(node: ValueNode): readonly Selector[] {
  let selectors = found.get(node);
  if (selectors === undefined) {
    if ("selector" in node) selectors = [node.selector];
    else if ("array" in node) selectors = node.array.flatMap(selectorsOf);
    else if ("object" in node) selectors = Object.values(node.object).flatMap(selectorsOf);
    else selectors = [];
    found.set(node, selectors);
  }
  return selectors;
}
