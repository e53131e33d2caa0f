import { createKey } from "@waymark/server/api-keys/create-key.ts";
import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import { lockKeyChanges, revokeApiKeys } from "@waymark/server/api-keys/revocation/queries.ts";
import { SESSION_LIFETIME_SECONDS } from "@waymark/server/api-keys/sessions/sessions.ts";
import { latestExpiry } from "@waymark/server/api-keys/validate-new-key.ts";
import { type AuditOrigin, insertAuditEvent, insertAuditEvents } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findProvider, type StoredProvider } from "@waymark/server/principals/identity-providers/queries.ts";
import { findPrincipal, insertPrincipal, listOwnedKeyIds } from "@waymark/server/principals/queries.ts";
import {
  extendKeyOfSessions,
  findIdentity,
  findUserByEmail,
  insertIdentity,
  isKeyUsableFor,
  updateIdentity,
} from "@waymark/server/principals/sign-in/queries.ts";
import { API_KEY_LIMITS, EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { assertRoomForPrincipal } from "../change-principal.ts";
import { refused } from "./provider-errors.ts";
import type { ProviderClaims } from "./provider-client.ts";
import { type Person, readPerson } from "./read-person.ts";
import { syncRoles } from "./sync-roles.ts";
import { syncTeams } from "./sync-teams.ts";

interface Admission {
  provider: StoredProvider;
  claims: ProviderClaims;
  lifetimeDaysMax: number | undefined;
  address: string;
  requestId: string;
}

/**
 * Finds or makes the user that a provider's claims name, gives the user the roles of the groups, and returns the key of the user's sessions:
 * a personal key whose secret nobody has.
 *
 * @throws AppError `sign_in_refused`, `principal_disabled` or `limit_reached`
 */
export async function admitPerson(
  db: DatabasePool,
  { provider: { organizationId, id: identityProviderId }, claims, ...admission }: Admission,
): Promise<{ key: IdentifiedKey; person: Person }> {
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    // As it is now: it may have been changed while the person was at the provider.
    const provider = await findProvider(tx, { organizationId, identityProviderId });
    if (provider === null)
      throw refused("This identity provider was removed. Ask an administrator how to sign in.");
    const person = readPerson(provider, claims);
    const { principalId, isNew, apiKeyId: knownKeyId } = await findOrCreateUser(tx, { provider, person });
    const earlierKeyIds =
      isNew === "proved" ? await listOwnedKeyIds(tx, { organizationId, principalId }) : [];
    const user = await findPrincipal(tx, { organizationId, principalId });
    if (user === null) throw new Error("the user of an identity exists");
    if (user.disabledAt !== null)
      throw new AppError("principal_disabled", "Your user is disabled. Ask an administrator to enable it.");
    const apiKeyId = await keyOfSessions(tx, { provider, principalId, knownKeyId, ...admission });
    await updateIdentity(tx, { organizationId, identityProviderId, subject: person.subject, apiKeyId });
    const origin = { actorKeyId: apiKeyId, address: admission.address, requestId: admission.requestId };
    if (isNew !== undefined) await recordUser(tx, { provider, person, principalId, origin, isNew });
    await revokeEarlierKeys(tx, organizationId, { apiKeyIds: earlierKeyIds, origin });
    const roles = await syncRoles(tx, { provider, principalId, groups: person.groups, origin });
    const teams = await syncTeams(tx, { provider, user, groups: person.groups, origin });
    await recordExceeded(tx, { provider, principalId, origin, roles, teams });
    return { key: { organizationId, apiKeyId }, person };
  });
}

/** A user is created, proved to be the person for the first time, or linked to one more provider, which may replace a deleted one. */
type Becoming = "created" | "proved" | "linked";

interface FoundUser {
  principalId: string;
  apiKeyId: string | null;
  /** How the provider's subject became this user in this sign-in; undefined if it was before. */
  isNew?: Becoming;
}

async function findOrCreateUser(
  tx: DatabaseTransactionConnection,
  { provider, person }: { provider: StoredProvider; person: Person },
): Promise<FoundUser> {
  const { organizationId, id: identityProviderId } = provider;
  const { subject, email, displayName } = person;
  const identity = { organizationId, identityProviderId, subject };
  const known = await findIdentity(tx, identity);
  if (known !== null) return known;
  const found = await findUserByEmail(tx, { organizationId, identityProviderId, email });
  if (found?.hasIdentity === true) {
    // The address was given to somebody else at the provider, or one of two accounts there has an address of the other.
    throw refused(
      "Another account of this identity provider has your e-mail address here. Ask an administrator to look at your user.",
    );
  }
  if (found !== null) {
    await insertIdentity(tx, { ...identity, principalId: found.principalId });
    return { principalId: found.principalId, apiKeyId: null, isNew: found.isProved ? "linked" : "proved" };
  }
  await assertRoomForPrincipal(tx, organizationId);
  const principalId = uuidv7();
  const user = {
    organizationId,
    id: principalId,
    type: "user",
    displayName,
    email,
    createdBy: null,
  } as const;
  await insertPrincipal(tx, user);
  await insertIdentity(tx, { ...identity, principalId });
  return { principalId, apiKeyId: null, isNew: "created" };
}

