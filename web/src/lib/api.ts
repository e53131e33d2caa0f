import { ErrorResponse, type VersionConflict } from "@waymark/shared/errors/schema.ts";
import type { OperationAt } from "@waymark/shared/all-operations.ts";
import type { Address } from "@waymark/shared/operations/operation.ts";
import { type AnyParts, type PartsOf, requestOf, type ResultOf } from "@waymark/shared/operations/request.ts";
import { z } from "zod";
import { addressOf } from "./base-path.ts";
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

/** The cursor of the first page of a list. */
export const NO_CURSOR: string | undefined = undefined;

const TIMEOUT_S = 30;

/** A reading of a response: of fewer fields than the operation declares, or of values that it leaves open. */
interface Reading<Result> {
  read: z.ZodType<Result>;
  signal?: AbortSignal | undefined;
}
/** Refuses a reading that does not fit the response that the operation declares. */
export type Fits<A extends Address, Result> =
  Result extends ResultOf<OperationAt<A>>
    ? unknown
    : ResultOf<OperationAt<A>> extends Result
      ? unknown
      : never;

/**
 * Calls an operation of the API and reads the response with a schema; without one, only its status. The browser sends the
 * session's cookie.
 *
 * @throws ApiError for an error response, ConnectionError if there is no response, Error if the response is not valid. Their
 *   messages are for users.
 */
export function callApi<A extends Address, Result>(
  address: A,
  parts: PartsOf<OperationAt<A>>,
  reading: Reading<Result> & Fits<A, Result>,
): Promise<Result>;
export function callApi<A extends Address>(address: A, parts: PartsOf<OperationAt<A>>): Promise<void>;
export function callApi(
  address: Address,
  parts: AnyParts,
  reading: Reading<unknown> = { read: z.unknown() },
): Promise<unknown> {
  return callAny(address, parts, reading);
}

/** `callApi` for an operation that is not known where it is called, or that declares its response as text. */
export async function callAny<Result>(
  address: Address,
  parts: AnyParts,
  { read, signal }: Reading<Result>,
): Promise<Result> {
  const { method, path, headers, body } = requestOf(address, parts);
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
  if (!response.ok) throw refusalOf(response.status, content);
  const result = read.safeParse(content);
  if (result.success) return result.data;
  throw new Error("The server sent an unexpected response. Reload the page or try again later.", {
    cause: result.error,
  });
}

/** Returns the error of a response whose status is not one of success. */
export function refusalOf(status: number, content: unknown): ApiError {
  const refusal = ErrorResponse.safeParse(content);
  return new ApiError(
    status,
    refusal.success
      ? refusal.data.error
      : {
          code: "unexpected_response",
          message: `The server sent an unexpected response (HTTP ${status}). Reload the page or try again later.`,
        },
  );
}

async function send(path: string, request: RequestInit): Promise<Response> {
  try {
    const begun = request.method === "GET" ? await takeBegunCall(path) : undefined;
    return begun ?? (await fetch(addressOf(path), request));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    const message = isLate
      ? `The server did not respond within ${TIMEOUT_S} seconds. Try again.`
      : "The server can't be reached. Check the connection and try again.";
    throw new ConnectionError(message, { cause: error });
  }
}
