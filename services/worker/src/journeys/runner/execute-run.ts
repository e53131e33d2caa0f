import { createEgress } from "@waymark/journey-transport/egress.ts";
import { createHttpTransport } from "@waymark/journey-transport/http-transport.ts";
import { RunLeft } from "@waymark/journeys/run/take-checkpoint.ts";
import { boundedCache } from "@waymark/journeys/evaluation/bounded-cache.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { Evaluator } from "@waymark/journeys/evaluation/evaluator.ts";
import type { JourneyResult, StepResult } from "@waymark/journeys/result/result.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import type { PreparedJourney, RunOptions } from "@waymark/journeys/run/state.ts";
import { formsOf } from "@waymark/journeys/secrets/secret-forms.ts";
import { systemClock } from "@waymark/journeys/run/system-clock.ts";
import type { Policy, RunDependencies } from "@waymark/journeys/run/transport.ts";
import { endingOfTask, stepInDoubt } from "./ending-of-task.ts";
import { guardSecrets } from "./guard-secrets.ts";
import { createLeaseClock } from "./lease-clock.ts";
import type { LeaseClock } from "./lease-clock.ts";
import type { FromRunner, RunTask, StoredState, ToRunner } from "./messages.ts";
import { isSafe, nextStep } from "./next-step.ts";
import { createOutbox } from "./outbox.ts";
import { packState, unpackState } from "./packed-state.ts";
import type { Outbox } from "./outbox.ts";
import { createSaves } from "./saves.ts";
import type { Saves } from "./saves.ts";
import { createSentSteps } from "./sent-steps.ts";
import type { SentSteps } from "./sent-steps.ts";

export type RunControl = (message: Exclude<ToRunner, { kind: "run" }>) => void;

interface Surroundings {
  send: (message: FromRunner) => void;
  evaluator: Evaluator;
  /** Whether this process runs only when no other one wants the processor. */
  givesWay: () => boolean;
}

/** Carries out a run. It ends this process where the lease is lost, because another worker may have the run then. */
export function executeRun(
  task: RunTask,
  surroundings: Surroundings,
): { control: RunControl; ended: Promise<void> } {
  const { send } = surroundings;
  const cancel = new AbortController();
  if (task.isCancelled) cancel.abort();
  const lease = createLeaseClock(task.leaseEndsAt, () => process.exit());
  const outbox = createOutbox(send);
  const saves = createSaves(() => outbox.flush({ isUrgent: true }));
  const state = { isLeaving: false };
  const control: RunControl = (message) => {
    if (message.kind === "lease") lease.extend(message.endsAt);
    else if (message.kind === "cancel") cancel.abort();
    else if (message.kind === "leave") state.isLeaving = true;
    else saves.saved(message.checkpoint);
  };
  const { signal } = cancel;
  const ended = runTask(task, { ...surroundings, lease, outbox, saves, state, signal }).finally(() =>
    lease.end(),
  );
  return { control, ended };
}

interface Carrying extends Surroundings {
  lease: LeaseClock;
  outbox: Outbox;
  saves: Saves;
  state: { isLeaving: boolean };
  signal: AbortSignal;
}

async function runTask(task: RunTask, carrying: Carrying): Promise<void> {
  const { send, evaluator, outbox, signal } = carrying;
  const journey = prepare(task.artifact, evaluator);
  const { artifact } = journey;
  const known = (task.resume?.steps ?? []).map((text): StepResult => JSON.parse(text));
  const sentSteps = createSentSteps({ storesBodies: task.storesBodies, known });
  const stored: StoredState | undefined =
    task.resume === undefined ? undefined : unpackState(task.resume.checkpoint);
  const resume = resumeOf(task, stored, known);
  const inDoubtStep = stored?.inDoubtStep ?? (task.onlyTeardown ? stepInDoubt(artifact, stored) : undefined);
  const watched = watchRun(carrying, { artifact, sentSteps, inDoubtStep });
  const egress = createEgress(task.egress);
  const http = createHttpTransport({ allowsAddress: egress.allowsAddress });
  const deps: RunDependencies = {
    transport: guardSecrets(http.transport, task.secrets),
    clock: systemClock,
    resolveSecret: (ref) => secretOf(task, ref),
    policy: policyOf(egress.policy, { ...carrying, phase: watched.phase }),
  };
  try {
    const result = await runJourney(journey, deps, {
      runId: task.runId,
      seed: task.seed,
      inputs: task.inputs,
      runner: "cloud",
      strictContract: task.strictContract,
      limits: task.limits,
      // Without a checkpoint there is no state to go on from: nothing is sent but the teardown of a run that was cancelled.
      signal: task.onlyTeardown && resume === undefined ? AbortSignal.abort() : signal,
      ...(resume === undefined ? {} : { resume }),
      ...watched.options,
    });
    const ending = endingOfTask(lostOf(task, result), { inDoubtStep, sentSteps });
    outbox.flush();
    send({
      kind: "ended",
      ending,
      memoryBytes: process.memoryUsage.rss(),
      givesWay: carrying.givesWay(),
    });
  } catch (error) {
    outbox.flush();
    if (!(error instanceof RunLeft)) throw error;
    send({ kind: "left" });
  } finally {
    http[Symbol.dispose]();
  }
}

