import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** Receives a body. Callbacks instead of a promise, which would cost time on every request. */
export interface BodyReader {
  done: (bytes: Uint8Array, truncated: boolean) => void;
  fail: (error: unknown) => void;
}

/** Reads and decodes a body, up to a limit on the decoded bytes. */
export function readBody(response: IncomingMessage, bytesMax: number, reader: BodyReader): void {
  const coding = response.headers["content-encoding"]?.trim().toLowerCase();
  const isPlain = coding === undefined || coding === "identity" || hasNoBody(response);
  if (isPlain) collect(response, bytesMax, reader);
  else {
    decoded(response, coding).then((body) => {
      collect(body, bytesMax, reader);
    }, reader.fail);
  }
}

/** Such a response may name the coding that a body would have had. */
function hasNoBody({ statusCode, headers, req }: IncomingMessage & { req?: { method?: string } }): boolean {
  return (
    statusCode === 204 || statusCode === 304 || headers["content-length"] === "0" || req?.method === "HEAD"
  );
}

const NOTHING = new Uint8Array(0);

function collect(body: Readable, bytesMax: number, { done, fail }: BodyReader): void {
  const chunks: Buffer[] = [];
  let size = 0;
  body.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= bytesMax) return;
    body.pause();
    done(Buffer.concat(chunks).subarray(0, bytesMax), true);
  });
  body.on("end", () => {
    if (chunks.length > 1) done(Buffer.concat(chunks), false);
    else done(chunks[0] ?? NOTHING, false);
  });
  body.on("error", fail);
}

/** A body with an unknown coding is not decoded: the evidence shows it as received. */
async function decoded(response: IncomingMessage, coding: string): Promise<Readable> {
  const zlib = await import("node:zlib");
  const decoders: Record<string, () => Readable & NodeJS.WritableStream> = {
    gzip: zlib.createGunzip,
    "x-gzip": zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const create = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (create === undefined) return response;
  const decoder = create();
  response.on("error", (error) => decoder.destroy(error));
  response.pipe(decoder);
  return decoder;
}
