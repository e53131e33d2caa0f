import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { type ContentId, contentId } from "./content-id.ts";

// Level 1 reduces the write-ahead log to about an eighth. Reading verifies the checksum.
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};
const compressAside = promisify(zstdCompress);
/** Below this size, compression takes at most half a millisecond, about as much as using another thread. */
const COMPRESS_ASIDE_FROM_BYTES = 256 * 1024;
const UNPACKED_BYTES_MAX = SCAN_LIMITS.bodyBytesMax * 2;
const NEW_LINE = 0x0a;
const ENDPOINTS = 0x45; // E
const FINDINGS = 0x46; // F

/** A decoded chunk. */
export interface ChunkItems<Item> {
  id: ContentId;
  items: readonly Item[];
}

/** Packs the texts of chunks: one on each line, after an E or an F. */
export function packChunks(chunks: { endpoints: readonly Buffer[]; findings: readonly Buffer[] }): Buffer {
  const lines = [
    ...chunks.endpoints.flatMap((text) => [ENDPOINTS_MARK, text, LINE_END]),
    ...chunks.findings.flatMap((text) => [FINDINGS_MARK, text, LINE_END]),
  ];
  return Buffer.concat(lines);
}

const ENDPOINTS_MARK = Buffer.of(ENDPOINTS);
const FINDINGS_MARK = Buffer.of(FINDINGS);
const LINE_END = Buffer.of(NEW_LINE);

/** Compresses packed chunks for storage. */
export async function compressChunks(packed: Buffer): Promise<Buffer> {
  // As one piece, because each further piece would need another round trip to the thread.
  const options = { ...COMPRESSION, chunkSize: Math.max(packed.byteLength >> 2, 1024) };
  return packed.byteLength < COMPRESS_ASIDE_FROM_BYTES
    ? zstdCompressSync(packed, options)
    : compressAside(packed, options);
}

/** @throws Error if the stored bytes are damaged or decompress to more than a request can contain */
export function decompressChunks(stored: Buffer): Buffer {
  const chunkSize = Math.min(Math.max(stored.byteLength * 10, 16 * 1024), UNPACKED_BYTES_MAX);
  return zstdDecompressSync(stored, { maxOutputLength: UNPACKED_BYTES_MAX, chunkSize });
}

/** Decodes the result of `packChunks`. @throws Error if it is malformed */
export function unpackChunks(packed: Buffer): {
  endpoints: ChunkItems<NormalizedEndpoint>[];
  findings: ChunkItems<NormalizedFinding>[];
} {
  const endpoints: ChunkItems<NormalizedEndpoint>[] = [];
  const findings: ChunkItems<NormalizedFinding>[] = [];
  for (let start = 0; start < packed.byteLength;) {
    const end = packed.indexOf(NEW_LINE, start);
    if (end === -1) throw new Error("the packed chunks are cut off");
    const text = packed.subarray(start + 1, end);
    // It was validated before it was packed, and the checksum shows that it is unchanged.
    const items = JSON.parse(`[${text.toString("utf8")}]`);
    if (packed[start] === ENDPOINTS) endpoints.push({ id: contentId(text), items });
    else if (packed[start] === FINDINGS) findings.push({ id: contentId(text), items });
    else throw new Error("the packed chunks are neither endpoints nor findings");
    start = end + 1;
  }
  return { endpoints, findings };
}
