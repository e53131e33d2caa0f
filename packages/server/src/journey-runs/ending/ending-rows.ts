import { toBlob } from "../../db/blobs.ts";
import { storable } from "../../lib/storable.ts";
import type { JourneyRunEnd } from "../work/queries.ts";
import type { RunEnding } from "./run-ending.ts";
import type { StepRow } from "./step-rows.ts";

const MESSAGE_MAX = 2_000;

/** Returns an ending as the database takes it. @param unwritten steps that the ending may hold anew */
export async function endingRows(
  ending: RunEnding,
  unwritten: readonly StepRow[] = [],
): Promise<JourneyRunEnd> {
  const { status, error, inDoubtStep, stepCount, passedStepCount } = ending;
  return {
    outcome: {
      status,
      stepCount,
      passedStepCount,
      outcomeDigest: ending.outcomeDigest,
      ...(error === undefined
        ? {}
        : { errorCode: error.code, errorMessage: storable(error.message, MESSAGE_MAX) }),
      ...(inDoubtStep === undefined ? {} : { inDoubtStep: storable(inDoubtStep) }),
    },
    result: await toBlob(Buffer.from(ending.result)),
    // The last state of each step.
    steps: [...new Map([...unwritten, ...ending.steps].map((step) => [step.seq, step])).values()],
    operations: ending.operations.map(({ source, method, path, calls, statuses, asserted }) => ({
      source: storable(source),
      method: storable(method),
      path: storable(path),
      calls,
      statuses,
      asserted,
    })),
    criteria: ending.criteria.map(({ id, status: verdict }) => ({ id: storable(id), status: verdict })),
  };
}
