import { ERROR_KINDS } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import type { HttpResponse, NetworkError } from "./http/send.ts";
import { CliError, EXIT_CODES, type ExitCode } from "./lib/cli-error.ts";
import { printable } from "./lib/text.ts";

/** What was asked of whom, for the sentence that says it failed. */
export interface ApiTarget {
  /** Such as `scan ingestion`. */
  what: string;
  baseUrl: string;
}

/** No answer came, also not after trying again. */
export function noResponseError({ what, baseUrl }: ApiTarget, error: NetworkError): CliError {
  return new CliError(
    EXIT_CODES.unavailable,
    `${what} failed: no answer from ${baseUrl}: ${printable(error.message, 300)}.`,
    { cause: error, details: ["Is the server running, and is --api-url its address?"] },
  );
}

/** An answer with a good status that holds something else than it should. */
export function unexpectedResponseError({ what, baseUrl }: ApiTarget, answer: HttpResponse): CliError {
  return new CliError(
    EXIT_CODES.unavailable,
    `${what} failed: HTTP ${answer.status} from ${baseUrl}, but the answer is not what was asked for. ` +
      "Is --api-url the address of a Waymark server?",
  );
}

/** An answer that refuses: with the server's own code and message where it is a Waymark server. */
export function rejectionError(target: ApiTarget, answer: HttpResponse): CliError {
  const { status } = answer;
  const parsed = ErrorResponse.safeParse(parseJson(answer.body));
  if (!parsed.success) return foreignRejectionError(target, answer);
  const { code, message, details = [], requestId } = parsed.data.error;
  const lines = details.map((detail) => printable(`${detail.path}: ${detail.message}`, 300));
  if (requestId !== undefined) lines.push(`request id: ${printable(requestId, 100)}`);
  return new CliError(
    exitCodeFor(status, code),
    `${target.what} failed: HTTP ${status} ${printable(code, 100)}: ${printable(message)}`,
    { details: lines },
  );
}

// Not the api's shape: a proxy's page, or another server at that address.
function foreignRejectionError({ what, baseUrl }: ApiTarget, { status, headers }: HttpResponse): CliError {
  const location = headers.location;
  const hint =
    location === undefined
      ? "the answer is not a Waymark error: is --api-url the address of a Waymark server?"
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

/** The parsed body, or undefined where it is no JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
