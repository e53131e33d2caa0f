import { AppError } from "@waymark/shared/errors/app-error.ts";

/** The error for a repetition while the first request is still running. */
export function requestInProgress(): AppError {
  return new AppError(
    "request_in_progress",
    "A request with this Idempotency-Key is still in progress. Try again shortly.",
    { data: { retryAfterSeconds: 1 } },
  );
}
