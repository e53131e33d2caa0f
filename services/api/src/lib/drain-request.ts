import type { IncomingMessage } from "node:http";

const DRAIN_BYTES_MAX = 128 * 1024 * 1024;
const DRAIN_MS_MAX = 20_000;

/** Whether the client may still be sending an unread body. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed) return false;
  return (
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0
  );
}

/**
 * Reads and discards the rest of the request, up to a limit. If a connection is closed with unread data, the kernel resets
 * it, and a client that is still writing would lose the response with the reason.
 */
export function drainRequest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(end, DRAIN_MS_MAX);
    function end() {
      clearTimeout(timer);
      request.off("data", onData).off("end", end).off("close", end).off("error", end);
      resolve();
    }
    function onData(chunk: Buffer) {
      bytes += chunk.byteLength;
      if (bytes > DRAIN_BYTES_MAX) end();
    }
    request.on("data", onData).on("end", end).on("close", end).on("error", end);
    request.resume();
  });
}
