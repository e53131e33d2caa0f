import { ErrorResponse, type VersionConflict } from "@waymark/shared/errors/schema.ts";
import type { z } from "zod";
import { takeBegunCall } from "./begun-calls.ts";

/** An error response of the API. Pages choose their message by its code. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly details: readonly { path: string; message: string }[];
  /** The documents that have newer versions, for the code `version_conflict`. */
  readonly conflicts: readonly VersionConflict[];

  constructor(status: number, body: ErrorResponse["error"]) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.details = body.details ?? [];
    this.conflicts = body.conflicts ?? [];
  }
}

/** There was no response. The cause is the browser's own error, such as "Failed to fetch". */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

const TIMEOUT_S = 30;

/**
 * Calls the API and checks the response against the shared schema. The browser sends the session's cookie.
 *
 * @throws ApiError for an error response, ConnectionError if there is no response, Error if the response is not valid. Their
 *   messages are for users.
 */
export async function callApi<T>(
  schema: z.ZodType<T>,
  path: string,
  options: {
    method?: "GET" | "POST" | "PUT" | "DELETE";
    body?: unknown;
    signal?: AbortSignal;
    headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<T> {
  const { method = "GET", body, signal, headers } = options;
  const response = await send(path, {
    method,
    credentials: "same-origin",
    signal: AbortSignal.any([
      AbortSignal.timeout(TIMEOUT_S * 1000),
      ...(signal === undefined ? [] : [signal]),
    ]),
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const content: unknown = await response.json().catch(() => undefined);
  if (response.ok) {
    const result = schema.safeParse(content);
    if (result.success) return result.data;
    throw new Error("The server sent an unexpected response. Reload the page or try again later.", {
      cause: result.error,
    });
  }
  const refusal = ErrorResponse.safeParse(content);
  throw new ApiError(
    response.status,
    refusal.success
      ? refusal.data.error
      : {
          code: "unexpected_response",
          message: `The server sent an unexpected response (HTTP ${response.status}). Reload the page or try again later.`,
        },
  );
}

async function send(path: string, request: RequestInit): Promise<Response> {
  try {
    const begun = request.method === "GET" ? await takeBegunCall(path) : undefined;
    return begun ?? (await fetch(path, request));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    const message = isLate
      ? `The server did not respond within ${TIMEOUT_S} seconds. Try again.`
      : "The server can't be reached. Check the connection and try again.";
    throw new ConnectionError(message, { cause: error });
  }
}
