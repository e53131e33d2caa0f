import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { JourneyResult } from "../result/result.ts";
import { runProgram } from "../run/run-journey.ts";
import type { PreparedJourney, RunOptions } from "../run/state.ts";
import type { RunDependencies } from "../run/transport.ts";
import { resumeAt } from "./kept-try.ts";
import type { Reuse } from "./kept-try.ts";
import { triedStep } from "./try-result.ts";
import type { PlannedRequest, TryResult } from "./try-result.ts";

export interface TryOptions extends Omit<RunOptions, "resume" | "onCheckpoint"> {
  /** A step of the outermost workflow. */
  step: string;
  /** Leaves the teardown out. */
  keep?: boolean;
  /** Goes on from an earlier try. */
  reuse?: Reuse;
}

/** Runs a journey until a step has ended, then its teardown. The checkpoint is the state before the teardown. */
export async function tryStep(
  prepared: PreparedJourney,
  deps: RunDependencies,
  { step, keep = false, reuse, ...options }: TryOptions,
): Promise<{ result: TryResult; checkpoint: Checkpoint | undefined }> {
  let checkpoint: Checkpoint | undefined;
  const result = await runProgram(prepared, deps, {
    ...options,
    ...resumed(prepared, deps, reuse),
    until: { step, keep, isDry: false },
    onCheckpoint: (taken) => {
      if (taken.place.at !== "teardown") checkpoint = taken;
    },
  });
  return { result: resultOf(result, { step, keep, reuse }), checkpoint };
}

/** Makes the requests of a journey until a step, and sends nothing. Outputs that no step has yet are placeholders. */
export async function planRequests(
  prepared: PreparedJourney,
  deps: Omit<RunDependencies, "transport">,
  { step, reuse, ...options }: Omit<TryOptions, "keep">,
): Promise<Pick<TryResult, "error"> & { requests: PlannedRequest[] }> {
  const transport = () => Promise.reject(new Error("a dry run sends nothing"));
  const { steps, error } = await runProgram(
    prepared,
    { ...deps, transport },
    {
      ...options,
      ...resumed(prepared, deps, reuse),
      until: { step, keep: true, isDry: true },
    },
  );
  const planned = steps.filter(({ startedAt }) => startedAt !== undefined);
  return {
    ...(error === undefined ? {} : { error }),
    requests: planned.map(({ id, workflow, evidence, calls, reason }) => ({
      step: id,
      ...(workflow === undefined ? {} : { workflow }),
      ...(evidence === undefined ? {} : { request: evidence.request }),
      ...(calls === undefined ? {} : { calls }),
      ...(reason === undefined ? {} : { reason }),
    })),
  };
}

function resumed(
  prepared: PreparedJourney,
  { clock }: Pick<RunDependencies, "clock">,
  reuse: Reuse | undefined,
): Pick<RunOptions, "resume"> {
  if (reuse === undefined) return {};
  return { resume: { checkpoint: resumeAt(reuse, prepared.artifact, clock.now()) } };
}

function resultOf(
  result: JourneyResult,
  { step, keep, reuse }: { step: string; keep: boolean; reuse: Reuse | undefined },
): TryResult {
  const { runId, artifact, seed, journey, where, startedAt, ms, inputs, error } = result;
  const steps = result.steps.filter(({ status }) => status !== "skipped");
  const isReached = triedStep({ step, steps }) !== undefined;
  const teardown = keep ? "kept" : result.teardown.status;
  const reason = isReached ? undefined : whyNot(result, step);
  return {
    schema: "journey-try/1",
    runId,
    artifact,
    seed,
    journey,
    where,
    step,
    status: result.status === "aborted" ? "aborted" : isReached ? "reached" : "notReached",
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    startedAt,
    ms,
    inputs,
    steps,
    reused: reuse === undefined ? [] : [...reuse.steps],
    teardown: { status: teardown },
  };
}

function whyNot({ steps, error }: JourneyResult, step: string): string {
  const skipped = steps.find(
    ({ id, phase, workflow }) => id === step && phase === "main" && workflow === undefined,
  );
  return skipped?.reason ?? error?.message ?? "The journey ended before it.";
}
