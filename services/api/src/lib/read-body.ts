import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { createBodyChunks } from "./body-chunks.ts";

interface ReadBodyOptions {
  /** Of the body as it is sent, and again once it is decoded. */
  bytesMax: number;
  /** Told about every chunk that is kept. It may throw to refuse the body. */
  onBytes: (bytes: number) => void;
}

/** One step of inflating is a way to another thread and back, and reserves so much. */
const INFLATE_CHUNK_BYTES = 128 * 1024;

/**
 * Reads a whole request body as it was sent. The declared length is checked before anything is read, the real one with
 * every chunk. A refused body is left unread.
 *
 * @throws AppError `payload_too_large`, `unsupported_media_type` or `malformed_json` (cut off)
 */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  isGzip(request);
  if (Number(request.headers["content-length"] ?? 0) > options.bytesMax) throw tooLarge(options.bytesMax);
  return collect(request, request, options);
}

/**
 * Decodes what `readBody` read. The decoded length is checked with every chunk, so that a small body that unpacks to gigabytes
 * is never held.
 *
 * @throws AppError `payload_too_large` or `malformed_json` (damaged gzip)
 */
export async function decodeBody(
  request: IncomingMessage,
  sent: Buffer,
  options: ReadBodyOptions,
): Promise<Buffer> {
  if (!isGzip(request)) return sent;
  const gunzip = createGunzip({ chunkSize: INFLATE_CHUNK_BYTES });
  try {
    gunzip.end(sent);
    return await collect(request, gunzip, options);
  } finally {
    gunzip.destroy();
  }
}

/** Whether the body is compressed. @throws AppError `unsupported_media_type` where it is so in another way */
export function isGzip(request: IncomingMessage): boolean {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") {
    throw new AppError("unsupported_media_type", "Content-Encoding must be gzip, or absent.");
  }
  return encoding === "gzip";
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
    // The client went while its key was checked: neither "end" nor "close" comes any more.
    if (request.destroyed) onClose();
  }).finally(() => {
    source.off("data", onData);
    request.off("close", onClose);
  });
}

function tooLarge(bytesMax: number): AppError {
  return new AppError(
    "payload_too_large",
    `The request body is larger than ${bytesMax} bytes, as it was sent or after decompression. Send less.`,
  );
}

function unreadable(cause?: Error): AppError {
  return new AppError("malformed_json", "The request body is cut off or not valid gzip.", { cause });
}
