import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** Who is told of a body. Callbacks, for a promise between two others is what every request would pay for. */
export interface BodyReader {
  done: (bytes: Uint8Array, truncated: boolean) => void;
  fail: (error: unknown) => void;
}

/** Reads a body, its content coding undone, up to a limit that holds for the decoded bytes. */
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

/** Such an answer may name the coding that a body would have had. */
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

/** An unknown coding is left as it is: the evidence then shows what came. */
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
