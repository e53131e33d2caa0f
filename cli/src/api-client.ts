import { randomUUID } from "node:crypto";
import { ERROR_KINDS } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { ScanIngestionResult, type ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { type HttpAnswer, NetworkError, send } from "./http/send.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "./lib/cli-error.ts";
import { printable } from "./lib/text.ts";
import { VERSION } from "./version.ts";

export interface ApiConnection {
  /** Without a trailing slash, as the user wrote it. */
  baseUrl: string;
  apiKey: string;
}

/** What the command reports of an accepted scan. The server may answer with more. */
const AcceptedScan = ScanIngestionResult.pick({ scanRunId: true, endpointCount: true, findingCount: true });
export type AcceptedScan = Pick<ScanIngestionResult, "scanRunId" | "endpointCount" | "findingCount">;

const CONNECT_TIMEOUT_MS = 10_000;
const TOTAL_TIMEOUT_MS = 60_000;

/**
 * Checks the address and the key as far as that goes without the server.
 * @throws {CliError} that shows the address, never the key
 */
export function connectApi(settings: { apiUrl: string; apiKey: string }): ApiConnection {
  const shown = printable(settings.apiUrl, 200);
  const url = URL.canParse(settings.apiUrl) ? new URL(settings.apiUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--api-url must be an http:// or https:// address, and is "${shown}".`);
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError("--api-url must not hold a user name or password: the API key is all that is sent.");
  }
  if (url.search !== "" || url.hash !== "") {
    throw usageError(`--api-url must be a base address, without "?" and "#": "${shown}".`);
  }
  // What can't stand in a header was never a key: usually a quote or a second line pasted along.
  if (!/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    throw usageError("The API key has a character that no key has, such as a space: copy it again.");
  }
  return { baseUrl: settings.apiUrl.replace(/\/+$/, ""), apiKey: settings.apiKey };
}

/**
 * Submits a scan. The Idempotency-Key makes it one run however often this body arrives.
 * @throws {CliError} `scan ingestion failed`, with what the server answered
 */
export async function submitScan(
  connection: ApiConnection,
  payload: ScanIngestionPayload,
): Promise<AcceptedScan> {
  const answer = await exchange(connection, {
    path: "/api/scans/ingest",
    body: Buffer.from(JSON.stringify(payload)),
    headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
  });
  if (answer.status < 200 || answer.status > 299) throw rejection(connection, answer);
  const accepted = AcceptedScan.safeParse(parseJson(answer.body));
  if (accepted.success) return accepted.data;
  throw new CliError(
    EXIT_CODES.unavailable,
    `scan ingestion failed: HTTP ${answer.status} from ${connection.baseUrl}, but the answer is not a scan result. ` +
      "Is --api-url the address of a Waymark server?",
  );
}

async function exchange(
  connection: ApiConnection,
  options: { path: string; body: Buffer; headers: Record<string, string> },
): Promise<HttpAnswer> {
  try {
    return await send({
      method: "POST",
      url: new URL(connection.baseUrl + options.path),
      body: options.body,
      headers: {
        ...options.headers,
        accept: "application/json",
        authorization: `Bearer ${connection.apiKey}`,
        "user-agent": `waymark/${VERSION}`,
      },
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      totalTimeoutMs: TOTAL_TIMEOUT_MS,
    });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new CliError(
      EXIT_CODES.unavailable,
      `scan ingestion failed: no answer from ${connection.baseUrl}: ${error.message}.`,
      { cause: error, details: ["Is the server running, and is --api-url its address?"] },
    );
  }
}

function rejection(connection: ApiConnection, answer: HttpAnswer): CliError {
  const { status } = answer;
  const parsed = ErrorResponse.safeParse(parseJson(answer.body));
  if (!parsed.success) return strangeRejection(connection, answer);
  const { code, message, details = [], requestId } = parsed.data.error;
  const lines = details.map((detail) => printable(`${detail.path}: ${detail.message}`, 300));
  if (requestId !== undefined) lines.push(`request id: ${printable(requestId, 100)}`);
  return new CliError(
    exitCodeFor(status, code),
    `scan ingestion failed: HTTP ${status} ${printable(code, 100)}: ${printable(message)}`,
    { details: lines },
  );
}

// Not the api's shape: a proxy's page, or another server at that address.
function strangeRejection(connection: ApiConnection, { status, headers }: HttpAnswer): CliError {
  const location = headers.location;
  const hint =
    location === undefined
      ? "the answer is not a Waymark error: is --api-url the address of a Waymark server?"
      : `redirected to ${printable(location, 200)}, which is not followed: set --api-url to the final address.`;
  return new CliError(
    exitCodeFor(status),
    `scan ingestion failed: HTTP ${status} from ${connection.baseUrl}: ${hint}`,
  );
}

function exitCodeFor(status: number, code?: string): ExitCode {
  const known = Object.entries(ERROR_KINDS).find(([name]) => name === code)?.[1];
  if (known !== undefined) return known.exitCode;
  if (status === 401 || status === 403 || status === 407) return EXIT_CODES.access;
  if (status === 408 || status === 409 || status === 429 || status >= 500) return EXIT_CODES.unavailable;
  return EXIT_CODES.usage;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
