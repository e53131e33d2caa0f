import { setTimeout as sleep } from "node:timers/promises";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { RunErrorCode, StepResult } from "@waymark/journeys/result/result.ts";
import { endingRows } from "@waymark/server/journey-runs/ending/ending-rows.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import {
  type ClaimedJourneyRun,
  findJourneyRunWork,
  finishJourneyRun,
  type JourneyRunWork,
  releaseJourneyRun,
} from "@waymark/server/journey-runs/work/queries.ts";
import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { retryFor } from "../lib/retry-for.ts";
import { createProgressWriter } from "./progress-writer.ts";
import type { RunContext } from "./run-context.ts";
import { runInProcess } from "./run-in-process.ts";
import type { ProcessEnd, RunningProcess } from "./run-in-process.ts";
import { monotonicMs } from "./runner/messages.ts";
import type { RunEnding, RunTask, SentStep } from "./runner/messages.ts";
import { artifactText, taskOf, wholeStep } from "./run-task.ts";
import { type RunTrace, traceRun } from "./trace-run.ts";
import { endingWithoutProcess } from "./ending-without-process.ts";

/** The time in which writing the end of a run is tried; after that, its lease runs out. */
const FINISH_MS_MAX = 15_000;
/** The time until a run that did not start may be claimed again. */
const RETRY_MS = 2_000;

const MESSAGES = {
  cancelled: "The run was cancelled before it began.",
  "queue-expired": `No worker took the run within ${JOURNEY_RUN_LIMITS.waitMinutesMax} minutes: start it again.`,
  "not-released":
    "The environment is protected, and what this run would execute is not released for it any more. Release it, and start it again.",
  lost: "The runner was lost, and the teardown could not be run: what the journey made may be left at the target.",
  silent:
    "The run did not respond for 20 s and was ended: a document or an answer takes too much. Its teardown was run.",
  died: "The process of the run ended, by its limit of memory of 128 MiB or from outside. Its teardown was run.",
  fault:
    "The cloud runner could not carry out the run, because of a fault of its own: its log says more. The teardown was run.",
} as const;

/** A run that this worker holds. */
export interface ActiveRun {
  claimed: ClaimedJourneyRun;
  extend: (endsAt: number) => void;
  cancel: () => void;
  /** Ends at the next checkpoint, and gives the run back. */
  leave: () => void;
  /** The lease is lost. Nothing is sent or written any more. */
  lose: () => void;
  /** Never rejects. */
  ended: Promise<void>;
}

/** Starts to carry out a claimed run, in a process of its own. */
export function carryOut(
  context: RunContext,
  { claimed, work, leaseEndsAt }: { claimed: ClaimedJourneyRun; work: JourneyRunWork; leaseEndsAt: number },
): ActiveRun {
  const held: Held = {
    claimed,
    leaseEndsAt,
    isCancelled: claimed.isCancelled,
    isLeaving: false,
    isLost: false,
  };
  return {
    claimed,
    extend(endsAt) {
      held.leaseEndsAt = endsAt;
      held.process?.extend(endsAt);
    },
    cancel() {
      if (held.isCancelled) return;
      held.isCancelled = true;
      held.process?.cancel();
    },
    leave() {
      // Without a stored state, another worker would begin again and send everything twice.
      if (held.process !== undefined && !context.box.canSeal) return;
      held.isLeaving = true;
      held.process?.leave();
    },
    lose() {
      held.isLost = true;
      held.process?.lose();
    },
    ended: carryOutHeld(context, held, work)
      .catch((error: unknown) => giveUp(context, held, toError(error)))
      .finally(() => held.trace?.close()),
  };
}

interface Held {
  claimed: ClaimedJourneyRun;
  leaseEndsAt: number;
  isCancelled: boolean;
  isLeaving: boolean;
  isLost: boolean;
  process?: RunningProcess;
  trace?: RunTrace;
}

/** A run that did not begin is tried again; any other is found by its lease. */
async function giveUp({ pool, logger }: RunContext, { claimed, process }: Held, error: Error): Promise<void> {
  const { runId } = claimed;
  logger.error({ err: error, runId }, "a run of a journey could not be carried out");
  if (process !== undefined || claimed.lostWorkers > 0) return;
  await sleep(RETRY_MS);
  await releaseJourneyRun(pool, claimed).catch((failure: unknown) => {
    logger.warn({ err: failure, runId }, "a run of a journey could not be given back");
  });
}

async function carryOutHeld(context: RunContext, held: Held, work: JourneyRunWork): Promise<void> {
  const { claimed } = held;
  held.trace = traceRun(context.tracing, claimed, work.traceParent);
  if (claimed.toEnd !== null) return endWithoutProcess(context, held, { work, code: claimed.toEnd });
  if (claimed.lostWorkers > JOURNEY_RUN_LIMITS.lossesMax) {
    return endWithoutProcess(context, held, { work, code: "runner-lost", message: MESSAGES.lost });
  }
  if (!work.isAllowed && !hasBegun(claimed, work)) {
    return endWithoutProcess(context, held, { work, code: "forbidden", message: MESSAGES["not-released"] });
  }
  if (claimed.lostWorkers > 0) context.observer.recovering("worker");
  const task = await taskOf(context, held, { work, onlyTeardown: claimed.lostWorkers > 0 }).catch(asProblem);
  if (typeof task === "string")
    return endWithoutProcess(context, held, { work, code: "internal", message: task });
  if (isLost(held)) return;
  if (held.isLeaving) return finish(context, held, { work, end: { kind: "left" } });
  const first = await runOnce(context, held, task);
  const because = reasonOf(first);
  if (because === undefined || held.isLost) return finish(context, held, { work, end: first });
  context.observer.recovering(because);
  context.logger.warn({ runId: claimed.runId, ...first }, "the process of a run was lost");
  const again = await findJourneyRunWork(context.pool, claimed);
  if (again === undefined || isLost(held)) return;
  const second = await runOnce(
    context,
    held,
    await taskOf(context, held, { work: again, onlyTeardown: true }),
  );
  await finish(context, held, { work: again, end: second, because });
}

