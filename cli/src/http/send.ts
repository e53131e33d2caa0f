import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { certificateFault, describeFailure } from "@waymark/shared/lib/network-failures.ts";
import { defaultCertificates } from "@waymark/shared/lib/trusted-certificates.ts";
import { proxyAuthorization } from "./proxy.ts";

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: URL;
  headers: Record<string, string>;
  body?: Buffer;
  /** Until the connection is established, including TLS. */
  connectTimeoutMs: number;
  /** Until the last byte of the response, which also limits a server that sends one byte a second. */
  totalTimeoutMs: number;
  proxy: URL | undefined;
  /** Certificates in PEM to trust besides those that Node trusts by default. */
  extraCa: string | undefined;
  /** The maximum size of the response, as it is sent; 8 MiB, if not given. */
  responseBytesMax?: number | undefined;
}

export interface HttpResponse {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** There was no complete response. `cause` is the system's error, if there is one. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** A retry can't help, for example with an untrusted certificate. */
  readonly isFinal: boolean;

  constructor(message: string, options: { cause?: unknown; isFinal?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.isFinal = options.isFinal ?? false;
  }
}

/** The maximum size of a response. Responses to scans have some hundred bytes. */
const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Sends one request and reads the complete response, whatever its status. It doesn't follow redirects, because the key
 * would go to another address.
 * @throws {NetworkError} if no complete response arrived in time
 */
export async function send(options: HttpRequest): Promise<HttpResponse> {
  const { url } = options;
  const request = await openRequest(options);
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = [];
    const settle = (act: () => void) => {
      for (const timer of timers) clearTimeout(timer);
      act();
    };
    const fail = (message: string, cause?: unknown) => {
      settle(() => reject(new NetworkError(message, { cause, isFinal: isFinal(cause) })));
      request.destroy();
    };

    const connecting = setTimeout(() => {
      fail(`no connection within ${seconds(options.connectTimeoutMs)}`);
    }, options.connectTimeoutMs);
    timers.push(connecting);
    timers.push(
      setTimeout(() => {
        fail(`no complete response within ${seconds(options.totalTimeoutMs)}`);
      }, options.totalTimeoutMs),
    );
    request.once("socket", (socket) => {
      // A kept connection is used by many requests: a listener of each would be left on it.
      if (!socket.connecting) clearTimeout(connecting);
      else
        socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => clearTimeout(connecting));
    });

    let responded = false;
    request.once("response", (response) => {
      responded = true;
      collect(response, options.responseBytesMax ?? RESPONSE_BYTES_MAX).then(
        (complete) => settle(() => resolve(complete)),
        (error: unknown) => fail(explain(error, options), error),
      );
    });
    // A response that has arrived counts: a server that refuses a large body may close the connection during the upload.
    request.on("error", (error) => {
      if (!responded) fail(explain(error, options), error);
    });
    request.end(options.body);
  });
}

async function openRequest(options: HttpRequest): Promise<ClientRequest> {
  const { url, method, body, proxy, extraCa } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (body !== undefined) headers["content-length"] = String(body.length);
  const ca = extraCa === undefined ? undefined : [...defaultCertificates(), extraCa];
  if (url.protocol === "https:") {
    const agent = proxy && new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, ca ? { ca } : {});
    return requestHttps(url, { method, headers, ...(ca && { ca }), ...(agent && { agent }) });
  }
  if (proxy === undefined) return requestHttp(url, { method, headers });
  // For plain HTTP, the request to the proxy has the complete URL.
  const authorization = proxyAuthorization(proxy);
  if (authorization !== undefined) headers["proxy-authorization"] = authorization;
  const start = proxy.protocol === "https:" ? requestHttps : requestHttp;
  return start(proxy, { method, path: url.href, headers: { ...headers, host: url.host }, ...(ca && { ca }) });
}

async function collect(response: IncomingMessage, bytesMax: number): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new ResponseTooLargeError(bytesMax);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

class ResponseTooLargeError extends Error {
  constructor(bytesMax: number) {
    super(`the response has more than ${bytesMax} bytes`);
  }
}

/** True if a retry can't help. */
function isFinal(error: unknown): boolean {
  return certificateFault(error) !== undefined || isNotTls(error) || error instanceof ResponseTooLargeError;
}

function explain(error: unknown, { url, proxy }: HttpRequest): string {
  const fault = certificateFault(error);
  if (fault !== undefined)
    return `its certificate is not trusted (${fault}): pass --ca-cert if it is your own`;
  const way = proxy === undefined ? "" : ` (through the proxy ${proxy.host})`;
  if (isNotTls(error)) return `port ${url.port || "443"} doesn't speak TLS (did you mean http://?)${way}`;
  return describeFailure(error) + way;
}

/** The other side sent something else than TLS. OpenSSL's own message names only its source files. */
function isNotTls(error: unknown): boolean {
  return error instanceof Error && /wrong version number|packet length too long/.test(error.message);
}

function seconds(ms: number): string {
  return `${Math.max(0.1, Math.round(ms / 100) / 10)} s`;
}
