import { withoutBodies } from "@waymark/journeys/result/exchanges.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { uploadJourneyResult } from "@waymark/shared/journey-runs/operations.ts";
import { type JourneyRunCi, UploadedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import type { z } from "zod";
import {
  type ApiConnection,
  compressed,
  exchange,
  jsonRequestOf,
  understand,
} from "../../../api/api-client.ts";

const Uploaded = UploadedJourneyRun.pick({ runId: true, resultUrl: true });

/** A result to send, with the pipeline that it comes from and the path of its journey's document. */
export interface ResultUpload {
  result: JourneyResult;
  ci?: JourneyRunCi | undefined;
  path?: string | undefined;
}

export interface UploadedResult extends z.infer<typeof Uploaded> {
  /** False if the server had it already. */
  isNew: boolean;
}

/** Sends a result. The same one is stored once, however often it arrives. @throws {CliError} if it was not stored */
export async function sendResult(
  connection: ApiConnection,
  { result, ci, path }: ResultUpload,
): Promise<UploadedResult> {
  const what = "uploading the result";
  const request = jsonRequestOf(uploadJourneyResult, what, { body: withinLimit({ result, ci, path }) });
  const response = await exchange(connection, compressed(request));
  const uploaded = understand(connection, { what, read: Uploaded, response });
  return { ...uploaded, isNew: response.status === 201 };
}

/** Removes the bodies of passed steps, then all bodies, if the server would refuse the result for its size. */
function withinLimit(upload: ResultUpload): ResultUpload {
  const isWithin = (one: ResultUpload) =>
    Buffer.byteLength(JSON.stringify(one)) <= JOURNEY_RUN_LIMITS.uploadBytesMax;
  if (isWithin(upload)) return upload;
  const { result } = upload;
  const without = (isLess: (status: string) => boolean): ResultUpload => ({
    ...upload,
    result: {
      ...result,
      steps: result.steps.map((step) =>
        step.evidence === undefined || !isLess(step.status)
          ? step
          : { ...step, evidence: withoutBodies(step.evidence) },
      ),
    },
  });
  const less = without((status) => status === "passed");
  return isWithin(less) ? less : without(() => true);
}
