import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { SCAN_LIMITS } from "./limits.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Below this a body is stored as it is: it fits beside its row and compressing it would only cost time. */
const COMPRESS_FROM_BYTES = 1024;
/** Below this the way to another thread and back takes longer than the work. */
const THREAD_FROM_BYTES = 64 * 1024;
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const DECOMPRESSION = { maxOutputLength: SCAN_LIMITS.bodyBytesMax * 2 };

export interface EncodedPayload {
  body: Buffer;
  bodyEncoding: "zstd" | "identity";
}

/** Compresses a request body for storage: at level 1, which writes about a fifth of the write-ahead log. */
export async function encodePayload(body: Buffer): Promise<EncodedPayload> {
  if (body.byteLength < COMPRESS_FROM_BYTES) return { body, bodyEncoding: "identity" };
  const here = body.byteLength < THREAD_FROM_BYTES;
  const compressed = here ? zstdCompressSync(body, COMPRESSION) : await compress(body, COMPRESSION);
  return { body: compressed, bodyEncoding: "zstd" };
}

/** @throws Error when the stored bytes are damaged or decode to more than a request body may have */
export async function decodePayload({ body, bodyEncoding }: EncodedPayload): Promise<Buffer> {
  if (bodyEncoding === "identity") return body;
  const here = body.byteLength < THREAD_FROM_BYTES / 4;
  return here ? zstdDecompressSync(body, DECOMPRESSION) : decompress(body, DECOMPRESSION);
}
