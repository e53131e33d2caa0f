import { AppError } from "@waymark/shared/errors/app-error.ts";
import { containsApiKey } from "@waymark/shared/lib/redact-api-keys.ts";
import { z } from "zod";

/** The Idempotency-Key header. @param description the effect of a repetition */
export function idempotencyKeyHeader(description: string) {
  return (
    z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
      // The header is stored for a day.
      .refine((value) => !containsApiKey(value), "must not contain an API key")
      .optional()
      .meta({ description })
  );
}

/** The error for a repetition while the first request is still running. */
export function requestInProgress(): AppError {
  return new AppError(
    "request_in_progress",
    "A request with this Idempotency-Key is still in progress. Try again shortly.",
    { data: { retryAfterSeconds: 1 } },
  );
}
