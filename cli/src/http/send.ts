import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { rootCertificates } from "node:tls";
import { certificateFault, describeFailure } from "@waymark/shared/lib/network-failures.ts";
import { proxyAuthorization } from "./proxy.ts";

export interface HttpRequest {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  body?: Buffer;
  /** Until the connection stands, TLS included. */
  connectTimeoutMs: number;
  /** Until the last byte of the answer: also ends a server that drips one byte a second. */
  totalTimeoutMs: number;
  proxy: URL | undefined;
  /** Certificates in PEM that are trusted besides Node's own. */
  extraCa: string | undefined;
}

export interface HttpResponse {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** No whole answer came. `cause` has the system's error where there is one. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** Trying again can't help: a certificate that is not trusted, for instance. */
  readonly isFinal: boolean;

  constructor(message: string, options: { cause?: unknown; isFinal?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.isFinal = options.isFinal ?? false;
  }
}

/** The largest answer read. Answers to a scan have some hundred bytes. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Sends one request and reads the whole answer, whatever its status. Redirects are not followed: one would carry
 * the key to another place.
 * @throws {NetworkError} when no whole answer came in time
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
      settle(() =>
        reject(new NetworkError(message, { cause, isFinal: certificateFault(cause) !== undefined })),
      );
      request.destroy();
    };

    const connecting = setTimeout(() => {
      fail(`no connection within ${seconds(options.connectTimeoutMs)}`);
    }, options.connectTimeoutMs);
    timers.push(connecting);
    timers.push(
      setTimeout(() => {
        fail(`no complete answer within ${seconds(options.totalTimeoutMs)}`);
      }, options.totalTimeoutMs),
    );
    request.once("socket", (socket) => {
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => clearTimeout(connecting));
      if (!socket.connecting) clearTimeout(connecting);
    });

    let answered = false;
    request.once("response", (response) => {
      answered = true;
      collect(response).then(
        (answer) => settle(() => resolve(answer)),
        (error: unknown) => fail(explain(error), error),
      );
    });
    // Once there is an answer, it counts: a server that refuses a large body may close while it is still written.
    request.on("error", (error) => {
      if (!answered) fail(explain(error), error);
    });
    request.end(options.body);
  });
}

async function openRequest(options: HttpRequest): Promise<ClientRequest> {
  const { url, method, body, proxy, extraCa } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (body !== undefined) headers["content-length"] = String(body.length);
  const ca = extraCa === undefined ? undefined : [...rootCertificates, extraCa];
  if (url.protocol === "https:") {
    const agent = proxy && new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, ca ? { ca } : {});
    return requestHttps(url, { method, headers, ...(ca && { ca }), ...(agent && { agent }) });
  }
  if (proxy === undefined) return requestHttp(url, { method, headers });
  // A proxy of plain HTTP is asked for the whole address.
  const authorization = proxyAuthorization(proxy);
  if (authorization !== undefined) headers["proxy-authorization"] = authorization;
  const start = proxy.protocol === "https:" ? requestHttps : requestHttp;
  return start(proxy, { method, path: url.href, headers: { ...headers, host: url.host }, ...(ca && { ca }) });
}

async function collect(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

function explain(error: unknown): string {
  const fault = certificateFault(error);
  if (fault !== undefined)
    return `its certificate is not trusted (${fault}): pass --ca-cert if it is your own`;
  return describeFailure(error);
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
