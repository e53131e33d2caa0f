import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";

export interface HttpRequest {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  body?: Buffer;
  /** Until the connection stands, TLS included. */
  connectTimeoutMs: number;
  /** Until the last byte of the answer: also ends a server that drips one byte a second. */
  totalTimeoutMs: number;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** No whole answer came. `cause` has the system's error where there is one. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** The largest answer read. Answers to a scan have some hundred bytes. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Sends one request and reads the whole answer, whatever its status. Redirects are not followed: one would carry
 * the key to another place.
 * @throws {NetworkError} when no whole answer came in time
 */
export function send(options: HttpRequest): Promise<HttpAnswer> {
  const { url, method, body } = options;
  return new Promise((resolve, reject) => {
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    const headers = { ...options.headers, ...(body && { "content-length": String(body.length) }) };
    const request = start(url, { method, headers });
    const timers: NodeJS.Timeout[] = [];
    const settle = (act: () => void) => {
      for (const timer of timers) clearTimeout(timer);
      act();
    };
    const fail = (message: string, cause?: unknown) => {
      settle(() => reject(new NetworkError(message, { cause })));
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
        (error: unknown) => fail(describeFailure(error), error),
      );
    });
    // Once there is an answer, it counts: a server that refuses a large body may close while it is still written.
    request.on("error", (error) => {
      if (!answered) fail(describeFailure(error), error);
    });
    request.end(body);
  });
}

async function collect(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

const FAILURES: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed before a complete answer came",
  EPIPE: "the connection was closed before a complete answer came",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  HPE_INVALID_CONSTANT: "the answer is not HTTP",
};

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (FAILURES[code] !== undefined) return FAILURES[code];
  if (code.startsWith("HPE_")) return "the answer is not HTTP";
  // Happy eyeballs: all addresses failed, each with an error of its own.
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return describeFailure(error.errors[0]);
  return code === "" ? error.message : `${error.message} (${code})`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
