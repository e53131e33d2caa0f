import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import type { z } from "zod";

/** What the api refused, with the code that tells pages what to show. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly details: readonly { path: string; message: string }[];

  constructor(status: number, body: ErrorResponse["error"]) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.details = body.details ?? [];
  }
}

const TIMEOUT_MS = 30_000;

/**
 * Asks the api and checks its answer against the shared model. The session's cookie goes along by itself.
 *
 * @throws ApiError for a refusal, Error when there is no usable answer
 */
export async function callApi<T>(
  schema: z.ZodType<T>,
  path: string,
  options: { method?: "GET" | "POST" | "DELETE"; body?: unknown; signal?: AbortSignal } = {},
): Promise<T> {
  const { method = "GET", body, signal } = options;
  const response = await fetch(path, {
    method,
    credentials: "same-origin",
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return schema.parse(answer);
  const refusal = ErrorResponse.safeParse(answer);
  throw new ApiError(
    response.status,
    refusal.success
      ? refusal.data.error
      : {
          code: "unexpected_answer",
          message: `The server answered ${response.status} in a form not known here.`,
        },
  );
}
