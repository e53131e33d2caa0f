import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";

/** One request as the server saw it, its body read and decompressed. */
interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (request: SeenRequest, response: ServerResponse, raw: IncomingMessage) => void;

export interface FakeServer {
  url: string;
  /** All requests but those that store a description, which follows each scan. */
  requests: SeenRequest[];
  descriptions: SeenRequest[];
  close: () => Promise<void>;
}

export const RUN_ID = "019a0000-0000-7000-8000-000000000001";

/**
 * A server on its own port until the test has finished.
 *
 * @param describe responds to requests that store a description; by default as a server without such a route
 */
export async function startFakeServer(
  answer: Answer = acceptScan,
  describe: Answer = answerNothing,
): Promise<FakeServer> {
  const requests: SeenRequest[] = [];
  const descriptions: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
      const seen = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: body.toString(),
      };
      const isDescription = /^[/]api[/]scan-runs[/][^/]+[/]description/.test(seen.url);
      (isDescription ? descriptions : requests).push(seen);
      (isDescription ? describe : answer)(seen, response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the test server has no port");
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${address.port}`, requests, descriptions, close };
}

function answerNothing(_: SeenRequest, response: ServerResponse): void {
  answerJson(response, 404, { error: { code: "not_found", message: "Nothing is here." } });
}

/** Responds to an ingest like the api, with the counts of the request; it has no services, and nothing to read. */
const acceptScan: Answer = (request, response) => {
  if (request.url.startsWith("/api/services?")) {
    answerJson(response, 200, { services: [] });
    return;
  }
  if (request.method !== "POST") {
    answerNothing(request, response);
    return;
  }
  const payload = ScanIngestionPayload.parse(JSON.parse(request.body));
  answerJson(response, 201, {
    scanRunId: RUN_ID,
    serviceId: "019a0000-0000-7000-8000-000000000002",
    status: "accepted",
    endpointCount: payload.endpoints.length,
    findingCount: payload.findings.length,
    unchanged: false,
    resultUrl: `http://other.example/scan-runs/${RUN_ID}`,
    createdAt: "2026-01-01T00:00:00Z",
  });
};

export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
