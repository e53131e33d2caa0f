import type { ValueNode } from "../expressions/ast.ts";
import { evaluateValue } from "../expressions/evaluate.ts";
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
  for (const [name, node] of entries) outputs[name] = evaluateValue(node, scope, selected) ?? null;
  run.budget.keepOutputs(owner, valueSize(outputs, run.budget.limits.outputChars));
  return outputs;
}
