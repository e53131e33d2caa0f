import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { StoredState } from "./messages.ts";

/** From here on, compressing takes less time than it saves. */
const COMPRESSED_FROM = 16 * 1_024;
/** JSON begins with a brace, and what zstd has compressed does not. */
const BRACE = 0x7b;

/**
 * The bytes that the worker encrypts and stores. A state has up to 16 million characters of outputs, after each step: they are made
 * and compressed here, because the worker would keep all its other runs waiting.
 */
export function packState(state: StoredState): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(state));
  return bytes.length < COMPRESSED_FROM ? bytes : zstdCompressSync(bytes);
}

export function unpackState(bytes: Uint8Array): StoredState {
  const text = bytes[0] === BRACE ? bytes : zstdDecompressSync(bytes);
  return JSON.parse(Buffer.from(text).toString());
}
