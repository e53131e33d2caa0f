import { ERROR_KINDS } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import type { HttpResponse, NetworkError } from "../http/send.ts";
import { CliError, EXIT_CODES, type ExitCode } from "../lib/cli-error.ts";
import { parseJson } from "../lib/parse-json.ts";
import { printable } from "../lib/text.ts";

/** The request that failed and its server, for the error message. */
export interface ApiTarget {
  /** The name of the request in messages, such as `scan ingestion`. */
  what: string;
  baseUrl: string;
}

/** There was no response, even after retries. */
export function noResponseError({ what, baseUrl }: ApiTarget, error: NetworkError): CliError {
  // A server with an untrusted certificate or without TLS is running.
  const details = error.isFinal ? [] : ["Is the server running, and is --api-url its address?"];
  return new CliError(
    EXIT_CODES.unavailable,
    `${what} failed: no response from ${baseUrl}: ${printable(error.message, 300)}.`,
    { cause: error, details },
  );
}

/** A response with a success status and unexpected content. */
export function unexpectedResponseError({ what, baseUrl }: ApiTarget, response: HttpResponse): CliError {
  return new CliError(
    EXIT_CODES.unavailable,
    `${what} failed: HTTP ${response.status} from ${baseUrl}, but the response is not that of a Waymark server. ` +
      "Is --api-url the address of a Waymark server?",
  );
}

/** An error response: with the server's code and message, if it is a Waymark server. */
export function rejectionError(target: ApiTarget, response: HttpResponse): CliError {
  const { status } = response;
  const parsed = ErrorResponse.safeParse(parseJson(response.body));
  if (!parsed.success) return foreignRejectionError(target, response);
  const { code, message, details = [], requestId } = parsed.data.error;
  const lines = details.map((detail) => printable(`${detail.path}: ${detail.message}`, 300));
  if (requestId !== undefined) lines.push(`request id: ${printable(requestId, 100)}`);
  return new CliError(
    exitCodeFor(status, code),
    `${target.what} failed: HTTP ${status} ${printable(code, 100)}: ${printable(message)}`,
    { details: lines, code },
  );
}

// Not an error of the API: a proxy's page, or another server at that address.
function foreignRejectionError({ what, baseUrl }: ApiTarget, { status, headers }: HttpResponse): CliError {
  const location = headers.location;
  const hint =
    location === undefined
      ? status >= 500
        ? "server or gateway error. Try again later; if it persists, check the server and the proxies in front of it."
        : "the response is not a Waymark error: is --api-url the address of a Waymark server?"
      : `redirected to ${printable(location, 200)}, which is not followed: set --api-url to the final address.`;
  return new CliError(exitCodeFor(status), `${what} failed: HTTP ${status} from ${baseUrl}: ${hint}`);
}

function exitCodeFor(status: number, code?: string): ExitCode {
  const known = Object.entries(ERROR_KINDS).find(([name]) => name === code)?.[1];
  if (known !== undefined) return known.exitCode;
  if (status === 401 || status === 403 || status === 407) return EXIT_CODES.access;
  if (status === 408 || status === 409 || status === 429 || status >= 500) return EXIT_CODES.unavailable;
  return EXIT_CODES.usage;
}
