import { request as httpRequest } from "node:http";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import type { Transport } from "@waymark/journeys/run/transport.ts";

/** A minimal transport that meets the contract: it respects the limit and its signal. */
export const nodeTransport: Transport = ({ method, url, headers, body, responseBytesMax, signal }) =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = (truncated: boolean) => {
        resolve({
          status: response.statusCode ?? 0,
          statusText: response.statusMessage ?? "",
          httpVersion: response.httpVersion,
          headers: pairs(response.rawHeaders),
          body: Buffer.concat(chunks).subarray(0, responseBytesMax),
          ...(truncated ? { truncated } : {}),
        });
      };
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= responseBytesMax) return;
        finish(true);
        request.destroy();
      });
      response.on("end", () => {
        finish(false);
      });
      response.on("error", fail);
    });
    const fail = (error: Error) => {
      reject(new TransportError(signal.aborted ? "aborted" : "unreachable", error.message, { cause: error }));
    };
    request.on("error", fail);
    for (const [name, value] of headers) request.setHeader(name, value);
    if (body !== undefined) request.setHeader("content-length", Buffer.byteLength(body));
    request.end(body);
  });

function pairs(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [
    raw[index * 2] ?? "",
    raw[index * 2 + 1] ?? "",
  ]);
}
