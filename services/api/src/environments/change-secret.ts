import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { type KeyRing, requireKeyRing } from "@waymark/server/encryption/key-ring.ts";
import { hostsOf } from "@waymark/shared/environments/hosts/schema.ts";
import { ENVIRONMENT_LIMITS } from "@waymark/shared/environments/limits.ts";
import { lockEnvironment } from "@waymark/server/environments/queries.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { countSecrets, deleteSecret } from "@waymark/server/environments/secrets/queries.ts";
import type { SetSecretRequest } from "@waymark/shared/environments/secrets/schema.ts";
import { storeSecret } from "@waymark/server/environments/secrets/secrets.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { authorizedEnvironment } from "./route-definitions.ts";

interface SecretChange {
  actor: Actor;
  origin: AuditOrigin;
  environmentId: string;
  name: string;
}

/** @throws AppError `permission_denied`, `not_found`, `encryption_key_missing`, `validation_failed` or `limit_reached` */
export async function setSecretAs(
  db: DatabasePool,
  keyRing: KeyRing | undefined,
  { actor, origin, request, name, environmentId }: SecretChange & { request: SetSecretRequest },
): Promise<void> {
  const { organizationId, apiKeyId: keyId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const found = await lockEnvironment(tx, { organizationId, environmentId }, "exclusive");
    const environment = authorizedEnvironment(actor, "secrets:write", found);
    const secret = { organizationId, environmentId: environment.id, name };
    const hosts = request.hosts ?? defaultHosts(environment);
    const { count, version } = await countSecrets(tx, secret);
    const { secretsMax } = ENVIRONMENT_LIMITS;
    if (version === null && count >= secretsMax) {
      throw new AppError(
        "limit_reached",
        `An environment can have ${secretsMax} secrets. Delete one that is no longer needed.`,
      );
    }
    const stored = { ...secret, hosts, version: (version ?? 0) + 1, keyId };
    await storeSecret(tx, requireKeyRing(keyRing), { ...stored, value: request.value });
    await insertAuditEvent(tx, {
      ...origin,
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "secret.set",
      details: { environmentId: environment.id, secret: name, version: stored.version, hosts },
    });
  });
}

/** @throws AppError `permission_denied` or `not_found` */
export async function deleteSecretAs(
  db: DatabasePool,
  { actor, origin, name, environmentId }: SecretChange,
): Promise<void> {
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const found = await lockEnvironment(tx, { organizationId, environmentId }, "exclusive");
    const environment = authorizedEnvironment(actor, "secrets:write", found);
    if (!(await deleteSecret(tx, { organizationId, environmentId, name }))) {
      throw new AppError("not_found", "This environment has no secret with this name.");
    }
    await insertAuditEvent(tx, {
      ...origin,
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "secret.deleted",
      details: { environmentId: environment.id, secret: name },
    });
  });
}

/** Chosen when the value is set: whoever changes the servers later must not lead the value elsewhere. */
function defaultHosts({ servers }: Environment): string[] {
  const hosts = hostsOf(servers);
  if (hosts.length > 0) return hosts;
  const message = "is required, because the environment has no servers: name the hosts that the value is for";
  throw new AppError("validation_failed", `hosts ${message}.`, {
    data: { details: [{ path: "hosts", message }] },
  });
}
