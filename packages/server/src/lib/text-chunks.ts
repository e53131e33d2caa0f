import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** A part of a text as it is stored: named by its hash, compressed. */
export interface TextChunk {
  /** The first half of SHA-256 over its bytes, in hexadecimal, which Postgres accepts as a uuid. */
  id: string;
  /** The size before compression. */
  size: number;
  /** Compressed with zstd. */
  bytes: Buffer;
}

/** Sizes of chunks in bytes. A change of one piece stores a chunk, and a chunk takes 150 bytes besides its text. */
export const CHUNK_BYTES = { min: 512, average: 2 * 1024, max: 32 * 1024 } as const;

const NEW_LINE = 0x0a;
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;

/**
 * Cuts a text that consists of pieces. A chunk ends after a piece whose own bytes choose that, so that a changed piece changes the chunk
 * that it is in, and hardly ever another one.
 */
export function* cutChunks(pieces: Iterable<Buffer>): Generator<Buffer, void, undefined> {
  const { min, average, max } = CHUNK_BYTES;
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = () => {
    const chunk = Buffer.concat(parts, bytes);
    parts = [];
    bytes = 0;
    return chunk;
  };
  for (const piece of pieces) {
    let rest = piece;
    while (bytes + rest.length > max) {
      // A piece that is larger than a chunk begins one of its own, so that equal pieces are cut at equal places.
      if (bytes > 0) yield take();
      if (rest.length <= max) break;
      yield rest.subarray(0, max);
      rest = rest.subarray(max);
    }
    parts.push(rest);
    bytes += rest.length;
    const mayEnd = bytes >= min && hashOf(rest) < (rest.length / average) * 2 ** 32;
    if (mayEnd) yield take();
  }
  if (bytes > 0) yield take();
}

/** Cuts a text of lines or of JSON without lines into the pieces for `cutChunks`: after a line, and after an object in a list. */
export function* linesOf(text: Buffer): Generator<Buffer, void, undefined> {
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte !== NEW_LINE && !(byte === COMMA && text[at - 1] === CLOSE_OBJECT)) continue;
    yield text.subarray(start, at + 1);
    start = at + 1;
  }
  if (start < text.length) yield text.subarray(start);
}

/** FNV-1a over the bytes. */
function hashOf(bytes: Buffer): number {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}

/** Compresses chunks, each once, and names all of them in order. */
export function toTextChunks(chunks: Iterable<Buffer>, known: Map<string, TextChunk>): string[] {
  const ids: string[] = [];
  for (const text of chunks) {
    const id = hash("sha256", text, "hex").slice(0, 32);
    ids.push(id);
    if (!known.has(id)) known.set(id, { id, size: text.length, bytes: zstdCompressSync(text) });
  }
  return ids;
}

/** Chunks that are decompressed before other work has its turn: some 100 KB. */
const CHUNKS_AT_ONCE = 50;

/** Returns the text of stored chunks. Other work has its turn meanwhile. @throws Error if the stored bytes are damaged */
export async function joinTextChunks(stored: readonly Buffer[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const [n, chunk] of stored.entries()) {
    if (n % CHUNKS_AT_ONCE === 0) await setImmediate();
    parts.push(readTextChunk(chunk));
  }
  return Buffer.concat(parts);
}

/** @throws Error if the stored bytes are damaged */
export function readTextChunk(stored: Buffer): Buffer {
  return zstdDecompressSync(stored, { maxOutputLength: CHUNK_BYTES.max });
}
