import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { type KeyRing, requireKeyRing } from "@waymark/server/encryption/key-ring.ts";
import { type OpenedSecret, openSecrets } from "@waymark/server/environments/secrets/secrets.ts";
import { findRunStarter, type RunStarter } from "@waymark/server/journey-runs/queries.ts";
import { v7 as uuidv7 } from "uuid";

/** A run that needs secrets of its environment, and their names. */
export interface SecretsOfRun {
  organizationId: string;
  environmentId: string;
  runId: string;
  names: readonly string[];
}

/**
 * Decrypts secrets for a run, by name. Names without a secret are missing in the result. The use is recorded, with the audit
 * event `secret.used`, in the transaction that reads the values.
 *
 * @throws AppError `encryption_key_missing`, or Error that names a secret that can't be decrypted
 */
export type OpenSecrets = (of: SecretsOfRun) => Promise<Record<string, OpenedSecret>>;

/** @param keyRing undefined if none is configured: then only runs without secrets can be carried out */
export function createSecretOpener(db: DatabasePool, keyRing: KeyRing | undefined): OpenSecrets {
  return async ({ organizationId, environmentId, runId, names }) => {
    if (names.length === 0) return {};
    const ring = requireKeyRing(keyRing);
    const opened = await withOrganization(db, organizationId, async (tx) => {
      const secrets = await openSecrets(tx, ring, { organizationId, environmentId, names });
      if (secrets.size > 0) {
        const starter = await findRunStarter(tx, { organizationId, runId });
        const scheduleId = starter?.scheduleId ?? null;
        await insertAuditEvent(tx, {
          id: uuidv7(),
          organizationId,
          apiKeyId: null,
          action: "secret.used",
          details: {
            environmentId,
            runId,
            secrets: [...secrets.keys()].toSorted(),
            ...(scheduleId === null ? {} : { scheduleId }),
          },
          ...originOf(starter),
        });
      }
      return secrets;
    });
    return Object.fromEntries(opened);
  };
}

/** Returns who acts in a run: its schedule, otherwise the key that started it. */
function originOf(starter: RunStarter | null): AuditOrigin {
  const where = { address: null, requestId: null };
  if (starter === null) return { actorKeyId: null, ...where };
  return starter.scheduleId === null
    ? { actorKeyId: starter.createdByKeyId, ...where }
    : { actorKeyId: null, by: "schedule", ...where };
}
