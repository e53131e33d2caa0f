import { calledAddress } from "../program/external-address.ts";
import type { ProgramStep } from "../program/program.ts";
import { holds } from "../criteria/evaluate-condition.ts";
import { EvaluationLimit } from "../expressions/engine-error.ts";
import type { Operation } from "../openapi/operation.ts";
import type {
  AssertionResult,
  ContractResult,
  Evidence,
  RunError,
  RunErrorCode,
  StepStatus,
} from "../result/result.ts";
import { learnOutputs, learnRequest, learnResponse } from "./learn-secrets.ts";
import { evaluateAssertions, unevaluated } from "./assertions.ts";
import { checkContract } from "./contract.ts";
import { collectEvidence } from "./evidence.ts";
import { evaluateOutputs } from "./outputs.ts";
import { RequestError } from "./request-error.ts";
import { buildRequest } from "./request.ts";
import type { BuiltRequest } from "./request.ts";
import { viewResponse } from "./response.ts";
import { send } from "./send.ts";
import type { Sent } from "./send.ts";
import type { PreparedJourney, Run, WorkflowRun } from "./state.ts";
import type { TransportResponse } from "./transport.ts";

/** The outcome of one attempt at a step. Values are redacted later, for the result. */
export interface Attempt {
  status: Exclude<StepStatus, "skipped">;
  ms: number;
  /** When its request was sent; absent if none was. */
  startedAt?: string;
  reason?: string;
  error?: Omit<RunError, "step">;
  assertions: AssertionResult[];
  contract: ContractResult[];
  outputs: Record<string, unknown>;
  evidence?: Evidence;
  /** Sentences for the reader about the request and the response. */
  notes?: string[];
  /** The assertions with values that are shown as JSON text because of their depth. */
  deep?: string[];
  /** The Retry-After header of the last response. */
  retryAfter?: string;
}

export interface StepPlace {
  step: ProgramStep;
  /** Pointer to the step in the program. */
  at: string;
}

