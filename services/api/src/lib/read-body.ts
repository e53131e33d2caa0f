import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { createBodyChunks } from "./body-chunks.ts";

interface ReadBodyOptions {
  /** The limit of the received body, and of the decoded one. */
  bytesMax: number;
  /** True if the body may be compressed with Brotli, too. */
  acceptsBrotli?: boolean | undefined;
  /** Called with the size of every chunk kept in memory. It may throw to refuse the body. */
  onBytes: (bytes: number) => void;
}

/** The output size of an inflate step. Each step is a round trip to another thread, so the largest scans take one. */
const INFLATE_STEP_BYTES = { min: 128 * 1024, max: 1024 * 1024 };
/** A body that claims to be larger than so many times its compressed size gets no more memory than this at once. */
const INFLATE_RATIO_MAX = 50;

/**
 * Reads a complete request body as received. Checks the declared length before reading, and the actual length with every
 * chunk. A refused body stays unread.
 *
 * @throws AppError `payload_too_large`, `unsupported_media_type` or `malformed_json` (incomplete)
 */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  codingOf(request, options);
  if (Number(request.headers["content-length"] ?? 0) > options.bytesMax) throw tooLarge(options.bytesMax);
  return collect(request, request, options);
}

/**
 * Decodes the result of `readBody`. Checks the decoded length with every chunk, so that a small body that decompresses to
 * gigabytes is never in memory.
 *
 * @throws AppError `payload_too_large` or `malformed_json` (damaged compression)
 */
export async function decodeBody(
  request: IncomingMessage,
  sent: Buffer,
  options: ReadBodyOptions,
): Promise<Buffer> {
  const coding = codingOf(request, options);
  if (coding === "identity") return sent;
  const chunkSize = coding === "gzip" ? inflateStepBytes(sent) : INFLATE_STEP_BYTES.min;
  const decoder = coding === "gzip" ? createGunzip({ chunkSize }) : createBrotliDecompress({ chunkSize });
  try {
    decoder.end(sent);
    return trimmed(await collect(request, decoder, options), chunkSize);
  } finally {
    decoder.destroy();
  }
}

/** The decoded size that the body claims in its last four bytes, within limits. A wrong one only costs time. */
function inflateStepBytes(sent: Buffer): number {
  const { min, max } = INFLATE_STEP_BYTES;
  // One byte more, so that zlib sees the end in the same step.
  const claimed = sent.byteLength < 4 ? 0 : sent.readUInt32LE(sent.byteLength - 4) + 1;
  return Math.max(min, Math.min(claimed, max, sent.byteLength * INFLATE_RATIO_MAX));
}

/** Returns the body without the unused rest of its step's memory, so that `detachOwnedBuffer` can free it. */
function trimmed(body: Buffer, stepBytes: number): Buffer {
  const { buffer, byteLength } = body;
  const isOneStep =
    buffer instanceof ArrayBuffer && buffer.byteLength === stepBytes && byteLength < stepBytes;
  return isOneStep ? Buffer.from(buffer.transfer(byteLength)) : body;
}

/** Whether the body is compressed with gzip. @throws AppError `unsupported_media_type` for other encodings */
export function isGzip(request: IncomingMessage): boolean {
  return codingOf(request, {}) === "gzip";
}

/** Returns how the body is compressed. @throws AppError `unsupported_media_type` for other encodings */
function codingOf(
  request: IncomingMessage,
  { acceptsBrotli = false }: Pick<ReadBodyOptions, "acceptsBrotli">,
): "identity" | "gzip" | "br" {
  const coding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "gzip" || (acceptsBrotli && coding === "br")) return coding;
  const codings = acceptsBrotli ? "gzip or br" : "gzip";
  throw new AppError("unsupported_media_type", `Content-Encoding must be ${codings}, or absent.`);
}

function collect(request: IncomingMessage, source: Readable, options: ReadBodyOptions): Promise<Buffer> {
  const chunks = createBodyChunks();
  let bytes = 0;
  let onData: (chunk: Buffer) => void;
  let onClose: () => void;

  return new Promise<Buffer>((resolve, reject) => {
    onData = (chunk) => {
      bytes += chunk.byteLength;
      try {
        if (bytes > options.bytesMax) throw tooLarge(options.bytesMax);
        options.onBytes(chunk.byteLength);
        chunks.add(chunk);
      } catch (error) {
        reject(toError(error));
      }
    };
    onClose = () => {
      if (!request.readableEnded) reject(unreadable());
    };
    source.on("data", onData);
    source.once("end", () => resolve(chunks.joined()));
    source.once("error", (error) => reject(error instanceof AppError ? error : unreadable(error)));
    request.once("close", onClose);
    // The client disconnected during the key check, so neither "end" nor "close" will be emitted.
    if (request.destroyed) onClose();
  }).finally(() => {
    source.off("data", onData);
    request.off("close", onClose);
  });
}

function tooLarge(bytesMax: number): AppError {
  return new AppError(
    "payload_too_large",
    `The request body is larger than ${bytesMax} bytes, as sent or after decompression. Send a smaller body.`,
  );
}

function unreadable(cause?: Error): AppError {
  return new AppError("malformed_json", "The request body is cut off, or its compression is damaged.", {
    cause,
  });
}
