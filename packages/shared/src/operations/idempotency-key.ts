import { z } from "zod";
import { containsApiKey } from "../lib/redact-api-keys.ts";

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
