import { addTime, type EvaluationBudget } from "../evaluation/budget.ts";
import { EvaluationLimit } from "../expressions/engine-error.ts";
import { RunAborted, type RunLimits } from "./limits.ts";

/** A teardown has these in addition to the run's limits: it must remove what was created, even if creating it used them up. */
const TEARDOWN_STEPS = 100;
const TEARDOWN_REQUESTS = 200;

/** The characters of secrets that functions may make in a run: each is searched for. */
const MADE_CHARS_MAX = 4 * 1024 * 1024;

/** The numbers of steps, requests and workflows that were started so far. */
export interface RunCounters {
  steps: number;
  requests: number;
  workflows: number;
}

/** The limits of a run and how much of them is used. Only its functions change it. */
export interface RunBudget {
  readonly limits: Readonly<RunLimits>;
  readonly counters: Readonly<RunCounters>;
  /** The time for evaluations, which the evaluator uses up. */
  readonly evaluations: EvaluationBudget;
  /** The end of the time, on the monotonic clock. It moves for the teardown and for a step with a time of its own. */
  readonly deadline: number;
  /** The phase decides which limits hold and whether a cancellation counts. */
  readonly phase: "main" | "teardown";
  /** The sizes of the outputs that are kept, by the step or workflow they belong to. */
  readonly outputSizes: ReadonlyMap<string, number>;
  /** @throws RunAborted beyond the limit */
  startStep: () => void;
  /** @throws RunAborted beyond the limit */
  startRequest: () => void;
  /** Returns the number of workflows before this one. */
  startWorkflow: () => number;
  /** Replaces the size of the outputs that an owner keeps. @throws RunAborted if all are too large */
  keepOutputs: (owner: string, size: number) => void;
  /** Counts the characters of secrets that functions make. @throws EvaluationLimit if these would be too many */
  countMade: (characters: number) => void;
  /** Moves the end of the time while the work is carried out. */
  within: <T>(deadline: number, work: () => Promise<T>) => Promise<T>;
  /** Starts a teardown, with limits and a time of its own. Returns a function that ends it. */
  enterTeardown: (now: number, options: { isOutermost: boolean }) => () => void;
  /** Takes over what a checkpoint has of the run's budget. */
  restore: (values: { counters: RunCounters; outputSizes: Readonly<Record<string, number>> }) => void;
}

/** The part of a budget that a teardown has for itself. */
type Bounds = Pick<RunBudget, "limits" | "deadline" | "phase">;

export function createRunBudget(limits: RunLimits, start: number): RunBudget {
  const counters: RunCounters = { steps: 0, requests: 0, workflows: 0 };
  const evaluations = { leftMs: limits.evaluationMs, givenMs: limits.evaluationMs };
  const outputs = createOutputSizes();
  let madeChars = 0;
  // Accessors would make a run take 8 % longer.
  const budget: { -readonly [K in keyof RunBudget]: RunBudget[K] } = {
    limits,
    deadline: start + limits.runMs,
    phase: "main",
    counters,
    evaluations,
    outputSizes: outputs.sizes,
    startStep() {
      const { steps } = budget.limits;
      if (++counters.steps > steps) throw tooMany(`started its ${steps} steps`);
    },
    startRequest() {
      const { requests, evaluationMsPerRequest } = budget.limits;
      if (++counters.requests > requests) throw tooMany(`sent its ${requests} requests`);
      addTime(evaluations, evaluationMsPerRequest);
    },
    startWorkflow: () => counters.workflows++,
    keepOutputs(owner, size) {
      if (outputs.keep(owner, size) > budget.limits.outputChars) throw outputsTooLarge(budget.limits);
    },
    countMade(characters) {
      if (madeChars + characters > MADE_CHARS_MAX)
        throw new EvaluationLimit(
          `functions have made secrets of more than ${MADE_CHARS_MAX / 1024 / 1024} MiB`,
        );
      madeChars += characters;
    },
    within: (deadline, work) => withDeadline(budget, deadline, work),
    enterTeardown(time, { isOutermost }) {
      const { limits: own, deadline, phase } = budget;
      Object.assign(budget, teardownBounds(own, counters, time));
      if (isOutermost) addTime(evaluations, own.evaluationMs);
      return () => void Object.assign(budget, { limits: own, deadline, phase });
    },
    restore(values) {
      Object.assign(counters, values.counters);
      for (const [owner, size] of Object.entries(values.outputSizes)) outputs.keep(owner, size);
    },
  };
  return budget;
}

async function withDeadline<T>(
  now: { deadline: number },
  deadline: number,
  work: () => Promise<T>,
): Promise<T> {
  const before = now.deadline;
  now.deadline = deadline;
  try {
    return await work();
  } finally {
    now.deadline = before;
  }
}

function teardownBounds(limits: Readonly<RunLimits>, { steps, requests }: RunCounters, time: number): Bounds {
  return {
    phase: "teardown",
    deadline: time + limits.teardownMs,
    limits: { ...limits, steps: steps + TEARDOWN_STEPS, requests: requests + TEARDOWN_REQUESTS },
  };
}

/** Keeps the sizes of outputs by their owners. `keep` replaces one and returns the sum of all. */
function createOutputSizes() {
  const sizes = new Map<string, number>();
  let total = 0;
  return {
    sizes,
    keep(owner: string, size: number): number {
      total += size - (sizes.get(owner) ?? 0);
      sizes.set(owner, size);
      return total;
    },
  };
}

function tooMany(what: string): RunAborted {
  return new RunAborted("limit", `The run has ${what}.`);
}

function outputsTooLarge({ outputChars }: Readonly<RunLimits>): RunAborted {
  return new RunAborted(
    "limit",
    `The outputs of the run's steps are larger than ${outputChars} characters: keep fewer or smaller ones.`,
  );
}
