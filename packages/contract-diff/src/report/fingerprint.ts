import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const DIGITS = 32;

/**
 * Returns 32 hexadecimal digits that are equal for equal parts only: nobody can make a change with the fingerprint of one that
 * was approved.
 */
export function fingerprintOf(parts: readonly string[]): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, DIGITS);
}
