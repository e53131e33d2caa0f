import { type CommonQueryMethods, type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { ProviderRef } from "../identity-providers/queries.ts";

const Nothing = z.object({});
const Option = z.object({ id: z.string(), displayName: z.string() });
type SignInOption = z.infer<typeof Option>;

/** Finds the providers that a domain of e-mail addresses leads to, in any organization. */
export async function findSignInByDomain(
  db: CommonQueryMethods,
  domain: string,
): Promise<readonly SignInOption[]> {
  return db.any(sql.type(Option)`
    SELECT id, display_name AS "displayName" FROM find_sign_in_by_domain(${domain})`);
}

/** Finds the providers of an organization by its id, or by a name that no other one has. */
export async function findSignInByOrganization(
  db: CommonQueryMethods,
  organization: string,
): Promise<readonly SignInOption[]> {
  return db.any(sql.type(Option)`
    SELECT id, display_name AS "displayName" FROM find_sign_in_by_organization(${organization})`);
}

/** Finds the providers of the only organization. */
export async function findSignInOfOnlyOrganization(db: CommonQueryMethods): Promise<readonly SignInOption[]> {
  return db.any(sql.type(Option)`
    SELECT id, display_name AS "displayName" FROM find_sign_in_of_only_organization()`);
}

/** Stores a sign-in that has begun, unless the organization has `openMax` of them. @returns false if it has */
export async function insertSignIn(
  tx: DatabaseTransactionConnection,
  signIn: ProviderRef & { tokenHash: Buffer; again: boolean; minutes: number; openMax: number },
): Promise<boolean> {
  const { organizationId, identityProviderId, tokenHash, again, minutes, openMax } = signIn;
  await tx.query(sql.type(Nothing)`
    DELETE FROM sign_ins WHERE organization_id = ${organizationId} AND expires_at <= now()`);
  const { rowCount } = await tx.query(sql.type(Nothing)`
    INSERT INTO sign_ins (organization_id, token_hash, identity_provider_id, again, expires_at)
    SELECT ${organizationId}::uuid, ${sql.binary(tokenHash)}, ${identityProviderId}::uuid, ${again}::boolean,
           now() + ${minutes} * interval '1 minute'
    WHERE (SELECT count(*) FROM sign_ins WHERE organization_id = ${organizationId}) < ${openMax}`);
  return rowCount > 0;
}

/** Finds the organization of a sign-in that has begun, in any organization. */
export async function findSignInOrganization(
  db: CommonQueryMethods,
  tokenHash: Buffer,
): Promise<string | null> {
  return db.maybeOneFirst(sql.type(z.object({ organization_id: z.string() }))`
    SELECT organization_id FROM find_sign_in(${sql.binary(tokenHash)})`);
}

const TakenSignIn = z.object({ identityProviderId: z.string(), again: z.boolean(), createdAt: z.string() });

/** Takes a sign-in that has begun: it can't be taken again. @returns null if it has expired or was taken */
export async function takeSignIn(
  tx: DatabaseTransactionConnection,
  { organizationId, tokenHash }: { organizationId: string; tokenHash: Buffer },
): Promise<z.infer<typeof TakenSignIn> | null> {
  return tx.maybeOne(sql.type(TakenSignIn)`
    WITH taken AS (
      DELETE FROM sign_ins
      WHERE organization_id = ${organizationId} AND token_hash = ${sql.binary(tokenHash)}
      RETURNING identity_provider_id, again, created_at, expires_at
    )
    SELECT identity_provider_id AS "identityProviderId", again, created_at AS "createdAt" FROM taken WHERE expires_at > now()`);
}

export interface IdentityRef extends ProviderRef {
  subject: string;
}

const IdentityRow = z.object({ principalId: z.string(), apiKeyId: z.string().nullable() });

/** Finds the user that a provider's subject is. */
export async function findIdentity(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, subject }: IdentityRef,
): Promise<z.infer<typeof IdentityRow> | null> {
  return tx.maybeOne(sql.type(IdentityRow)`
    SELECT principal_id AS "principalId", api_key_id AS "apiKeyId" FROM principal_identities
    WHERE organization_id = ${organizationId} AND identity_provider_id = ${identityProviderId} AND subject = ${subject}`);
}

const FoundUserRow = z.object({ principalId: z.string(), hasIdentity: z.boolean(), isProved: z.boolean() });

/** Finds the user with an e-mail address in any case, whether the user has an identity at the provider, and whether any has ever said who it is. */
export async function findUserByEmail(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, email }: ProviderRef & { email: string },
): Promise<z.infer<typeof FoundUserRow> | null> {
  return tx.maybeOne(sql.type(FoundUserRow)`
    SELECT p.id AS "principalId", p.proved_at IS NOT NULL AS "isProved", EXISTS (
             SELECT FROM principal_identities i
             WHERE i.organization_id = p.organization_id AND i.principal_id = p.id AND i.identity_provider_id = ${identityProviderId}
           ) AS "hasIdentity"
    FROM principals p
    WHERE p.organization_id = ${organizationId} AND lower(p.email COLLATE "C") = lower(${email} COLLATE "C")`);
}

