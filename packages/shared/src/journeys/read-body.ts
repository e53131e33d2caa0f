import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** Reads a body, its content coding undone, up to a limit that holds for the decoded bytes. */
export function readBody(
  response: IncomingMessage,
  bytesMax: number,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  const coding = response.headers["content-encoding"]?.trim().toLowerCase();
  const isPlain = coding === undefined || coding === "identity" || hasNoBody(response);
  if (isPlain) return collect(response, bytesMax);
  return decoded(response, coding).then((body) => collect(body, bytesMax));
}

/** Such an answer may name the coding that a body would have had. */
function hasNoBody({ statusCode, headers, req }: IncomingMessage & { req?: { method?: string } }): boolean {
  return (
    statusCode === 204 || statusCode === 304 || headers["content-length"] === "0" || req?.method === "HEAD"
  );
}

function collect(body: Readable, bytesMax: number): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    body.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= bytesMax) return;
      body.pause();
      resolve({ bytes: Buffer.concat(chunks).subarray(0, bytesMax), truncated: true });
    });
    body.on("end", () => {
      const [only] = chunks;
      resolve({
        bytes: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks),
        truncated: false,
      });
    });
    body.on("error", reject);
  });
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
