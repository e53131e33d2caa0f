import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { gzipSync } from "node:zlib";

const JSON_TYPE = { "content-type": "application/json" };

/** Writes the same text until the other side goes. */
function writeOn(stream: Writable | null, text: string): void {
  if (stream === null || stream.destroyed) return;
  if (stream.write(text)) setImmediate(() => writeOn(stream, text));
  else stream.once("drain", () => writeOn(stream, text));
}

/** Answers that a well-behaved server does not give, written to the connection itself. */
export const HOSTILE_ANSWERS: Record<string, (response: ServerResponse) => void> = {
  "5 MiB of brackets": (response) => {
    response.writeHead(200, JSON_TYPE).end("[".repeat(5 * 1024 * 1024));
  },
  "a body without an end": (response) => {
    response.writeHead(200, JSON_TYPE);
    writeOn(response, "[1,".repeat(20_000));
  },
  "a compressed body of 512 MiB": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" });
    // Members of a file follow each other: each is 32 MiB of zeros.
    const member = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    for (let n = 0; n < 16; n++) response.write(member);
    response.end();
  },
  "100,000 headers": (response) => {
    const lines = Array.from({ length: 100_000 }, (_, n) => `x-${n}: a\r\n`).join("");
    response.socket?.end(`HTTP/1.1 200 OK\r\n${lines}\r\n`);
  },
  "headers without an end": (response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\n");
    writeOn(response.socket, `x: ${"a".repeat(60_000)}\r\n`);
  },
  "chunks of nothing but names": (response) => {
    response.socket?.end(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${"a=b;".repeat(100_000)}\r\nx\r\n0\r\n\r\n`,
    );
  },
  "an interim answer, again and again": (response) => {
    writeOn(response.socket, "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n");
  },
  "no protocol at all": (response) => {
    response.socket?.end(Buffer.alloc(1024 * 1024, 0x80));
  },
};
