import { AppError } from "@waymark/shared/errors/app-error.ts";
import { createLocalJWKSet } from "jose";
import { LRUCache } from "lru-cache";
import type { KeySet } from "./read-issuer.ts";

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

/** Keys are read again after this time, or earlier for a token with an unknown key. */
const FRESH_MS = 10 * 60_000;
/** While an issuer can't be read, its keys stay valid for so long. */
const KEPT_MS = 60 * 60_000;
/** An issuer is not read more often, whatever its tokens say. */
const PAUSE_MS = 30_000;
/** The pause after an issuer could not be read. */
const FAILED_PAUSE_MS = 10_000;
const ISSUERS_MAX = 100;
/** How many issuers are read at a time. */
const READS_MAX = 16;
/** How many of them for an organization: its issuers that hang must not keep the tokens of others from being verified. */
const READS_OF_ORGANIZATION_MAX = 4;

interface Known {
  keys: LocalKeys | undefined;
  keyIds: ReadonlySet<string>;
  readAt: number;
  /** Not read again before. */
  pausedUntil: number;
}

export interface IssuerKeys {
  /** Returns the keys of a token's issuer. @throws AppError `issuer_unavailable` */
  find: (token: WantedKeys) => Promise<LocalKeys>;
}

export interface WantedKeys {
  issuer: string;
  keyId: string | undefined;
  /** The organizations whose policies name the issuer. */
  organizationIds: readonly string[];
}

interface Reading {
  work: Promise<void>;
  organizationIds: readonly string[];
}

/** Remembers the signing keys of issuers. Reads each one once at a time, and with pauses. */
export function createIssuerKeys(options: {
  read: (issuer: string) => Promise<KeySet>;
  onError: (error: unknown, issuer: string) => void;
  now?: () => number;
}): IssuerKeys {
  const { read, onError, now = Date.now } = options;
  const known = new LRUCache<string, Known>({ max: ISSUERS_MAX });
  const reading = new Map<string, Reading>();

  async function readAgain(issuer: string): Promise<void> {
    const before = known.get(issuer);
    try {
      const set = await read(issuer);
      const keyIds = new Set(set.keys.flatMap(({ kid }) => (typeof kid === "string" ? [kid] : [])));
      known.set(issuer, {
        keys: createLocalJWKSet(set),
        keyIds,
        readAt: now(),
        pausedUntil: now() + PAUSE_MS,
      });
    } catch (error) {
      onError(error, issuer);
      const nothing = { keys: undefined, keyIds: new Set<string>(), readAt: Number.NEGATIVE_INFINITY };
      known.set(issuer, { ...(before ?? nothing), pausedUntil: now() + FAILED_PAUSE_MS });
    }
  }

  function needsReading(entry: Known | undefined, keyId: string | undefined): boolean {
    if (entry === undefined) return true;
    if (now() < entry.pausedUntil) return false;
    return now() >= entry.readAt + FRESH_MS || (keyId !== undefined && !entry.keyIds.has(keyId));
  }

  return {
    async find({ issuer, keyId, organizationIds }) {
      if (needsReading(known.get(issuer), keyId)) {
        if (!reading.has(issuer) && mayRead([...reading.values()], organizationIds)) {
          const work = readAgain(issuer).finally(() => reading.delete(issuer));
          reading.set(issuer, { work, organizationIds });
        }
        await reading.get(issuer)?.work;
      }
      const entry = known.get(issuer);
      if (entry?.keys !== undefined && now() < entry.readAt + KEPT_MS) return entry.keys;
      throw new AppError(
        "issuer_unavailable",
        "The signing keys of the token's issuer can't be read now. Try again shortly; the server's log says why.",
        { data: { retryAfterSeconds: FAILED_PAUSE_MS / 1000 } },
      );
    },
  };
}

/** True if one of the organizations may have one more issuer read. */
function mayRead(readings: readonly Reading[], organizationIds: readonly string[]): boolean {
  const readsOf = (id: string) => readings.filter((one) => one.organizationIds.includes(id)).length;
  return readings.length < READS_MAX && organizationIds.some((id) => readsOf(id) < READS_OF_ORGANIZATION_MAX);
}
