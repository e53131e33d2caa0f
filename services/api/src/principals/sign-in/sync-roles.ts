import { insertAuditEvent, type AuditOrigin } from "@waymark/server/audit/queries.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { StoredProvider } from "@waymark/server/principals/identity-providers/queries.ts";
import { deleteRoleGrant, insertRoleGrant, listOwnRoles } from "@waymark/server/principals/roles.queries.ts";
import { listProviderGrants, type ProviderGrant } from "@waymark/server/principals/sign-in/queries.ts";
import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import { ROLE_LIMITS } from "@waymark/shared/principals/roles/schema.ts";
import { unlessLastAdministrator } from "../administrators.ts";
import { v7 as uuidv7 } from "uuid";

type WantedRole = Omit<ProviderGrant, "id">;

interface Sync {
  provider: StoredProvider;
  principalId: string;
  groups: readonly string[];
  origin: AuditOrigin;
}

/**
 * Gives a user the roles of the provider's groups, and takes those that they no longer give. Roles that were granted by hand stay. The last
 * administrator keeps the role. Call it under the exclusive lock of the organization's keys.
 *
 * @returns the names of the roles that exceed the limit, and are not given
 */
export async function syncRoles(tx: DatabaseTransactionConnection, sync: Sync): Promise<string[]> {
  const { provider, principalId } = sync;
  const { organizationId, id: identityProviderId } = provider;
  const held = await listProviderGrants(tx, { organizationId, identityProviderId, principalId });
  const own = new Set((await listOwnRoles(tx, organizationId)).map(({ name }) => name));
  // Some may have been deleted since the provider was set up.
  const all = wantedRoles(provider, sync.groups).filter(
    ({ role }) => BUILT_IN_ROLES.has(role) || own.has(role),
  );
  const wanted = all.slice(0, ROLE_LIMITS.grantsPerUserMax);
  for (const role of wanted.filter((one) => !held.some((other) => isSame(one, other)))) {
    const id = uuidv7();
    await insertRoleGrant(tx, {
      ...role,
      organizationId,
      id,
      holder: { principalId },
      ownedBy: null,
      createdBy: null,
      identityProviderId,
    });
    await record(tx, sync, { action: "role.granted", grant: { ...role, id } });
  }
  for (const grant of held.filter((one) => !wanted.some((other) => isSame(one, other)))) {
    const take = (inner: DatabaseTransactionConnection) =>
      deleteRoleGrant(inner, { organizationId, roleGrantId: grant.id });
    if (await unlessLastAdministrator(tx, organizationId, take))
      await record(tx, sync, { action: "role.revoked", grant });
  }
  return all.slice(ROLE_LIMITS.grantsPerUserMax).map(({ role }) => role);
}

/** Returns the roles that the provider's rules give to the people of these groups, each once. */
function wantedRoles({ roles }: Pick<StoredProvider, "roles">, groups: readonly string[]): WantedRole[] {
  const wanted: WantedRole[] = [];
  for (const { group, role, serviceNames } of roles) {
    const given = { role, serviceNames };
    if ((group === null || groups.includes(group)) && !wanted.some((one) => isSame(one, given)))
      wanted.push(given);
  }
  return wanted;
}

function isSame(one: WantedRole, other: WantedRole): boolean {
  return JSON.stringify([one.role, one.serviceNames]) === JSON.stringify([other.role, other.serviceNames]);
}

async function record(
  tx: DatabaseTransactionConnection,
  { provider, principalId, origin }: Sync,
  { action, grant }: { action: "role.granted" | "role.revoked"; grant: ProviderGrant },
): Promise<void> {
  const { organizationId, id: identityProviderId } = provider;
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action,
    details: {
      principalId,
      roleGrantId: grant.id,
      role: grant.role,
      serviceNames: grant.serviceNames === null ? null : [...grant.serviceNames],
      identityProviderId,
    },
  });
}
