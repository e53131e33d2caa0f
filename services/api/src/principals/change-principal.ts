import {
  assertCanGiveRoles,
  assertCanRevoke,
  assertCanTakeRoles,
  type CallerGrant,
} from "@waymark/server/api-keys/delegation.ts";
import { assertFullAccessRemains } from "@waymark/server/api-keys/revocation/full-access.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import {
  countPrincipals,
  findPrincipal,
  insertPrincipal,
  listOwnedKeyIds,
  listOwnedScopes,
  setPrincipalDisabled,
  updateDisplayName,
} from "@waymark/server/principals/queries.ts";
import { listHeldRoles } from "@waymark/server/principals/roles.queries.ts";
import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { scopesToHandOn } from "@waymark/shared/api-keys/roles/held-role.ts";
import { PRINCIPAL_LIMITS, type Principal } from "@waymark/shared/principals/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { lockedCallerGrant } from "../lib/caller-grant.ts";
import { keepingAnAdministrator } from "./administrators.ts";

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

interface ChangeOfOne extends Change {
  principalId: string;
}

/** @throws AppError `permission_denied` or `limit_reached` */
export async function createServiceAccountAs(
  db: DatabasePool,
  { actor, origin, displayName }: Change & { displayName: string },
): Promise<Principal> {
  authorize(actor, "principals:manage", {});
  const { organizationId, apiKeyId } = actor;
  const id = uuidv7();
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    await assertRoomForPrincipal(tx, organizationId);
    const type = "service_account";
    await insertPrincipal(tx, { organizationId, id, type, displayName, email: null, createdBy: apiKeyId });
    const principal = existing(await findPrincipal(tx, { organizationId, principalId: id }));
    await record(tx, { organizationId, origin, principal, action: "principal.created" });
    return principal;
  });
}

/** @throws AppError `limit_reached` */
export async function assertRoomForPrincipal(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<void> {
  const { principalsMax } = PRINCIPAL_LIMITS;
  if ((await countPrincipals(tx, organizationId)) < principalsMax) return;
  throw new AppError(
    "limit_reached",
    `An organization can have ${principalsMax} users and service accounts together.`,
  );
}

/** @throws AppError `permission_denied` or `not_found` */
export async function renamePrincipalAs(
  db: DatabasePool,
  { actor, origin, principalId, displayName }: ChangeOfOne & { displayName: string },
): Promise<Principal> {
  authorize(actor, "principals:manage", {});
  const { organizationId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    const before = existing(await findPrincipal(tx, { organizationId, principalId }));
    if (before.displayName === displayName) return before;
    await updateDisplayName(tx, { organizationId, principalId, displayName });
    const principal = { ...before, displayName };
    const details = { previousName: before.displayName };
    await record(tx, { organizationId, origin, principal, action: "principal.renamed", details });
    return principal;
  });
}

/**
 * Disables or enables a principal. The caller needs all permissions that this takes or gives. Idempotent.
 *
 * @throws AppError `permission_denied`, `not_found`, `last_administrator` or `last_full_access_key`
 */
export async function setPrincipalDisabledAs(
  db: DatabasePool,
  { actor, origin, principalId, disabled }: ChangeOfOne & { disabled: boolean },
): Promise<Principal> {
  authorize(actor, "principals:manage", {});
  const { organizationId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const before = existing(await findPrincipal(tx, { organizationId, principalId }));
    if ((before.disabledAt !== null) === disabled) return before;
    await assertCanChangeState(tx, { organizationId, holder, principal: before, disabled });
    if (disabled) {
      const endingIds = await listOwnedKeyIds(tx, { organizationId, principalId });
      await assertFullAccessRemains(tx, { organizationId, endingIds });
    }
    await keepingAnAdministrator(tx, organizationId, () =>
      setPrincipalDisabled(tx, { organizationId, principalId, disabled }),
    );
    const principal = existing(await findPrincipal(tx, { organizationId, principalId }));
    const action = disabled ? "principal.disabled" : "principal.enabled";
    await record(tx, { organizationId, origin, principal, action });
    return principal;
  });
}

/**
 * Checks what is taken or given: the roles of a user, which limit the user's keys, or the scopes of a service account's keys.
 *
 * @throws AppError `permission_denied`
 */
async function assertCanChangeState(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; holder: CallerGrant; principal: Principal; disabled: boolean },
): Promise<void> {
  const { organizationId, holder, principal, disabled } = options;
  const of = { organizationId, principalId: principal.id };
  if (principal.type === "service_account")
    return assertCanRevoke(holder, { scopes: await listOwnedScopes(tx, of) });
  const assertCan = disabled ? assertCanTakeRoles : assertCanGiveRoles;
  assertCan(holder, scopesToHandOn(await listHeldRoles(tx, of)));
}

/** @throws AppError `not_found` */
export function existing(principal: Principal | null): Principal {
  if (principal !== null) return principal;
  throw new AppError("not_found", "There is no user or service account with this id.");
}

async function record(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    origin,
    principal: { id, type, displayName },
    action,
    details = {},
  }: {
    organizationId: string;
    origin: AuditOrigin;
    principal: Principal;
    action: "principal.created" | "principal.renamed" | "principal.disabled" | "principal.enabled";
    details?: { previousName?: string };
  },
): Promise<void> {
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action,
    details: { principalId: id, type, displayName, ...details },
  });
}
