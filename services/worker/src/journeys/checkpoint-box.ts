import { createSecretKey, type KeyObject } from "node:crypto";
import { currentDataKey, type DataKey, openDataKeys } from "@waymark/server/encryption/data-keys.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import { seal, unseal } from "@waymark/server/encryption/seal.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";

const ID_BYTES = 16;
const NONCE_BYTES = 12;
/** Organizations whose key is kept. */
const KEYS_MAX = 1_000;

interface OwnedRun {
  organizationId: string;
  runId: string;
}

/** Encrypts what a run leaves behind for the next worker. It is bound to its run: another row can't take it. */
export interface CheckpointBox {
  /** Without a key nothing is stored: no other worker can go on with a run. */
  canSeal: boolean;
  /** Null where no key is configured. */
  seal: (run: OwnedRun, state: Uint8Array) => Promise<Buffer | null>;
  /** @throws UnsealError or AppError `encryption_key_missing` */
  open: (run: OwnedRun, sealed: Buffer) => Promise<Buffer>;
}

/** The bytes: the id of the data key, the nonce, the ciphertext. */
export function createCheckpointBox(db: DatabasePool, keyRing: KeyRing | undefined): CheckpointBox {
  if (keyRing === undefined) {
    return {
      canSeal: false,
      seal: () => Promise.resolve(null),
      open: () => Promise.reject(new Error("JOURNEY_KEYS is not set")),
    };
  }
  const keys = new Map<string, Promise<DataKey>>();
  const keyOf = (organizationId: string): Promise<DataKey> => {
    const known = keys.get(organizationId);
    if (known !== undefined) return known;
    if (keys.size >= KEYS_MAX) keys.clear();
    const found = withOrganization(db, organizationId, (tx) => currentDataKey(tx, keyRing, organizationId));
    keys.set(organizationId, found);
    found.catch(() => keys.delete(organizationId));
    return found;
  };
  return {
    canSeal: true,
    async seal(run, state) {
      const { id, key } = await keyOf(run.organizationId);
      const { nonce, ciphertext } = seal(key, state, sealedFor(run));
      return Buffer.concat([Buffer.from(id.replaceAll("-", ""), "hex"), nonce, ciphertext]);
    },
    async open(run, sealed) {
      const id = uuidOf(sealed.subarray(0, ID_BYTES));
      const nonce = sealed.subarray(ID_BYTES, ID_BYTES + NONCE_BYTES);
      const ciphertext = sealed.subarray(ID_BYTES + NONCE_BYTES);
      const { organizationId } = run;
      const found = await withOrganization(db, organizationId, (tx) =>
        openDataKeys(tx, keyRing, { organizationId, ids: [id] }),
      );
      return unseal(found.get(id) ?? noKey(), { nonce, ciphertext }, sealedFor(run));
    },
  };
}

function sealedFor({ organizationId, runId }: OwnedRun): string[] {
  return ["checkpoint", organizationId, runId];
}

/** A key that was deleted: what it encrypted does not open. */
function noKey(): KeyObject {
  return createSecretKey(Buffer.alloc(32));
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
