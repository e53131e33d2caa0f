import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { DatabasePool, DatabaseTransactionConnection } from "../db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findRingKey, type KeyRing } from "./key-ring.ts";
import {
  type DataKeyPosition,
  type DataKeyRow,
  findDataKeys,
  findNewestDataKey,
  insertDataKey,
  listUsedKeyIds,
  lockDataKeys,
  lockDataKeysOfOthers,
  updateWrappedKey,
} from "./queries.ts";
import { seal, unseal, UnsealError } from "./seal.ts";

const KEY_BYTES = 32;
const ROTATED_TOGETHER = 100;
const NIL = "00000000-0000-0000-0000-000000000000";
const BEFORE_ALL: DataKeyPosition = { organizationId: NIL, id: NIL };

/** The key that encrypts the values of one organization. */
export interface DataKey {
  id: string;
  key: KeyObject;
}

/**
 * The organization's newest data key, made if it has none.
 *
 * @throws AppError `encryption_key_missing` if the ring lacks the key that it is wrapped with
 */
export async function currentDataKey(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  organizationId: string,
): Promise<DataKey> {
  const known = await findNewestDataKey(tx, organizationId);
  if (known !== null) return unwrap(ring, known);
  await lockDataKeys(tx, organizationId);
  const made = await findNewestDataKey(tx, organizationId);
  if (made !== null) return unwrap(ring, made);
  const key = randomBytes(KEY_BYTES);
  const id = uuidv7();
  await insertDataKey(tx, wrap(ring, { organizationId, id, key }));
  return { id, key: createSecretKey(key) };
}

/**
 * The data keys with these ids.
 *
 * @throws AppError `encryption_key_missing`, or UnsealError if a row was changed
 */
export async function openDataKeys(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  { organizationId, ids }: { organizationId: string; ids: readonly string[] },
): Promise<ReadonlyMap<string, KeyObject>> {
  const rows = await findDataKeys(tx, { organizationId, ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, unwrap(ring, row).key]));
}

export interface Rotation {
  /** How many data keys were wrapped anew. */
  rotated: number;
  /** The ids of the keys that data keys are wrapped with now. */
  needed: readonly string[];
  /** Data keys that stayed as they were, with the reason. */
  unreadable: readonly { organizationId: string; dataKeyId: string; reason: string }[];
}

/**
 * Wraps all data keys with the first key of the ring. Values and data keys stay as they are, so processes can go on
 * reading and writing.
 *
 * @param db a pool of the database's owner
 */
export async function rotateDataKeys(db: DatabasePool, ring: KeyRing): Promise<Rotation> {
  const unreadable: { organizationId: string; dataKeyId: string; reason: string }[] = [];
  let seen = 0;
  for (let after = BEFORE_ALL; ;) {
    const rows = await db.transaction(async (tx) => {
      const locked = await lockDataKeysOfOthers(tx, {
        kekId: ring.current.id,
        after,
        limit: ROTATED_TOGETHER,
      });
      for (const row of locked) {
        const { organization_id: organizationId, id } = row;
        const key = tryUnwrap(ring, row);
        if ("reason" in key) unreadable.push({ organizationId, dataKeyId: id, reason: key.reason });
        else await updateWrappedKey(tx, wrap(ring, { organizationId, id, key: key.key.export() }));
      }
      return locked;
    });
    seen += rows.length;
    const last = rows.at(-1);
    if (last === undefined) break;
    after = { organizationId: last.organization_id, id: last.id };
  }
  return { rotated: seen - unreadable.length, needed: await listUsedKeyIds(db), unreadable };
}

/** One damaged or forgotten data key must not keep the others from being wrapped. */
function tryUnwrap(ring: KeyRing, row: DataKeyRow): DataKey | { reason: string } {
  try {
    return unwrap(ring, row);
  } catch (error) {
    if (error instanceof UnsealError || error instanceof AppError) return { reason: error.message };
    throw error;
  }
}

function wrap(
  { current }: KeyRing,
  { organizationId, id, key }: { organizationId: string; id: string; key: Uint8Array },
): DataKeyRow {
  const { ciphertext, nonce } = seal(current.key, key, wrappedFor(organizationId, id));
  return { organization_id: organizationId, id, wrapped_key: ciphertext, nonce, kek_id: current.id };
}

function unwrap(ring: KeyRing, row: DataKeyRow): DataKey {
  const { key } = findRingKey(ring, row.kek_id);
  const sealed = { ciphertext: row.wrapped_key, nonce: row.nonce };
  return {
    id: row.id,
    key: createSecretKey(unseal(key, sealed, wrappedFor(row.organization_id, row.id))),
  };
}

function wrappedFor(organizationId: string, id: string) {
  return ["data key", organizationId, id];
}
