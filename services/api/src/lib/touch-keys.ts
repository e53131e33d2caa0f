import type { IdentifiedKey } from "@waymark/shared/api-keys/check-key.ts";
import { touchApiKeys } from "@waymark/shared/api-keys/queries.ts";
import type { HotPool } from "@waymark/shared/db/pool.ts";

export interface KeyToucher {
  /** Notes a key's use soon. It never waits and never fails. */
  touch(key: IdentifiedKey): void;
  /** Resolves when nothing is left to note. */
  settled(): Promise<void>;
}

/**
 * Notes the last use of keys beside the requests: one statement at a time, which takes all the keys that were used
 * while the one before ran. At most one connection is busy with it, however many keys there are.
 */
export function createKeyToucher(pool: HotPool, onError: (error: unknown) => void): KeyToucher {
  let waiting = new Map<string, IdentifiedKey>();
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      const keys = [...waiting.values()];
      waiting = new Map();
      // A note that is lost is made by the key's next request.
      await touchApiKeys(pool, keys).catch(onError);
    }
    running = undefined;
  }

  return {
    touch(key) {
      waiting.set(key.apiKeyId, key);
      running ??= drain();
    },
    async settled() {
      await running;
    },
  };
}