/** Stores that a provider's subject is a user. The user stays proved when the provider is deleted. */
export async function insertIdentity(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, subject, principalId }: IdentityRef & { principalId: string },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    INSERT INTO principal_identities (organization_id, identity_provider_id, subject, principal_id)
    VALUES (${organizationId}, ${identityProviderId}, ${subject}, ${principalId})`);
  await tx.query(sql.type(Nothing)`
    UPDATE principals SET proved_at = now()
    WHERE organization_id = ${organizationId} AND id = ${principalId} AND proved_at IS NULL`);
}

/** Records a sign-in, and the key of its session. */
export async function updateIdentity(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, subject, apiKeyId }: IdentityRef & { apiKeyId: string },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    UPDATE principal_identities SET api_key_id = ${apiKeyId}, last_sign_in_at = now()
    WHERE organization_id = ${organizationId} AND identity_provider_id = ${identityProviderId} AND subject = ${subject}`);
}

/** True if a key will still be usable in `seconds`. */
export async function isKeyUsableFor(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId, seconds }: { organizationId: string; apiKeyId: string; seconds: number },
): Promise<boolean> {
  return tx.exists(sql.type(Nothing)`
    SELECT FROM api_keys
    WHERE organization_id = ${organizationId} AND id = ${apiKeyId} AND revoked_at IS NULL AND disabled_at IS NULL
      AND (expires_at IS NULL OR expires_at > now() + ${seconds} * interval '1 second')`);
}

/**
 * Sets the end of a key that nobody has ended, whether it has expired or not. Sessions of a key that has expired stay ended. Only for a key whose
 * secret nobody has: others live no longer than they were made for.
 *
 * @param options.expiresAt null for no end
 * @returns false if the key was revoked, disabled or deleted
 */
export async function extendKeyOfSessions(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    apiKeyId,
    expiresAt,
  }: { organizationId: string; apiKeyId: string; expiresAt: Date | null },
): Promise<boolean> {
  const key = sql.fragment`
    k.organization_id = ${organizationId} AND k.id = ${apiKeyId} AND k.revoked_at IS NULL AND k.disabled_at IS NULL`;
  await tx.query(sql.type(Nothing)`
    DELETE FROM sessions s USING api_keys k
    WHERE ${key} AND k.expires_at <= now() AND s.organization_id = k.organization_id AND s.api_key_id = k.id`);
  const { rowCount } = await tx.query(sql.type(Nothing)`
    UPDATE api_keys k SET expires_at = ${expiresAt?.toISOString() ?? null}::timestamptz WHERE ${key}`);
  return rowCount > 0;
}

const ProviderGrant = z.object({
  id: z.string(),
  role: z.string(),
  serviceNames: z.array(z.string()).nullable(),
});
export type ProviderGrant = z.infer<typeof ProviderGrant>;

/** Lists the roles that a provider's groups gave a user. */
export async function listProviderGrants(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, principalId }: ProviderRef & { principalId: string },
): Promise<readonly ProviderGrant[]> {
  return tx.any(sql.type(ProviderGrant)`
    SELECT id, role, service_names AS "serviceNames" FROM role_grants
    WHERE organization_id = ${organizationId} AND principal_id = ${principalId} AND identity_provider_id = ${identityProviderId}
    ORDER BY id`);
}

/**
 * Ends the sessions that a provider has ended: those of its session, or all of the subject, that were opened before `issuedAt`. A logout token
 * that is sent again so ends nothing newer.
 *
 * @returns the keys of the ended sessions, each once
 */
export async function endProviderSessions(
  tx: DatabaseTransactionConnection,
  ended: ProviderRef & { providerSession: string | null; subject: string | null; issuedAt: Date },
): Promise<string[]> {
  const { organizationId, identityProviderId, providerSession, subject, issuedAt } = ended;
  // By the owner, because a person's sign-ins may have had several keys.
  const isOfSubject = sql.fragment`api_key_id IN (
    SELECT k.id FROM principal_identities i
    JOIN api_keys k ON k.organization_id = i.organization_id AND k.owner_principal_id = i.principal_id
    WHERE i.organization_id = ${organizationId} AND i.identity_provider_id = ${identityProviderId} AND i.subject = ${subject})`;
  // A session whose ID token did not name the provider's session ends with any of the person's.
  const whose =
    providerSession === null
      ? isOfSubject
      : sql.fragment`(provider_session = ${providerSession} OR (provider_session IS NULL AND ${isOfSubject}))`;
  const apiKeyIds = await tx.anyFirst(sql.type(z.object({ api_key_id: z.string() }))`
    DELETE FROM sessions
    WHERE organization_id = ${organizationId} AND identity_provider_id = ${identityProviderId}
      AND date_trunc('second', created_at) <= ${issuedAt.toISOString()}::timestamptz AND ${whose}
    RETURNING api_key_id`);
  return [...new Set(apiKeyIds)];
}
