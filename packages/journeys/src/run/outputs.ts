import type { ValueNode } from "../expressions/ast.ts";
import { MissingArgument } from "../expressions/engine-error.ts";
import { evaluateValue } from "../expressions/evaluate.ts";
import type { SelectorResults } from "../expressions/evaluate.ts";
import type { Scope } from "../expressions/scope.ts";
import { valueSize } from "../expressions/value-size.ts";
import { applySelectors } from "./selectors.ts";
import type { Run, WorkflowRun } from "./state.ts";

/**
 * The values of a step's or a workflow's outputs.
 *
 * @param owner identifies the step or workflow; its earlier outputs no longer count
 * @throws EvaluationLimit for a value that is too large, RunAborted if all outputs together are
 */
export async function evaluateOutputs(
  run: Pick<Run, "budget" | "evaluator">,
  { scope }: WorkflowRun,
  { owner, nodes }: { owner: string; nodes: Readonly<Record<string, ValueNode>> },
): Promise<Record<string, unknown>> {
  const entries = Object.entries(nodes);
  const outputs: Record<string, unknown> = {};
  if (entries.length === 0) return outputs;
  const selected = await applySelectors(
    entries.map(([, node]) => node),
    scope,
    run.evaluator,
  );
  for (const [name, node] of entries) outputs[name] = valueOrNull(node, scope, selected);
  run.budget.keepOutputs(owner, valueSize(outputs, run.budget.limits.outputChars));
  return outputs;
}

/** An output without a value is null, and so is a function's whose argument has none. */
function valueOrNull(node: ValueNode, scope: Scope, selected: SelectorResults): unknown {
  try {
    return evaluateValue(node, scope, selected) ?? null;
  } catch (error) {
    if (error instanceof MissingArgument) return null;
    throw error;
  }
}
