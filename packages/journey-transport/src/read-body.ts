import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import { decoderFor } from "./content-codings.ts";

/** Receives a body. Callbacks instead of a promise, which would cost time on every request. */
export interface BodyReader {
  done: (bytes: Uint8Array, truncated: boolean) => void;
  fail: (error: unknown) => void;
}

/** The part of a body that has arrived. */
interface Arrived {
  chunks: Buffer[];
  size: number;
}

/**
 * Reads and decodes a body, up to a limit on the decoded bytes. Returns a function that gives the bytes that have arrived, for a
 * body that does not end.
 */
export function readBody(response: IncomingMessage, bytesMax: number, reader: BodyReader): () => Uint8Array {
  const arrived: Arrived = { chunks: [], size: 0 };
  const coding = response.headers["content-encoding"]?.trim().toLowerCase();
  const isPlain = coding === undefined || coding === "" || coding === "identity" || hasNoBody(response);
  if (isPlain) collect(response, bytesMax, reader, arrived);
  else {
    decoderFor(response, coding).then((body) => {
      collect(body, bytesMax, reader, arrived);
    }, reader.fail);
  }
  return () => Buffer.concat(arrived.chunks).subarray(0, bytesMax);
}

/** Such a response may name the coding that a body would have had. */
function hasNoBody({ statusCode, headers, req }: IncomingMessage & { req?: { method?: string } }): boolean {
  return (
    statusCode === 204 || statusCode === 304 || headers["content-length"] === "0" || req?.method === "HEAD"
  );
}

const NOTHING = new Uint8Array(0);

function collect(body: Readable, bytesMax: number, { done, fail }: BodyReader, arrived: Arrived): void {
  const { chunks } = arrived;
  body.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    arrived.size += chunk.length;
    if (arrived.size <= bytesMax) return;
    body.pause();
    done(Buffer.concat(chunks).subarray(0, bytesMax), true);
  });
  body.on("end", () => {
    if (chunks.length > 1) done(Buffer.concat(chunks), false);
    else done(chunks[0] ?? NOTHING, false);
  });
  body.on("error", (error) => {
    fail(isOfZlib(error) ? new TransportError("unreachable", codingFault(error), { cause: error }) : error);
  });
}

function isOfZlib(error: Error): boolean {
  return (
    "code" in error &&
    /^(?:Z_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR_FORMAT|ERR_PADDING|ZSTD_)/.test(String(error.code))
  );
}

function codingFault({ message }: Error): string {
  return `The body of the response can't be decoded as its Content-Encoding says: ${message}.`;
}
