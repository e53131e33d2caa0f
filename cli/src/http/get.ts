import { CliError, EXIT_CODES } from "../lib/cli-error.ts";
import type { Environment } from "../lib/config.ts";
import { printable } from "../lib/text.ts";
import { VERSION } from "../lib/version.ts";
import { proxyFor } from "./proxy.ts";
import { withRetries } from "./retry.ts";
import { type HttpResponse, NetworkError, send } from "./send.ts";
import type { NetworkTimes } from "./times.ts";

export interface GetRequest {
  url: URL;
  headers: Record<string, string>;
  env: Environment;
  times: NetworkTimes;
  /** A certificate of `--ca-cert`. */
  extraCa: string | undefined;
  responseBytesMax: number;
  /** The beginning of the error without a response, such as "Reading https://git.example/a.yaml failed". */
  failure: string;
}

/**
 * Sends a GET to an address that is not the server's, by the environment's proxy, and again after temporary errors.
 *
 * @throws {CliError} if there is no response
 */
export async function getAddress(request: GetRequest): Promise<HttpResponse> {
  const { url, headers, env, times, extraCa, responseBytesMax, failure } = request;
  const attempt = (totalTimeoutMs: number) =>
    send({
      method: "GET",
      url,
      headers: { ...headers, "user-agent": `waymark/${VERSION}` },
      connectTimeoutMs: times.connectMs,
      totalTimeoutMs,
      proxy: proxyFor(url, env),
      extraCa,
      responseBytesMax,
    });
  try {
    return await withRetries(attempt, { times, onRetry: () => undefined });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const message = `${failure}: ${printable(error.message, 300)}.`;
    throw new CliError(EXIT_CODES.unavailable, message, { cause: error });
  }
}
