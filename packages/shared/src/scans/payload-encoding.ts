import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { SCAN_LIMITS } from "./limits.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Below this compressing takes half a millisecond at most, and the way to another thread costs about as much. */
const COMPRESS_ASIDE_FROM_BYTES = 256 * 1024;
/** Compressed; about a megabyte decoded. The worker answers nobody meanwhile, so the way pays only for more. */
const DECOMPRESS_ASIDE_FROM_BYTES = 128 * 1024;
// Level 1 writes about an eighth of the write-ahead log. The checksum tells damage when it is read.
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};
/** Rows are a little longer than the JSON that they came as. */
const DECOMPRESSION = { maxOutputLength: SCAN_LIMITS.bodyBytesMax * 2 };

/**
 * `rows` is what `packRows` gives, compressed. The versions before it stored the request's body itself, as `identity`
 * or as `zstd`, and such payloads may still wait.
 */
export type PayloadEncoding = "rows" | "zstd" | "identity";

export interface EncodedPayload {
  body: Buffer;
  bodyEncoding: PayloadEncoding;
}

/** Compresses packed rows for storage. */
export async function encodePayload(packed: Buffer): Promise<EncodedPayload> {
  const here = packed.byteLength < COMPRESS_ASIDE_FROM_BYTES;
  // In one piece: each further one would be another way to the thread and back.
  const options = { ...COMPRESSION, chunkSize: Math.max(packed.byteLength >> 2, 1024) };
  const body = here ? zstdCompressSync(packed, options) : await compress(packed, options);
  return { body, bodyEncoding: "rows" };
}

/** @throws Error when the stored bytes are damaged or decode to more than the rows of a request may have */
export async function decodePayload({ body, bodyEncoding }: EncodedPayload): Promise<Buffer> {
  if (bodyEncoding === "identity") return body;
  const here = body.byteLength < DECOMPRESS_ASIDE_FROM_BYTES;
  const chunkSize = Math.min(Math.max(body.byteLength * 10, 16 * 1024), DECOMPRESSION.maxOutputLength);
  const options = { ...DECOMPRESSION, chunkSize };
  return here ? zstdDecompressSync(body, options) : decompress(body, options);
}
