import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Numbers in [0, 1). */
export type Random = () => number;

const WORDS = 8;

/**
 * SHA-256 in counter mode: the same seed gives the same numbers on every platform, and two seeds give values that don't meet,
 * such as UUIDs.
 */
export function seededRandom(seed: string): Random {
  let words = new DataView(new ArrayBuffer(0));
  let at = WORDS;
  let block = 0;
  return () => {
    if (at === WORDS) {
      words = new DataView(sha256(utf8ToBytes(`${block++}:${seed}`)).buffer);
      at = 0;
    }
    return words.getUint32(4 * at++) / 2 ** 32;
  };
}

/** A seed that no other run has. */
export function newSeed(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(8)));
}
