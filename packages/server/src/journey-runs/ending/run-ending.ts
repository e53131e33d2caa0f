import { hash } from "node:crypto";
import { outcomeDigest } from "@waymark/journeys/result/comparable.ts";
import type { JourneyResult, RunErrorCode, RunStatus } from "@waymark/journeys/result/result.ts";
import { cutTexts, type StepRow } from "./step-rows.ts";

/** The end of a run, redacted. */
export interface RunEnding {
  status: RunStatus;
  error?: { code: RunErrorCode; message: string };
  /** The step that may have been sent when the run was lost. */
  inDoubtStep?: string;
  outcomeDigest: string;
  /** The result as JSON, without its steps. */
  result: string;
  /** Steps that were not written before, or that hold something else now. */
  steps: StepRow[];
  stepCount: number;
  passedStepCount: number;
  operations: {
    source: string;
    method: string;
    path: string;
    calls: number;
    statuses: number[];
    asserted: boolean;
  }[];
  criteria: { id: string; status: string }[];
}

/** The maximum size of a result without its steps. */
export const RESULT_HEAD_BYTES_MAX = 1024 * 1024;

/** Returns a result as it is stored. @param steps those that were not written before, or hold something else now */
export function endingOf(
  result: JourneyResult,
  { steps, inDoubtStep }: { steps: StepRow[]; inDoubtStep?: string | undefined },
): RunEnding {
  return {
    status: result.status,
    ...(result.error === undefined
      ? {}
      : { error: { code: result.error.code, message: result.error.message } }),
    ...(inDoubtStep === undefined ? {} : { inDoubtStep }),
    outcomeDigest: outcomeDigest(result, (data) => hash("sha256", data)),
    result: headText(result),
    steps,
    stepCount: result.steps.length,
    passedStepCount: result.steps.filter(({ status }) => status === "passed").length,
    operations: result.coverage.operations,
    criteria: result.acceptance.map(({ id, status }) => ({ id, status })),
  };
}

/**
 * Returns the head as text: without values, and at last without lists, if it would be too large. Operations and
 * criteria have their own rows.
 */
function headText(result: JourneyResult): string {
  const { steps: _, ...head } = result;
  const short = () => ({ ...cutTexts(head), inputs: {}, outputs: {} });
  const least = () => ({ ...short(), acceptance: [], coverage: { operations: [], notInInventory: [] } });
  for (const form of [() => head, short]) {
    const text = JSON.stringify(form());
    if (Buffer.byteLength(text) <= RESULT_HEAD_BYTES_MAX) return text;
  }
  return JSON.stringify(least());
}
