import type { Socket } from "node:net";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { toErrorResponse } from "./error-handler.ts";

/** How long a client may take to read the response before its connection is destroyed. */
const CLOSE_AFTER_MS = 1_000;

/**
 * Responds to input that Node's HTTP parser refused: invalid data, huge headers, a client that is too slow. Then it closes
 * the connection, even if the client doesn't, because closing the socket releases the request's memory.
 */
export function createParserErrorHandler({
  headers,
  onResponse,
}: {
  headers: Readonly<Record<string, string>>;
  onResponse: (status: number) => void;
}) {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = explain(error.code);
    const body = JSON.stringify(toErrorResponse(refusal));
    onResponse(refusal.httpStatus);
    socket.end(
      `HTTP/1.1 ${refusal.httpStatus} ${STATUS_TEXT[refusal.httpStatus]}\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `${headerLines.join("")}Connection: close\r\n\r\n${body}`,
    );
    const timer = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
    socket.once("close", () => clearTimeout(timer));
  };
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function explain(code: string | undefined): AppError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new AppError("request_headers_too_large", "The request's headers are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new AppError("request_timeout", "The request took too long to arrive.");
    default:
      return new AppError("validation_failed", "This is not a valid HTTP request.");
  }
}
