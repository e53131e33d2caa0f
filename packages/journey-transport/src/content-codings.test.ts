import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { TransportResponse } from "@waymark/journeys/run/transport.ts";
import { callsThrough } from "@waymark/test-support/transport-calls.ts";
import { createHttpTransport } from "./http-transport.ts";

async function serve(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => {
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const http = createHttpTransport();
  onTestFinished(() => {
    http[Symbol.dispose]();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, call: callsThrough(http.transport) };
}

const TEXT = "Zürich ".repeat(40);
const text = ({ body }: TransportResponse) => new TextDecoder().decode(body);

test.each<[string, Buffer, string?]>([
  ["gzip", gzipSync(TEXT)],
  ["X-GZip", gzipSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["deflate", deflateRawSync(TEXT), "without the frame of zlib"],
  ["br", brotliCompressSync(TEXT)],
  ["zstd", zstdCompressSync(TEXT)],
  ["gzip, br", brotliCompressSync(gzipSync(TEXT)), "in this order"],
  ["identity, gzip", gzipSync(TEXT)],
  ["gzip", Buffer.concat([gzipSync(TEXT.slice(0, 70)), gzipSync(TEXT.slice(70))]), "in two members"],
  ["", Buffer.from(TEXT)],
  ["utf-8", Buffer.from(TEXT), "which is no coding"],
])("a body with the coding %j is decoded (%#)", async (coding, bytes) => {
  for (const chunked of [false, true]) {
    const { url, call } = await serve((response) => {
      response.setHeader("content-encoding", coding);
      if (chunked) for (const byte of bytes) response.write(Buffer.of(byte));
      response.end(chunked ? undefined : bytes);
    });
    expect(text(await call(url))).toBe(TEXT);
  }
});

test.each(["gzip", "deflate", "br", "zstd", "gzip, br"])(
  "an empty chunked body with the coding %s is empty",
  async (coding) => {
    const { url, call } = await serve((response) => {
      response.writeHead(200, { "content-encoding": coding, "transfer-encoding": "chunked" }).end();
    });
    expect(await call(url)).toMatchObject({ status: 200, body: new Uint8Array(0) });
  },
);

test.each<[string, string, Buffer]>([
  ["is not compressed", "gzip", Buffer.from('{"a":1}')],
  ["is cut", "gzip", gzipSync(TEXT).subarray(0, 30)],
  ["is not of Brotli", "br", Buffer.from("hello, hello, hello")],
  ["is not of Zstandard", "zstd", Buffer.from("hello")],
  ["is one layer short", "gzip, br", brotliCompressSync(TEXT)],
])("a body that %s is an error that names its coding", async (_name, coding, bytes) => {
  const { url, call } = await serve((response) => {
    response.writeHead(200, { "content-encoding": coding }).end(bytes);
  });
  await expect(call(url)).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringContaining("can't be decoded as its Content-Encoding says"),
  });
});

test.each([false, true])(
  "a response that does not end shows what has arrived (compressed: %s)",
  async (isGzip) => {
    let closed = false;
    const { url, call } = await serve((response) => {
      response.on("close", () => {
        closed = true;
      });
      response.writeHead(200, {
        "content-type": "text/event-stream",
        ...(isGzip ? { "content-encoding": "gzip" } : {}),
      });
      if (!isGzip) {
        response.write("event: ready\n\n");
        return;
      }
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write("event: ready\n\n");
      gzip.flush();
    });
    const stop = new AbortController();
    const heads: (() => TransportResponse)[] = [];
    const answer = call(url, { signal: stop.signal, onResponse: (arrived) => heads.push(arrived) });
    const end = answer.catch((error: unknown) => error);
    await expect.poll(() => heads.map((arrived) => text(arrived()))).toEqual(["event: ready\n\n"]);
    expect(heads[0]?.()).toMatchObject({ status: 200, truncated: true });
    stop.abort();
    expect(await end).toMatchObject({ code: "aborted" });
    await expect.poll(() => closed).toBe(true);
  },
);
