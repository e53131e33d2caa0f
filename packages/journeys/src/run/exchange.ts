import type { ProgramStep, ProgramWorkflow } from "../program/program.ts";
import { walkExpressions } from "../program/walk.ts";
import type { Expression } from "../expressions/ast.ts";
import type { WorkflowRun } from "./state.ts";

const FIELDS = ["url", "method", "statusCode", "request", "response"] as const;

const EXCHANGE: ReadonlySet<Expression["kind"]> = new Set<Expression["kind"]>([
  "url",
  "method",
  "statusCode",
  "header",
  "query",
  "path",
  "body",
]);

/** The last request and response as expressions see them, if a later part of the journey may refer to them. */
export function exchangeOf({ program, scope }: WorkflowRun): Record<string, unknown> | undefined {
  if (!isNeededLater(program)) return undefined;
  const { url, method, statusCode, request, response } = scope;
  return {
    url,
    method,
    statusCode,
    request,
    response: response === undefined ? undefined : { headers: { ...response.headers }, body: response.body },
  };
}

/** Restores the result of `exchangeOf`. */
export function restoreExchange(workflow: WorkflowRun, exchange: Readonly<Record<string, unknown>>): void {
  for (const field of FIELDS) Object.assign(workflow.scope, { [field]: exchange[field] });
}

const needed = new WeakMap<ProgramWorkflow, boolean>();

function isNeededLater(program: ProgramWorkflow): boolean {
  let isNeeded = needed.get(program);
  if (isNeeded !== undefined) return isNeeded;
  isNeeded = false;
  const parts = [program.outputs, program.teardown, program.steps.map(evaluatedBefore)];
  walkExpressions(parts, ({ kind }) => {
    if (EXCHANGE.has(kind)) isNeeded = true;
  });
  needed.set(program, isNeeded);
  return isNeeded;
}

/** The parts of a step that are evaluated before it has sent a request of its own, or after another workflow took over. */
function evaluatedBefore(step: ProgramStep): unknown[] {
  const actions = [...step.onSuccess, ...step.onFailure];
  return [
    actions.map(({ parameters }) => parameters),
    // A step whose dependencies did not complete sends nothing, and its actions apply.
    step.dependsOn.length > 0 ? step.onFailure : [],
    step.target.kind === "workflow" ? step.parameters : [],
  ];
}
