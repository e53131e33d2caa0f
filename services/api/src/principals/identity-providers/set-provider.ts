import { assertCanGiveRoles } from "@waymark/server/api-keys/delegation.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { type AuditOrigin, insertAuditEvent, OPERATOR } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { type KeyRing, requireKeyRing } from "@waymark/server/encryption/key-ring.ts";
import { sealClientSecret } from "@waymark/server/principals/identity-providers/client-secret.ts";
import {
  deleteProvider,
  findProvider,
  findSignInDomainElsewhere,
  insertProvider,
  listProviders,
  type ProviderRef,
  type ProviderSettings,
  setClientSecret,
  setSignInDomains,
  type StoredProvider,
  updateProvider,
} from "@waymark/server/principals/identity-providers/queries.ts";
import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import {
  type CreateIdentityProviderRequest,
  IDENTITY_PROVIDER_LIMITS,
  type UpdateIdentityProviderRequest,
} from "@waymark/shared/principals/identity-providers/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { lockedCallerGrant } from "../../lib/caller-grant.ts";
import { requireOrganization } from "../../lib/require-organization.ts";
import type { ProviderClient } from "../sign-in/provider-client.ts";
import { keepingAnAdministrator } from "../administrators.ts";
import { owningTeam, scopesOfInvited } from "../roles/scopes-of-role.ts";

export interface ProviderDependencies {
  db: DatabasePool;
  keyRing: KeyRing | undefined;
  client: ProviderClient;
}

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

/**
 * Adds a provider. Its discovery document is read first.
 *
 * @throws AppError `permission_denied`, `identity_provider_invalid`, `encryption_key_missing`, `not_found` for a role, or `limit_reached`
 */
export async function createProviderAs(
  dependencies: ProviderDependencies,
  { actor, origin, request }: Change & { request: CreateIdentityProviderRequest },
): Promise<StoredProvider> {
  authorize(actor, EVERY_PERMISSION, {});
  const { organizationId, apiKeyId } = actor;
  const { db, client } = dependencies;
  // Before the document is read: nobody else has this server read addresses.
  await withOrganization(db, organizationId, (tx) => assertFullAccess(tx, actor));
  await client.verify(clientOf(request));
  return withOrganization(db, organizationId, async (tx) => {
    await assertFullAccess(tx, actor);
    return create(tx, dependencies, { organizationId, createdBy: apiKeyId, origin, request });
  });
}

/** Changes a provider. @throws AppError as `createProviderAs` */
export async function updateProviderAs(
  dependencies: ProviderDependencies,
  {
    actor,
    origin,
    identityProviderId,
    request,
  }: Change & { identityProviderId: string; request: UpdateIdentityProviderRequest },
): Promise<StoredProvider> {
  authorize(actor, EVERY_PERMISSION, {});
  const { organizationId } = actor;
  return withOrganization(dependencies.db, organizationId, async (tx) => {
    await assertFullAccess(tx, actor);
    const before = existing(await findProvider(tx, { organizationId, identityProviderId }));
    return update(tx, dependencies, { before, request, origin });
  });
}

/** @throws AppError `permission_denied`, `not_found` or `last_administrator` */
export async function deleteProviderAs(
  { db }: Pick<ProviderDependencies, "db">,
  { actor, origin, identityProviderId }: Change & { identityProviderId: string },
): Promise<void> {
  authorize(actor, EVERY_PERMISSION, {});
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    await assertFullAccess(tx, actor);
    const before = existing(await findProvider(tx, { organizationId, identityProviderId }));
    await keepingAnAdministrator(tx, organizationId, () =>
      deleteProvider(tx, { organizationId, identityProviderId }),
    );
    await record(tx, { provider: before, origin, action: "identity_provider.deleted" });
  });
}

/**
 * Adds a provider as the operator, or changes the one with the same issuer and client.
 *
 * @param dependencies.db a pool of the database's owner
 * @throws Error for a domain that leads to another provider, or AppError as `createProviderAs`
 */
export async function setProviderAsOperator(
  dependencies: ProviderDependencies,
  options: {
    organizationId: string;
    request: CreateIdentityProviderRequest;
    /** The domains of addresses that lead to it on the sign-in page; undefined leaves them as they are. */
    signInDomains: readonly string[] | undefined;
  },
): Promise<StoredProvider> {
  const { db, client } = dependencies;
  const { organizationId, request, signInDomains } = options;
  await requireOrganization(db, organizationId);
  await client.verify(clientOf(request));
  const { issuer, ...settings } = request;
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    const before = (await listProviders(tx, organizationId)).find(
      (one) => one.issuer === issuer && one.clientId === settings.clientId,
    );
    const origin = OPERATOR;
    const provider =
      before === undefined
        ? await create(tx, dependencies, { organizationId, createdBy: null, origin, request })
        : await update(tx, dependencies, { before, request: settings, origin });
    if (signInDomains !== undefined) {
      const taken = await findSignInDomainElsewhere(tx, {
        identityProviderId: provider.id,
        domains: signInDomains,
      });
      if (taken !== null) throw new Error(`${taken} leads to another identity provider`);
      const domains = [...new Set(signInDomains)];
      await setSignInDomains(tx, { organizationId, identityProviderId: provider.id, domains });
    }
    return provider;
  });
}

