import type { ProgramStep } from "../program/program.ts";
import { isoTime } from "../result/iso-time.ts";
import type { StepResult } from "../result/result.ts";
import { operationOf, tryBuild } from "./attempt.ts";
import type { StepPlace } from "./attempt.ts";
import { collectEvidence } from "./evidence.ts";
import { learnRequest } from "./learn-secrets.ts";
import type { Next, Run, WorkflowRun } from "./state.ts";
import { addResult, emptyResult } from "./step.ts";
import type { Calls } from "./step.ts";

/**
 * Makes the request of a step and does not send it. A placeholder stands for each of its outputs, and no action is taken, because
 * its criteria have no response.
 */
export async function planStep(
  run: Run,
  workflow: WorkflowRun,
  place: StepPlace,
  calls: Calls,
): Promise<{ next: Next; passed: boolean }> {
  const { step } = place;
  run.budget.startStep();
  workflow.started.add(step.id);
  const planned = await planOf(run, workflow, place, calls);
  workflow.stepOutputs.set(step.id, { outputs: placeholdersOf(step) });
  const startedAt = isoTime(run.deps.clock.now());
  addResult(run, { ...emptyResult(run, workflow, place), ...planned, startedAt });
  return { next: { go: "on" }, passed: true };
}

async function planOf(
  run: Run,
  workflow: WorkflowRun,
  place: StepPlace,
  calls: Calls,
): Promise<Pick<StepResult, "evidence" | "reason">> {
  const { step } = place;
  if (step.target.kind === "workflow") {
    const { status, reason } = await calls.callWorkflow(workflow, place);
    return status === "passed" || reason === undefined ? {} : { reason };
  }
  const operation = operationOf(run.prepared, step);
  const request = await tryBuild(run, workflow, step, operation);
  if ("problem" in request) return { reason: request.problem.message };
  learnRequest(run.known, request, operation);
  const evidence = collectEvidence(run, request, undefined);
  const { url, body } = evidence.request;
  return {
    evidence: {
      ...evidence,
      request: {
        ...evidence.request,
        url: legible(url),
        ...(body === undefined ? {} : { body: legible(body) }),
      },
    },
  };
}

function placeholdersOf({ id, outputs }: ProgramStep): Record<string, unknown> {
  return Object.fromEntries(Object.keys(outputs).map((name) => [name, `«${name} of ${id}»`]));
}

/** Returns a text with its placeholders as they are, where it has them percent-encoded. */
function legible(text: string): string {
  return text.replaceAll(/%C2%AB((?:(?!%C2%AB).){1,600}?)%C2%BB/g, (encoded) => {
    try {
      return decodeURIComponent(encoded.replaceAll("+", " "));
    } catch {
      return encoded;
    }
  });
}
