import type { IncomingMessage } from "node:http";
import { PassThrough, pipeline } from "node:stream";
import type { Duplex, Readable } from "node:stream";

/** More of them are no coding of a server but an attempt to cause load. */
const CODINGS_MAX = 4;

/**
 * Returns a response's body without its content codings. A body with an unknown coding is not decoded: the evidence shows it as
 * received. An empty body is none, whatever coding it has.
 */
export async function decoderFor(response: IncomingMessage, header: string): Promise<Readable> {
  const zlib = await import("node:zlib");
  const codings = header
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  const makers: Record<string, (first: Buffer) => Duplex> = {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    // Some servers send the data without the frame of zlib, which RFC 9110 demands.
    deflate: (first) => (isZlib(first) ? zlib.createInflate() : zlib.createInflateRaw()),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => zlib.createZstdDecompress(),
  };
  const isKnown = codings.every((coding) => Object.hasOwn(makers, coding));
  if (!isKnown || codings.length === 0 || codings.length > CODINGS_MAX) return response;
  let body: Readable = response;
  // The last coding was applied last.
  for (const coding of codings.toReversed()) {
    const make = makers[coding];
    if (make !== undefined) body = await decodedBy(body, make);
  }
  return body;
}

/** The decoder depends on the first bytes; without any, there is nothing to decode. */
function decodedBy(body: Readable, make: (first: Buffer) => Duplex): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      body.off("readable", onReadable).off("end", onEnd).off("error", reject);
    };
    const onEnd = () => {
      settle();
      const empty = new PassThrough();
      empty.end();
      resolve(empty);
    };
    const onReadable = () => {
      const read: unknown = body.read();
      if (!(read instanceof Buffer)) return;
      settle();
      body.unshift(read);
      const decoder = make(read);
      // The reader of the decoder hears of its errors, and of those of the response.
      pipeline(body, decoder, () => {});
      resolve(decoder);
    };
    body.on("readable", onReadable).once("end", onEnd).once("error", reject);
  });
}

/** RFC 1950, 2.2: the method is 8, and the two bytes are a multiple of 31. */
function isZlib(first: Buffer): boolean {
  const [head = 0, flags = 0] = first;
  return (head & 0x0f) === 8 && (first.length < 2 || (head * 256 + flags) % 31 === 0);
}