function hasBegun({ lostWorkers }: ClaimedJourneyRun, { steps, checkpoint }: JourneyRunWork): boolean {
  return lostWorkers > 0 || steps.length > 0 || checkpoint !== null;
}

/** Whether nothing may be sent for a run any more. Where its lease has ended, it is claimed anew. */
function isLost({ isLost: wasLost, leaseEndsAt }: Held): boolean {
  return wasLost || monotonicMs() >= leaseEndsAt;
}

type Reason = "silent" | "died" | "fault";

/** Why the teardown has to be run by another process; undefined where it has not. */
function reasonOf(end: ProcessEnd): Reason | undefined {
  if (end.kind === "died") return end.wasSilent ? "silent" : "died";
  return end.kind === "fault" ? "fault" : undefined;
}

/** Returns the reason why a run can't start, such as a key that is not configured. @throws temporary errors */
function asProblem(thrown: unknown): string {
  const error = toError(thrown);
  if (isDatabaseUnavailable(error)) throw error;
  return error.message;
}

async function runOnce(
  context: RunContext,
  held: Held,
  task: Omit<RunTask, "leaseEndsAt">,
): Promise<ProcessEnd> {
  const { claimed: run } = held;
  const running = await runInProcess(context.runners, {
    organizationId: run.organizationId,
    task,
    leaseEndsAt: () => held.leaseEndsAt,
    onProgress: held.trace?.progress,
    writerOf: (on) =>
      createProgressWriter(
        { pool: context.pool, box: context.box, run },
        {
          ...on,
          failed: (error) =>
            context.logger.warn({ err: error, runId: run.runId }, "a run's progress was not written"),
        },
      ),
  });
  held.process = running;
  // Messages may have arrived while the process was started.
  running.extend(held.leaseEndsAt);
  if (held.isCancelled) running.cancel();
  if (held.isLeaving && context.box.canSeal) running.leave();
  if (held.isLost) running.lose();
  return running.ended;
}

/** Writes how a run ended, or gives it back. */
async function finish(
  context: RunContext,
  held: Held,
  { work, end, because }: { work: JourneyRunWork; end: ProcessEnd; because?: Reason },
): Promise<void> {
  const { claimed } = held;
  if (end.kind === "lost" || held.isLost) return leaseLost(context, held);
  if (end.kind === "left") {
    held.trace?.ended("handed over");
    if (await releaseJourneyRun(context.pool, claimed)) context.observer.handedOver();
    return;
  }
  if (end.kind !== "ended") {
    context.logger.error({ runId: claimed.runId, ...end }, "the teardown of a run was lost");
    return endWithoutProcess(context, held, { work, code: "runner-lost", message: MESSAGES.lost });
  }
  const ending = because === undefined ? end.ending : withReason(end.ending, because);
  await store(context, held, { ending, unwritten: end.steps });
}

const CODES: Readonly<Record<Reason, RunErrorCode>> = {
  silent: "limit",
  died: "runner-lost",
  fault: "internal",
};

/** A run whose process was lost says why. */
function withReason(ending: RunEnding, because: Reason): RunEnding {
  if (ending.error?.code !== "runner-lost") return ending;
  const error = { code: CODES[because], message: MESSAGES[because] };
  const result: Record<string, unknown> = JSON.parse(ending.result);
  return { ...ending, error, result: JSON.stringify({ ...result, error }) };
}

/** Ends a run that no process carries out. */
async function endWithoutProcess(
  context: RunContext,
  held: Held,
  { work, code, message }: { work: JourneyRunWork; code: RunErrorCode; message?: string },
): Promise<void> {
  const hasSent = code === "runner-lost" || work.steps.length > 0 || work.checkpoint !== null;
  const artifact: Artifact = JSON.parse(await artifactText(work));
  const text = message ?? (code === "cancelled" || code === "queue-expired" ? MESSAGES[code] : code);
  const ending = endingWithoutProcess(artifact, {
    runId: held.claimed.runId,
    seed: work.seed,
    strictContract: work.strictContract,
    steps: work.steps.map((step): StepResult => JSON.parse(wholeStep(step))),
    status: code === "cancelled" ? "aborted" : "error",
    error: { code, message: text },
    teardown: hasSent ? "failed" : "none",
  });
  await store(context, held, { ending, unwritten: [] });
}

/** Another worker has the run: nothing of it is written any more. */
function leaseLost({ logger, observer }: RunContext, { claimed, trace }: Held): void {
  logger.warn({ runId: claimed.runId }, "a run was lost to another worker");
  observer.leaseLost();
  trace?.ended("lost", "lease-lost");
}

async function store(
  context: RunContext,
  held: Held,
  { ending, unwritten }: { ending: RunEnding; unwritten: readonly SentStep[] },
): Promise<void> {
  const { pool, logger, observer } = context;
  const { claimed, trace } = held;
  const { status, error } = ending;
  const end = await endingRows(ending, unwritten);
  const isHeld = await retryFor(() => finishJourneyRun(pool, claimed, end), {
    limitMs: FINISH_MS_MAX,
    pauseMs: 250,
  });
  if (!isHeld) return leaseLost(context, held);
  trace?.ended(status, error?.code);
  const ms: unknown = JSON.parse(ending.result).ms;
  observer.ended(status, typeof ms === "number" ? ms / 1_000 : 0);
  logger.info({ organizationId: claimed.organizationId, runId: claimed.runId, status }, "a journey has run");
}