/** Takes the lock of the organization's keys. @throws AppError `permission_denied` if the caller can't make somebody an administrator */
async function assertFullAccess(tx: DatabaseTransactionConnection, actor: Actor): Promise<void> {
  assertCanGiveRoles(await lockedCallerGrant(tx, actor), [{ permission: EVERY_PERMISSION }]);
}

async function create(
  tx: DatabaseTransactionConnection,
  { keyRing }: ProviderDependencies,
  options: {
    organizationId: string;
    createdBy: string | null;
    origin: AuditOrigin;
    request: CreateIdentityProviderRequest;
  },
): Promise<StoredProvider> {
  const { organizationId, createdBy, origin, request } = options;
  const { issuer, ...settings } = request;
  if ((await listProviders(tx, organizationId)).length >= IDENTITY_PROVIDER_LIMITS.providersMax) {
    throw new AppError(
      "limit_reached",
      `An organization can have ${IDENTITY_PROVIDER_LIMITS.providersMax} identity providers.`,
    );
  }
  const ref = { organizationId, identityProviderId: uuidv7() };
  await insertProvider(tx, {
    ...ref,
    issuer,
    createdBy,
    settings: await settingsOf(tx, organizationId, settings),
  });
  await changeSecret(tx, keyRing, { ...ref, issuer, value: settings.clientSecret ?? undefined });
  const provider = existing(await findProvider(tx, ref));
  await record(tx, { provider, origin, action: "identity_provider.created" });
  return provider;
}

async function update(
  tx: DatabaseTransactionConnection,
  { keyRing }: ProviderDependencies,
  options: { before: StoredProvider; request: UpdateIdentityProviderRequest; origin: AuditOrigin },
): Promise<StoredProvider> {
  const { before, request, origin } = options;
  const { organizationId, issuer } = before;
  const ref = { organizationId, identityProviderId: before.id };
  await updateProvider(tx, { ...ref, settings: await settingsOf(tx, organizationId, request) });
  await changeSecret(tx, keyRing, { ...ref, issuer, value: request.clientSecret });
  const provider = existing(await findProvider(tx, ref));
  await record(tx, { provider, origin, action: "identity_provider.updated" });
  return provider;
}

/** Stores, deletes (null) or leaves (undefined) the client secret. */
async function changeSecret(
  tx: DatabaseTransactionConnection,
  keyRing: KeyRing | undefined,
  { value, ...provider }: ProviderRef & { issuer: string; value: string | null | undefined },
): Promise<void> {
  if (value === undefined) return;
  const sealed =
    value === null ? null : await sealClientSecret(tx, requireKeyRing(keyRing), { ...provider, value });
  await setClientSecret(tx, { ...provider, sealed });
}

/** Fills in what is absent. @throws AppError `not_found` for a role that there is not */
async function settingsOf(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  request: UpdateIdentityProviderRequest,
): Promise<ProviderSettings> {
  const {
    displayName,
    clientId,
    scopes = [],
    emailDomains = [],
    groups = [],
    roles = [],
    teams = [],
  } = request;
  // For the errors of unknown teams and roles.
  for (const { team } of teams) await owningTeam(tx, { organizationId, slug: team });
  await scopesOfInvited(tx, organizationId, roles);
  return {
    displayName,
    clientId,
    scopes,
    emailDomains,
    groups,
    groupsClaim: request.groupsClaim ?? "groups",
    trustsEmail: request.trustsEmail ?? false,
    roles: roles.map(({ group, role, serviceNames = null }) => ({ group, role, serviceNames })),
    teams,
  };
}

function clientOf({ issuer, clientId }: CreateIdentityProviderRequest) {
  return { issuer, clientId, clientSecret: undefined };
}

function existing(provider: StoredProvider | null): StoredProvider {
  if (provider !== null) return provider;
  throw new AppError("not_found", "There is no identity provider with this id.");
}

async function record(
  tx: DatabaseTransactionConnection,
  event: {
    provider: StoredProvider;
    origin: AuditOrigin;
    action: "identity_provider.created" | "identity_provider.updated" | "identity_provider.deleted";
  },
): Promise<void> {
  const { provider, origin, action } = event;
  const {
    id: identityProviderId,
    displayName,
    issuer,
    clientId,
    emailDomains,
    groups,
    trustsEmail,
    roles,
    teams,
  } = provider;
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId: provider.organizationId,
    apiKeyId: null,
    action,
    details: {
      identityProviderId,
      displayName,
      issuer,
      clientId,
      hasClientSecret: provider.clientSecret !== null,
      emailDomains: [...emailDomains],
      groups: [...groups],
      trustsEmail,
      roles: roles.map(({ group, role, serviceNames }) => ({ group, role, serviceNames })),
      teams: teams.map(({ group, team }) => ({ group, team })),
    },
  });
}