/**
 * Returns the key that the user's sessions had before, or a new one if somebody has ended that. If it ends before a session would, it gets another
 * end: what a person does has one key, and no expired ones are left.
 */
async function keyOfSessions(
  tx: DatabaseTransactionConnection,
  options: Omit<Admission, "claims"> & {
    principalId: string;
    knownKeyId: string | null;
  },
): Promise<string> {
  const { provider, principalId, knownKeyId, lifetimeDaysMax, address, requestId } = options;
  const { organizationId, id: identityProviderId } = provider;
  const end = latestExpiry(new Date(), lifetimeDaysMax);
  const expiresAt = end?.toISOString() ?? null;
  const event = { id: uuidv7(), organizationId, address, requestId };
  if (knownKeyId !== null) {
    const known = { organizationId, apiKeyId: knownKeyId };
    if (await isKeyUsableFor(tx, { ...known, seconds: SESSION_LIFETIME_SECONDS })) return knownKeyId;
    if (await extendKeyOfSessions(tx, { ...known, expiresAt: end })) {
      await insertAuditEvent(tx, {
        ...event,
        actorKeyId: knownKeyId,
        apiKeyId: knownKeyId,
        action: "api_key.extended",
        details: { expiresAt, identityProviderId },
      });
      return knownKeyId;
    }
  }
  const { apiKey } = await createKey(tx, {
    organizationId,
    id: uuidv7(),
    name: Array.from(`Sign-in with ${provider.displayName}`).slice(0, API_KEY_LIMITS.nameMax).join(""),
    ownerPrincipalType: "user",
    ownerPrincipalId: principalId,
    createdBy: null,
    scopes: [{ permission: EVERY_PERMISSION }],
    expiresAt,
    allowedNetworks: null,
  });
  const { id: apiKeyId, name } = apiKey;
  await insertAuditEvent(tx, {
    ...event,
    actorKeyId: apiKeyId,
    apiKeyId,
    action: "api_key.created",
    details: { name, permissions: [EVERY_PERMISSION], identityProviderId },
  });
  return apiKeyId;
}

/**
 * Ends the keys that a user had before any provider said who that is: an invitation proves only that somebody had its link, who would otherwise get
 * the roles of the person's groups.
 */
async function revokeEarlierKeys(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { apiKeyIds, origin }: { apiKeyIds: readonly string[]; origin: AuditOrigin },
): Promise<void> {
  if (apiKeyIds.length === 0) return;
  const revokedIds = await revokeApiKeys(tx, { organizationId, apiKeyIds });
  const keys = revokedIds.map((id) => ({ eventId: uuidv7(), apiKeyId: id }));
  await insertAuditEvents(tx, { ...origin, organizationId, action: "api_key.revoked", keys });
}

/** Records the roles and teams of the person's groups that exceed a limit: nobody is refused for them, and somebody must learn of them. */
async function recordExceeded(
  tx: DatabaseTransactionConnection,
  event: {
    provider: StoredProvider;
    principalId: string;
    origin: AuditOrigin;
    roles: readonly string[];
    teams: readonly string[];
  },
): Promise<void> {
  const { provider, principalId, origin, roles, teams } = event;
  if (roles.length + teams.length === 0) return;
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId: provider.organizationId,
    apiKeyId: null,
    action: "identity_provider.limit_reached",
    details: {
      principalId,
      identityProviderId: provider.id,
      ...(roles.length > 0 && { roles }),
      ...(teams.length > 0 && { teams }),
    },
  });
}

async function recordUser(
  tx: DatabaseTransactionConnection,
  event: {
    provider: StoredProvider;
    person: Person;
    principalId: string;
    origin: AuditOrigin;
    isNew: Becoming;
  },
): Promise<void> {
  const { provider, person, principalId, origin, isNew } = event;
  const { email, displayName } = person;
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId: provider.organizationId,
    apiKeyId: null,
    action: isNew === "created" ? "principal.created" : "principal.linked",
    details: { principalId, type: "user", displayName, email, identityProviderId: provider.id },
  });
}
