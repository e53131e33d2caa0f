import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";

/** A worker stores an accepted run within a second, unless many wait. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Returns a run that has a content.
 *
 * @throws AppError `run_not_completed` for an accepted run, `run_failed` for a failed one
 */
export function completedRun(run: ScanRun): ScanRun {
  if (run.status === "completed") return run;
  if (run.status === "failed") {
    throw new AppError("run_failed", `The scan run ${run.id} failed and has no content.`);
  }
  throw new AppError("run_not_completed", `The scan run ${run.id} is not completed yet. Try again shortly.`, {
    data: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
