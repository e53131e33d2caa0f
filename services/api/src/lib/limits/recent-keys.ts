import { createHash } from "node:crypto";

const REMEMBERED_MS = 15 * 60_000;
const KEYS_MAX = 10_000;

export interface RecentKeys {
  has(rawKey: string): boolean;
  add(rawKey: string): void;
  forget(rawKey: string): void;
}

/**
 * Remembers the keys that were valid in this process within the last 15 minutes, by a hash of the complete key, because
 * anybody may know its public prefix. These keys are exempt from the limit per address, but not from the key check.
 */
export function createRecentKeys(now: () => number = Date.now): RecentKeys {
  // A Map keeps insertion order, which is the order of use here.
  const seenAt = new Map<string, number>();
  return {
    has(rawKey) {
      const at = seenAt.get(fingerprint(rawKey));
      return at !== undefined && at > now() - REMEMBERED_MS;
    },
    add(rawKey) {
      const key = fingerprint(rawKey);
      seenAt.delete(key);
      seenAt.set(key, now());
      if (seenAt.size <= KEYS_MAX) return;
      const [oldest] = seenAt.keys();
      if (oldest !== undefined) seenAt.delete(oldest);
    },
    forget(rawKey) {
      seenAt.delete(fingerprint(rawKey));
    },
  };
}

function fingerprint(rawKey: string): string {
  return createHash("sha256").update(rawKey).digest("base64");
}