/** Sends a step's request once and evaluates what came back. */
export async function attemptRequest(run: Run, workflow: WorkflowRun, place: StepPlace): Promise<Attempt> {
  const { step, at } = place;
  const operation = operationOf(run.prepared, step);
  forgetExchange(workflow);
  const request = await tryBuild(run, workflow, step, operation);
  if ("problem" in request) {
    return {
      status: "error",
      ms: 0,
      reason: request.problem.message,
      error: request.problem,
      ...nothing(run, place),
    };
  }
  learnRequest(run.known, request, operation);
  const { scope } = workflow;
  scope.method = request.method;
  scope.url = request.url.href;
  scope.request = request.view;
  const sent = await send(run, request, step.timeoutMs ?? run.budget.limits.stepMs);
  countCall(run, step, { operation, request, sent });
  if (sent.kind !== "response") return withoutResponse(run, place, { request, sent });
  const view = viewResponse(sent.response, run.known);
  learnResponse(run.known, sent.response, view);
  scope.statusCode = sent.response.status;
  scope.response = view;
  const { outputs, problem } = await outputsOf(run, workflow, step);
  workflow.stepOutputs.set(step.id, { outputs });
  const { assertions, deep } = await evaluateAssertions(run, workflow, step.criteria, at);
  const truncated = sent.response.truncated === true;
  const answer = { status: sent.response.status, view, truncated };
  const checked = operation === undefined ? [] : checkContract(run, operation, answer);
  const contract = checked instanceof Promise ? await checked : checked;
  const retryAfter = view.headers["retry-after"];
  return {
    ...verdictOf(assertions, problem),
    ms: sent.ms,
    assertions,
    contract,
    outputs,
    deep,
    evidence: collectEvidence(run, sent.request, { response: sent.response, view, ms: sent.ms }),
    notes: [...(sent.notes ?? []), ...view.notes],
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

export function operationOf(prepared: PreparedJourney, step: ProgramStep): Operation | undefined {
  if (step.target.kind !== "operation") return undefined;
  return prepared.artifact.program.operations[step.target.operation];
}

/**
 * The outputs of a step, also of a failed one: the teardown needs the id of what it created. If a limit is exceeded, there are
 * none, and `problem` says why. @throws RunAborted
 */
export async function outputsOf(
  run: Pick<Run, "budget" | "evaluator" | "known" | "prepared">,
  workflow: WorkflowRun,
  step: ProgramStep,
): Promise<{ outputs: Record<string, unknown>; problem?: string }> {
  try {
    const owner = `${workflow.key} ${step.id}`;
    const outputs = await evaluateOutputs(run, workflow, { owner, nodes: step.outputs });
    learnOutputs(run, { workflow: workflow.key, step, scope: workflow.scope }, outputs);
    return { outputs };
  } catch (error) {
    if (!(error instanceof EvaluationLimit)) throw error;
    return { outputs: {}, problem: `The outputs can't be taken: ${error.message}.` };
  }
}

/** The outcome of a step whose criteria were evaluated. If a criterion could not be evaluated, the step is an error. */
export function verdictOf(
  assertions: readonly AssertionResult[],
  problem: string | undefined,
): Pick<Attempt, "status" | "reason"> {
  const open = assertions.find(({ status }) => status === "error");
  const reason =
    problem ?? (open === undefined ? undefined : `"${open.condition}" was not decided: ${open.explanation}.`);
  if (reason !== undefined) return { status: "error", reason };
  return { status: assertions.every(({ status }) => status === "passed") ? "passed" : "failed" };
}

/**
 * Removes the last exchange from the scope, so that expressions see this attempt's exchange and never an earlier one's.
 */
function forgetExchange({ scope }: WorkflowRun): void {
  scope.url = undefined;
  scope.method = undefined;
  scope.statusCode = undefined;
  scope.request = undefined;
  scope.response = undefined;
}

/** Builds the request of a step, or returns why there is none. */
export async function tryBuild(
  run: Run,
  workflow: WorkflowRun,
  step: ProgramStep,
  operation: Operation | undefined,
): Promise<BuiltRequest | { problem: { code: RunErrorCode; message: string } }> {
  try {
    return await buildRequest(run, step, workflow.scope, operation);
  } catch (error) {
    if (error instanceof EvaluationLimit) {
      const message = `The request can't be made: ${error.message}.`;
      return { problem: { code: "limit", message: run.known.redactor.clean(message) } };
    }
    if (!(error instanceof RequestError)) throw error;
    return { problem: { code: error.code, message: run.known.redactor.clean(error.message) } };
  }
}

function withoutResponse(
  run: Pick<Run, "budget" | "known" | "prepared">,
  place: StepPlace,
  { request, sent }: { request: BuiltRequest; sent: Exclude<Sent, { kind: "response" }> },
): Attempt {
  const common = { ms: sent.ms, ...nothing(run, place), evidence: partialEvidence(run, request, sent) };
  if (sent.kind === "timedOut") {
    const limit = place.step.timeoutMs ?? run.budget.limits.stepMs;
    const reason =
      sent.partial === undefined
        ? `There was no response within ${limit} ms.`
        : cutReason(sent.partial, limit);
    return { status: "timedOut", reason, ...common };
  }
  const message = run.known.redactor.clean(sent.message);
  return { status: "error", reason: message, error: { code: sent.code, message }, ...common };
}

function cutReason({ status, body }: TransportResponse, limit: number): string {
  return `The response was not complete within ${limit} ms: the status ${status} and ${body.length} bytes had arrived.`;
}

/** The request, and the part of a response that had arrived when the time was up or the connection ended. */
function partialEvidence(
  run: Pick<Run, "budget" | "known">,
  request: BuiltRequest,
  { partial, ms }: Exclude<Sent, { kind: "response" }>,
): Evidence {
  if (partial === undefined) return collectEvidence(run, request, undefined);
  const view = viewResponse(partial, run.known);
  learnResponse(run.known, partial, view);
  return collectEvidence(run, request, { response: partial, view, ms });
}

function nothing(
  run: Pick<Run, "known" | "prepared">,
  { step, at }: StepPlace,
): Pick<Attempt, "assertions" | "contract" | "outputs"> {
  return { assertions: unevaluated(run, step.criteria, at), contract: [], outputs: {} };
}

function countCall(
  run: Pick<Run, "known" | "log">,
  step: ProgramStep,
  call: { operation: Operation | undefined; request: BuiltRequest; sent: Sent },
): void {
  const { operation, request, sent } = call;
  const { target } = step;
  if (target.kind === "external") {
    const url = run.known.redactor.clean(calledAddress(request.url, target.url));
    run.log.countExternal(request.method, url);
  }
  if (target.kind !== "operation" || operation === undefined) return;
  const status = sent.kind === "response" ? sent.response.status : undefined;
  run.log.countOperation(target.operation, {
    status,
    asserted: status !== undefined && step.criteria.length > 0,
  });
}

/** Evaluates a poll's conditions on the last response. */
export function pollVerdict(step: ProgramStep, workflow: WorkflowRun): "done" | "failed" | "again" {
  const { poll } = step;
  if (poll === undefined || holds(poll.until.condition, workflow.scope)) return "done";
  return poll.failWhen !== undefined && holds(poll.failWhen.condition, workflow.scope) ? "failed" : "again";
}
