import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import type { ApiConnection } from "../../cli/src/api/api-client.ts";
import { GZIP_ABOVE_BYTES } from "../../cli/src/http/sizes.ts";
import { DEFAULT_TIMES } from "../../cli/src/http/times.ts";
import { submitScan } from "../../cli/src/api/scans-api.ts";

/** How `waymark scan` sends a body: its header lines without those that differ from request to request. */
export interface CommandRequest {
  headers: { plain: string; compressed: string };
  encode(body: Buffer): { bytes: Buffer; isCompressed: boolean };
}

/** The build that a scan from a pipeline names. */
const BUILD = {
  branch: "main",
  commit: "c0ffee00".repeat(5),
  url: "https://github.example/acme/shop/actions/runs/12345678901",
};

/** Headers that differ from request to request, or that belong to the connection. */
const OWN_HEADERS = ["idempotency-key", "authorization", "content-length", "host"];

/**
 * Takes the header lines from requests that the command's own code makes, so that they can't differ from it.
 * @throws Error when the command encodes bodies in another way than this file
 */
export async function readCommandRequest(): Promise<CommandRequest> {
  const receiver = await startReceiver();
  try {
    return {
      headers: {
        plain: await receiver.headersOf(payloadOf(1)),
        compressed: await receiver.headersOf(payloadOf(GZIP_ABOVE_BYTES)),
      },
      encode: encodeLikeCommand,
    };
  } finally {
    await receiver.close();
  }
}

function encodeLikeCommand(body: Buffer): { bytes: Buffer; isCompressed: boolean } {
  const isCompressed = body.byteLength > GZIP_ABOVE_BYTES;
  return { bytes: isCompressed ? gzipSync(body) : body, isCompressed };
}

function payloadOf(pathBytes: number): ScanIngestionPayload {
  const path = `/${"a path that is long ".repeat(pathBytes / 20 + 1)}`;
  const endpoint = { method: "GET" as const, path, operationId: null, tags: [], summary: null };
  return {
    service: { name: "any" },
    spec: { hash: "", format: "openapi" },
    endpoints: [endpoint],
    findings: [],
  };
}

/** A server that answers as the api does, and keeps what it got. */
async function startReceiver() {
  let received: { lines: string; body: Buffer } | undefined;
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      received = { lines: linesOf(request), body };
      const answer = { scanRunId: crypto.randomUUID(), endpointCount: 1, findingCount: 0 };
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connection: ApiConnection = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: "any",
    proxy: undefined,
    extraCa: undefined,
    times: DEFAULT_TIMES,
    onRetry: () => undefined,
  };
  return {
    async headersOf(payload: ScanIngestionPayload): Promise<string> {
      await submitScan(connection, payload, { idempotencyKey: "any", source: BUILD });
      if (received === undefined) throw new Error("the command sent nothing");
      const body = Buffer.from(JSON.stringify(payload));
      const expected = encodeLikeCommand(body);
      const isSame = received.body.equals(expected.bytes) && decode(received.body, expected).equals(body);
      if (!isSame) throw new Error("the command encodes bodies in another way than the benchmark");
      return received.lines;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function decode(body: Buffer, { isCompressed }: { isCompressed: boolean }): Buffer {
  return isCompressed ? gunzipSync(body) : body;
}

function linesOf({ rawHeaders }: IncomingMessage): string {
  let lines = "";
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] ?? "";
    if (!OWN_HEADERS.includes(name.toLowerCase())) lines += `${name}: ${rawHeaders[n + 1]}\r\n`;
  }
  return lines;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
