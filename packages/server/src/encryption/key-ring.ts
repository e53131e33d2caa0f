import { createSecretKey, type KeyObject } from "node:crypto";
import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/** A key of the configuration. It encrypts data keys, never values. */
export interface RingKey {
  id: string;
  key: KeyObject;
}

/** The keys of `JOURNEY_KEYS`: the first one wraps data keys, all of them unwrap. */
export interface KeyRing {
  current: RingKey;
  byId: ReadonlyMap<string, RingKey>;
}

const ENTRY = /^([A-Za-z0-9._-]{1,50}):([A-Za-z0-9+/_-]{43}=?)$/;

/** `id:key,id:key` as a variable has it; each key is 32 bytes in base64. No message contains a key. */
export const KeyRingField = z.string().transform((value, ctx): KeyRing => {
  const keys = value.split(",").map((entry) => readEntry(entry.trim()));
  const wrong = keys.indexOf(undefined);
  const known = keys.filter((key) => key !== undefined);
  const byId = new Map(known.map((key) => [key.id, key]));
  const [current] = known;
  if (wrong === -1 && current !== undefined && byId.size === known.length) return { current, byId };
  ctx.addIssue({
    code: "custom",
    message:
      wrong === -1
        ? "must not have the same id twice"
        : `entry ${wrong + 1} must be id:key, where the key is 32 bytes in base64 (openssl rand -base64 32)`,
  });
  return z.NEVER;
});

function readEntry(entry: string): RingKey | undefined {
  const [, id, encoded] = ENTRY.exec(entry) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  return { id, key: createSecretKey(Buffer.from(encoded, "base64url")) };
}

/** @throws AppError `encryption_key_missing` if no key is configured */
export function requireKeyRing(ring: KeyRing | undefined): KeyRing {
  if (ring !== undefined) return ring;
  throw new AppError(
    "encryption_key_missing",
    "This server has no key to encrypt secrets with. Its operator must set JOURNEY_KEYS (docs/environments.md).",
  );
}

/** @throws AppError `encryption_key_missing` that names the missing key */
export function findRingKey(ring: KeyRing, id: string): RingKey {
  const key = ring.byId.get(id);
  if (key !== undefined) return key;
  throw new AppError(
    "encryption_key_missing",
    `This organization's secrets need the key "${id}", which the server does not have. Its operator must add it to JOURNEY_KEYS again.`,
  );
}