/**
 * Prepared journeys by the text of the artifact. Equal journeys often run again, and all runs of a process are of one
 * organization.
 */
const prepared = new Map<string, PreparedJourney>();
const PREPARED_MAX = 8;
const SECRETS_KEPT = 100;

/** Prepares a journey. The artifact's part is kept for the next run, the forms of secrets are not. */
function prepare(text: string, evaluator: Evaluator): PreparedJourney {
  return { ...prepareOnce(text, evaluator), secretForms: boundedCache(SECRETS_KEPT, formsOf) };
}

function prepareOnce(text: string, evaluator: Evaluator): PreparedJourney {
  const known = prepared.get(text);
  if (known !== undefined) return known;
  // This server has built the artifact and stored it under the hash of its bytes, so it needs no check.
  const artifact: Artifact = JSON.parse(text);
  const made = prepareJourney(artifact, { evaluator });
  const [oldest] = prepared.keys();
  if (oldest !== undefined && prepared.size >= PREPARED_MAX) prepared.delete(oldest);
  prepared.set(text, made);
  return made;
}

/** Tells the parent what happens, a step together with the state after it. */
function watchRun(
  { outbox, saves, state }: Carrying,
  {
    artifact,
    sentSteps,
    inDoubtStep,
  }: { artifact: Artifact; sentSteps: SentSteps; inDoubtStep: string | undefined },
): { options: Pick<RunOptions, "onStepStart" | "onStep" | "onCheckpoint">; phase: () => string } {
  let phase = "main";
  return {
    phase: () => phase,
    options: {
      onStepStart: (step) => {
        phase = step.phase;
        outbox.add({ currentStep: step.id });
      },
      onStep: (step) => outbox.add({ steps: [sentSteps.take(step)], currentStep: null }),
      onCheckpoint: async (whole) => {
        const { steps: _, ...checkpoint } = whole;
        const stored: StoredState = { checkpoint, ...(inDoubtStep === undefined ? {} : { inDoubtStep }) };
        const next = nextStep(artifact, checkpoint.place);
        outbox.add({
          currentStep: next?.id ?? null,
          checkpoint: { number: saves.next(), bytes: packState(stored) },
        });
        // Here, and not before its request, where it would take from the time of the step.
        if (next?.maySend === "all" && !state.isLeaving) await saves.allSaved();
        return state.isLeaving ? "leave" : undefined;
      },
    },
  };
}

function resumeOf(
  { onlyTeardown }: RunTask,
  stored: StoredState | undefined,
  steps: readonly StepResult[],
): RunOptions["resume"] {
  if (stored === undefined) return undefined;
  return {
    checkpoint: { ...stored.checkpoint, steps },
    ...(onlyTeardown ? { only: "teardown" as const } : {}),
  };
}

/** A run without a checkpoint was ended as if it was cancelled, and nobody did. */
function lostOf(task: RunTask, result: JourneyResult): JourneyResult {
  if (!task.onlyTeardown || task.resume !== undefined) return result;
  const message = "The runner was lost in the journey: only its teardown was run.";
  return { ...result, status: "error", error: { code: "runner-lost", message } };
}

function secretOf({ secrets }: RunTask, ref: string): string | undefined {
  const name = /^env:(.+)$/s.exec(ref)?.[1];
  return name !== undefined && Object.hasOwn(secrets, name) ? secrets[name]?.value : undefined;
}

/** Asked before every request. One that changes something waits until all that is known is stored: at most one is in doubt. */
function policyOf(egress: Policy, { lease, saves, phase }: Carrying & { phase: () => string }): Policy {
  return async (target) => {
    const verdict = await egress(target);
    if (!verdict.allowed) return verdict;
    if (phase() === "main" && !isSafe(target.method)) await saves.allSaved();
    await lease.maySend();
    return verdict;
  };
}
