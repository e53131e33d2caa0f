import { gzipSync } from "node:zlib";
import type { Operation } from "@waymark/shared/operations/operation.ts";
import { type AnyParts, type PartsOf, requestOf, type ResultOf } from "@waymark/shared/operations/request.ts";
import { z } from "zod";
import { unexpectedResponseError, rejectionError, noResponseError } from "./api-errors.ts";
import type { Destination, Environment } from "../lib/config.ts";
import { proxyFor } from "../http/proxy.ts";
import { type RetryOptions, withRetries } from "../http/retry.ts";
import { type HttpResponse, NetworkError, send } from "../http/send.ts";
import { GZIP_ABOVE_BYTES } from "../http/sizes.ts";
import type { NetworkTimes } from "../http/times.ts";
import { parseApiUrl } from "./api-url.ts";
import { checkDestination } from "./key-destination.ts";
import { usageError } from "../lib/cli-error.ts";
import { parseJson } from "../lib/parse-json.ts";
import { VERSION } from "../lib/version.ts";
import type { WorkloadKey } from "./workload-key.ts";

/** A key as the user gave it, or one that the build gets when a request needs it. */
export type ApiKey = string | WorkloadKey;

export interface ConnectionSettings {
  destination: Destination;
  /** Undefined only for requests that need no key. */
  apiKey: ApiKey | undefined;
  /** The environment with the proxy variables. */
  proxy: Environment;
  extraCa: string | undefined;
  times: NetworkTimes;
  onRetry: RetryOptions["onRetry"];
}

export interface ApiConnection extends Omit<ConnectionSettings, "destination" | "proxy"> {
  /** The server's address, without a trailing slash. */
  baseUrl: string;
  proxy: URL | undefined;
}

/**
 * Checks the format of address and key, and whether the key may be sent to that address. Sends nothing.
 * @throws {CliError} with the address, never with the key
 */
export function connectApi(settings: ConnectionSettings): ApiConnection {
  const { apiUrl } = settings.destination;
  const url = parseApiUrl(apiUrl);
  checkDestination(url, settings.destination);
  // A key never has such characters. Usually a quote or a second line was copied too.
  if (typeof settings.apiKey === "string" && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
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

/** Checks that the server is alive, and returns its clock. */
export async function probeServer(connection: ApiConnection): Promise<{ date: string | undefined }> {
  const request = { what: "reaching the server", method: "GET", path: "/healthz" } as const;
  const response = await exchange(connection, request);
  if (response.status !== 200) throw rejectionError({ ...request, baseUrl: connection.baseUrl }, response);
  return { date: response.headers.date };
}

/** A request below the server's address. */
interface ApiRequest {
  /** The action to name in an error message. */
  what: string;
  method: Operation["method"];
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  responseBytesMax?: number;
}

/** The part of an operation's response that the command reads. */
interface Reading<Result> {
  /** The action to name in an error message. */
  what: string;
  /** The fields that the command needs, so that older servers with fewer fields work too. */
  read: z.ZodType<Result>;
}

/** Allows a reading of fields that the operation's response has, and no other. */
type Fits<O extends Operation, Result> = ResultOf<O> extends Result ? unknown : never;

/**
 * Calls an operation of the API, with retries.
 * @throws {CliError} with the server's message for a refusal
 */
export async function call<O extends Operation, Result>(
  connection: ApiConnection,
  declared: O,
  { what, read }: Reading<Result> & Fits<O, Result>,
  parts: PartsOf<O>,
): Promise<Result> {
  const response = await exchange(connection, jsonRequestOf(declared, what, parts));
  return understand(connection, { what, read, response });
}

/** Calls an operation whose success has no content. A page of a proxy is not taken for one. */
export async function callWithoutResult<O extends Operation>(
  connection: ApiConnection,
  declared: O,
  { what }: { what: string },
  parts: PartsOf<O>,
): Promise<void> {
  const response = await exchange(connection, jsonRequestOf(declared, what, parts));
  if (response.status !== 204) understand(connection, { what, read: z.never(), response });
}

/** Returns the request that calls an operation with a body in JSON, if any. */
export function jsonRequestOf(
  declared: Operation,
  what: string,
  parts: AnyParts,
): ApiRequest & { headers: Readonly<Record<string, string>> } {
  const { method, path, headers, body } = requestOf(declared, parts);
  if (body === undefined) return { what, method, path, headers };
  const type = { "content-type": "application/json" };
  return { what, method, path, headers: { ...type, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}

/** Returns the request with its body compressed, or the same request if its body is small. */
export function compressed<R extends ReturnType<typeof jsonRequestOf>>(request: R): R {
  const { body, headers } = request;
  if (body === undefined || body.length <= GZIP_ABOVE_BYTES) return request;
  return { ...request, headers: { ...headers, "content-encoding": "gzip" }, body: gzipSync(body) };
}

/** The content of a successful response. @throws {CliError} with the server's message for any other */
export function understand<T>(
  { baseUrl }: Pick<ApiConnection, "baseUrl">,
  { what, read, response }: { what: string; read: z.ZodType<T>; response: HttpResponse },
): T {
  if (response.status < 200 || response.status > 299) throw rejectionError({ what, baseUrl }, response);
  const parsed = read.safeParse(parseJson(response.body));
  if (parsed.success) return parsed.data;
  throw unexpectedResponseError({ what, baseUrl }, response);
}

/** Sends a request, with retries, and gives whatever response there is. */
export async function exchange(connection: ApiConnection, request: ApiRequest): Promise<HttpResponse> {
  const { baseUrl, proxy, extraCa, times, onRetry } = connection;
  const apiKey =
    typeof connection.apiKey === "object" ? await connection.apiKey.get(connection) : connection.apiKey;
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
      responseBytesMax: request.responseBytesMax,
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
