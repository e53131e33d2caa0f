import { joinRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import { gzipSync } from "node:zlib";
import { OwnApiKey } from "@waymark/shared/api-keys/schema.ts";
import { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import {
  ScanChanges,
  type ScanIngestionPayload,
  ScanIngestionResult,
  ScanRun,
} from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { unexpectedResponseError, parseJson, rejectionError, noResponseError } from "./api-errors.ts";
import { type SubmittedSource, sourceHeaders } from "./ci/source.ts";
import type { Destination, Environment } from "./config.ts";
import { proxyFor } from "./http/proxy.ts";
import { type RetryOptions, withRetries } from "./http/retry.ts";
import { type HttpResponse, NetworkError, send } from "./http/send.ts";
import { GZIP_ABOVE_BYTES } from "./http/sizes.ts";
import type { NetworkTimes } from "./http/times.ts";
import { checkDestination } from "./key-destination.ts";
import { usageError } from "./lib/cli-error.ts";
import { printable } from "./lib/text.ts";
import { VERSION } from "./version.ts";

export interface ConnectionSettings {
  destination: Destination;
  /** Undefined only for requests that need no key. */
  apiKey: string | undefined;
  /** The environment with the proxy variables. */
  proxy: Environment;
  extraCa: string | undefined;
  times: NetworkTimes;
  onRetry: RetryOptions["onRetry"];
}

export interface ApiConnection extends Omit<ConnectionSettings, "destination" | "proxy"> {
  /** Without a trailing slash. */
  baseUrl: string;
  proxy: URL | undefined;
}

/** The fields of an accepted scan that the command needs. The response may have more. */
const AcceptedScan = ScanIngestionResult.pick({
  scanRunId: true,
  status: true,
  endpointCount: true,
  findingCount: true,
}).partial({ status: true });
export type AcceptedScan = z.infer<typeof AcceptedScan>;

const FollowedRun = ScanRun.pick({ status: true, error: true });
export type FollowedRun = z.infer<typeof FollowedRun>;

/**
 * Checks the format of address and key, and whether the key may be sent to that address. Sends nothing.
 * @throws {CliError} with the address, never with the key
 */
export function connectApi(settings: ConnectionSettings): ApiConnection {
  const { apiUrl } = settings.destination;
  const shown = printable(apiUrl, 200);
  // The URL parser drops line breaks and tabs, so the message would show another address than the request uses.
  const url = !UNUSUAL.test(apiUrl) && URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--api-url must be an http:// or https:// address, and is "${shown}".`);
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError(
      "--api-url must not contain a user name or password: requests are authenticated with the API key only.",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw usageError(`--api-url must be a base address, without "?" and "#": "${shown}".`);
  }
  checkDestination(url, settings.destination);
  // A key never has such characters. Usually a quote or a second line was copied too.
  if (settings.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    throw usageError(
      "The API key contains a character that keys never have, such as a space. Copy it again.",
    );
  }
  const { proxy, extraCa, times, onRetry } = settings;
  return {
    baseUrl: apiUrl.replace(/\/+$/, ""),
    apiKey: settings.apiKey,
    proxy: proxyFor(url, proxy),
    extraCa,
    times,
    onRetry,
  };
}

/** Characters that are always escaped in an address: white space, control characters, quotes, angle brackets, backslash. */
const UNUSUAL = /[\s"<>\\^`{|}\p{Cc}\p{Cf}\p{Cs}]/u;

export interface SubmitOptions {
  /** Ensures one run, however often this body arrives. */
  idempotencyKey: string;
  /** When the scan was made, if not now. */
  scannedAt?: string;
  /** False stores the run without making it the service's current one. */
  promote?: boolean;
  source?: SubmittedSource | undefined;
}

/**
 * Submits a scan.
 * @throws {CliError} `scan ingestion failed`, with the server's message
 */
export async function submitScan(
  connection: ApiConnection,
  payload: ScanIngestionPayload,
  options: SubmitOptions,
): Promise<AcceptedScan> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "idempotency-key": options.idempotencyKey,
  };
  if (options.scannedAt !== undefined) headers["scanned-at"] = options.scannedAt;
  if (options.promote === false) headers["waymark-promote"] = "false";
  Object.assign(headers, sourceHeaders(options.source ?? {}));
  const body = Buffer.from(JSON.stringify(payload));
  const request = {
    what: "scan ingestion",
    method: "POST",
    path: "/api/scans/ingest",
    schema: AcceptedScan,
  } as const;
  if (body.length <= GZIP_ABOVE_BYTES) return call(connection, { ...request, headers, body });

  const compressed = gzipSync(body);
  const zipped = { ...headers, "content-encoding": "gzip" };
  const response = await exchange(connection, { ...request, headers: zipped, body: compressed });
  // If a server or proxy accepts no compressed bodies, the same request is sent uncompressed.
  if (response.status === 415) return call(connection, { ...request, headers, body });
  return understand(connection, { ...request, response });
}

/** Reads a scan run's status, and the reason if it failed. The server answers when the run is completed, after `waitSeconds` at the latest. */
export function getScanRun(
  connection: ApiConnection,
  { scanRunId, waitSeconds }: { scanRunId: string; waitSeconds: number },
): Promise<FollowedRun> {
  const path = `/api/scan-runs/${scanRunId}?waitSeconds=${waitSeconds}`;
  return call(connection, { what: "following the scan run", method: "GET", path, schema: FollowedRun });
}

/** The changes of a completed run, compared with the service's current one. */
export async function getChanges(connection: ApiConnection, scanRunId: string): Promise<ScanChanges> {
  const path = `/api/scan-runs/${scanRunId}/changes?against=previous`;
  const what = "comparing the scan run";
  const changes = await call(connection, { what, method: "GET", path, schema: ScanChanges });
  return { ...changes, endpoints: joinRenamedParameters(changes.endpoints) };
}

/** The journeys that call what a completed run lacks and the service's current one has. */
export function getBrokenJourneys(connection: ApiConnection, scanRunId: string): Promise<BrokenJourneys> {
  const path = `/api/scan-runs/${scanRunId}/broken-journeys`;
  return call(connection, {
    what: "asking for broken journeys",
    method: "GET",
    path,
    schema: BrokenJourneys,
  });
}

/** Promotes a run to its service's current one. */
export async function promoteScanRun(connection: ApiConnection, scanRunId: string): Promise<void> {
  const path = `/api/scan-runs/${scanRunId}/promote`;
  await call(connection, { what: "promoting the scan run", method: "POST", path, schema: FollowedRun });
}

/** The fields of the command's own key that it needs, so that older servers with fewer fields work too. */
const OwnKey = OwnApiKey.pick({
  id: true,
  name: true,
  prefix: true,
  scopes: true,
  expiresAt: true,
  organizationId: true,
});
export type OwnKey = z.infer<typeof OwnKey>;

/** The metadata of the connection's own key. */
export function getOwnKey(connection: ApiConnection): Promise<OwnKey> {
  const path = "/api/api-keys/self";
  return call(connection, { what: "reading the key", method: "GET", path, schema: OwnKey });
}

/** The organization that the connection's key belongs to. */
export async function getOrganizationId(connection: ApiConnection): Promise<string> {
  const path = "/api/api-keys/self";
  const schema = OwnKey.pick({ organizationId: true });
  return (await call(connection, { what: "reading the key", method: "GET", path, schema })).organizationId;
}

/** Checks that the server is alive, and returns its clock. */
export async function probeServer(connection: ApiConnection): Promise<{ date: string | undefined }> {
  const request = { what: "reaching the server", method: "GET", path: "/healthz" } as const;
  const response = await exchange(connection, request);
  if (response.status !== 200) throw rejectionError({ ...request, baseUrl: connection.baseUrl }, response);
  return { date: response.headers.date };
}

interface ApiCall {
  /** The action to name in an error message. */
  what: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** Calls the API, with retries. */
export async function call<T>(
  connection: ApiConnection,
  request: ApiCall & { schema: z.ZodType<T> },
): Promise<T> {
  const response = await exchange(connection, request);
  return understand(connection, { ...request, response });
}

/** Calls a route whose success has no content. A page of a proxy is not taken for one. */
export async function callWithoutContent(connection: ApiConnection, request: ApiCall): Promise<void> {
  const response = await exchange(connection, request);
  if (response.status !== 204) understand(connection, { ...request, schema: z.never(), response });
}

/** The content of a successful response. @throws {CliError} with the server's message for any other */
export function understand<T>(
  { baseUrl }: Pick<ApiConnection, "baseUrl">,
  { what, schema, response }: { what: string; schema: z.ZodType<T>; response: HttpResponse },
): T {
  if (response.status < 200 || response.status > 299) throw rejectionError({ what, baseUrl }, response);
  const parsed = schema.safeParse(parseJson(response.body));
  if (parsed.success) return parsed.data;
  throw unexpectedResponseError({ what, baseUrl }, response);
}

/** Sends a request, with retries, and gives whatever response there is. */
export async function exchange(connection: ApiConnection, request: ApiCall): Promise<HttpResponse> {
  const { baseUrl, apiKey, proxy, extraCa, times, onRetry } = connection;
  const attempt = (totalTimeoutMs: number) =>
    send({
      method: request.method,
      url: new URL(baseUrl + request.path),
      headers: {
        ...request.headers,
        accept: "application/json",
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        "user-agent": `waymark/${VERSION}`,
      },
      ...(request.body && { body: request.body }),
      connectTimeoutMs: times.connectMs,
      totalTimeoutMs,
      proxy,
      extraCa,
    });
  try {
    return await withRetries(attempt, { times, onRetry });
  } catch (error) {
    if (error instanceof NetworkError) throw noResponseError({ what: request.what, baseUrl }, error);
    throw error;
  }
}
