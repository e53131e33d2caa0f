import { withoutBodies, withoutEarlier } from "@waymark/journeys/result/exchanges.ts";
import type { Evidence, StepResult } from "@waymark/journeys/result/result.ts";
import { storable } from "../../lib/storable.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";

/** A step as it is stored: its place among the steps, and texts of JSON. */
export interface StepRow {
  seq: number;
  stepId: string;
  phase: "main" | "teardown";
  workflow: string | null;
  status: string;
  ms: number;
  /** The step's result without the evidence. */
  result: string;
  evidence: string | null;
}

/**
 * Bytes of all steps of one run. With the rest of the result (`RESULT_HEAD_BYTES_MAX`) and a megabyte for steps of which only the
 * outcome is left, they make up the limit of a result.
 */
export const STEP_BYTES_MAX = {
  evidence: JOURNEY_RUN_LIMITS.evidenceBytesMax,
  values: 2 * 1024 * 1024,
} as const;

/** The share of the bytes that steps that passed may use during a run. The rest is for steps that don't pass. */
const PASSED_SHARE = 0.5;
/** The maximum length of a text that is cut, in characters. */
const CUT_CHARS = 200;
const LEFT_OUT = "Values were left out: the result of a run has a limit.";

interface Used {
  evidence: number;
  values: number;
}

/** Turns results into rows that keep to the limits, and remembers which were sent. */
export interface StepRows {
  /** The next step. */
  take: (step: StepResult) => StepRow;
  /** Returns the rows of those final results that differ from what was sent. */
  changed: (steps: readonly StepResult[]) => StepRow[];
  count: () => number;
}

/** @param known steps that were stored before, as they were */
export function createStepRows({
  storesBodies,
  known,
}: {
  storesBodies: boolean;
  known: readonly StepResult[];
}): StepRows {
  const used = { evidence: 0, values: 0 };
  const next = (step: StepResult, seq: number) => {
    const share = step.status === "passed" ? PASSED_SHARE : 1;
    return toRow(step, seq, { used, share, storesBodies });
  };
  const textOf = ({ result, evidence }: StepRow) => `${result}\n${evidence ?? ""}`;
  const sent = known.map((step, seq) => textOf(next(step, seq)));
  return {
    take: (step) => {
      const row = next(step, sent.length);
      sent.push(textOf(row));
      return row;
    },
    changed: (steps) => stepRows(steps, { storesBodies }).filter((row) => textOf(row) !== sent[row.seq]),
    count: () => sent.length,
  };
}

/** The rows of all steps. Those that passed give way to the others. */
export function stepRows(
  steps: readonly StepResult[],
  { storesBodies }: { storesBodies: boolean },
): StepRow[] {
  const used = { evidence: 0, values: 0 };
  const numbered = steps.map((step, seq) => ({ step, seq }));
  const hasPassed = ({ step }: { step: StepResult }) => step.status === "passed";
  const inOrderOfNeed = [...numbered.filter((one) => !hasPassed(one)), ...numbered.filter(hasPassed)];
  return inOrderOfNeed
    .map(({ step, seq }) => toRow(step, seq, { used, share: 1, storesBodies }))
    .toSorted((a, b) => a.seq - b.seq);
}

function toRow(
  step: StepResult,
  seq: number,
  { used, share, storesBodies }: { used: Used; share: number; storesBodies: boolean },
): StepRow {
  const { evidence, ...rest } = step;
  return {
    seq,
    stepId: storable(step.id),
    phase: step.phase,
    workflow: step.workflow === undefined ? null : storable(step.workflow),
    status: step.status,
    ms: step.ms,
    result:
      firstThatFits([() => rest, () => lean(rest)], { used, share, of: "values" }) ??
      JSON.stringify(skeleton(rest)),
    evidence:
      evidence === undefined
        ? null
        : firstThatFits(formsOf(evidence, storesBodies), { used, share, of: "evidence" }),
  };
}

/** The text of the first form for which there is room. */
function firstThatFits(
  forms: readonly (() => object)[],
  { used, share, of }: { used: Used; share: number; of: keyof Used },
): string | null {
  for (const form of forms) {
    const text = JSON.stringify(form());
    const bytes = Buffer.byteLength(text);
    if (used[of] + bytes > STEP_BYTES_MAX[of] * share) continue;
    used[of] += bytes;
    return text;
  }
  return null;
}

/** The forms of a step's evidence, the one with the most first: earlier attempts give way before bodies of the last one. */
function formsOf(evidence: Evidence, storesBodies: boolean): (() => Evidence)[] {
  const last = () => withoutEarlier(evidence);
  return [
    ...(storesBodies ? [() => evidence, last] : []),
    () => withoutBodies(evidence),
    () => withoutBodies(last()),
  ];
}

type StepWithoutEvidence = Omit<StepResult, "evidence">;

/** Returns the step with its decisions and without its values. */
function lean(step: StepWithoutEvidence): StepWithoutEvidence {
  const { assertions, outputs: _, notes = [], ...rest } = step;
  const decided = assertions.map(({ actual: _actual, expected: _expected, ...assertion }) => assertion);
  return { ...cutTexts({ ...rest, assertions: decided }), notes: [...notes.map(cut), LEFT_OUT], outputs: {} };
}

/** Returns only the outcome of a step. */
function skeleton({
  id,
  phase,
  status,
  workflow,
  ms,
  startedAt,
  handled,
}: StepWithoutEvidence): StepWithoutEvidence {
  return {
    id: cut(id),
    phase,
    status,
    ...(workflow === undefined ? {} : { workflow: cut(workflow) }),
    ...(handled === undefined ? {} : { handled }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ms,
    notes: [LEFT_OUT],
    attempts: [],
    assertions: [],
    contract: [],
    outputs: {},
  };
}

/** A copy whose texts are short. */
export function cutTexts<T>(value: T): T;
export function cutTexts(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return value.map((item: unknown) => cutTexts(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cut(name), cutTexts(member)]));
}

function cut(text: string): string {
  return text.length <= CUT_CHARS ? text : `${text.slice(0, CUT_CHARS)}…`;
}
