import { type CommonQueryMethods, type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const MappedRole = z.object({
  group: z.string().nullable(),
  role: z.string(),
  serviceNames: z.array(z.string()).nullable(),
});
export type MappedRole = z.infer<typeof MappedRole>;

const MappedTeam = z.object({ group: z.string(), team: z.string() });

const Bytes = z.instanceof(Buffer);

const ProviderRow = z.object({
  organizationId: z.string(),
  id: z.string(),
  displayName: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  clientSecret: Bytes.nullable(),
  clientSecretNonce: Bytes.nullable(),
  clientSecretKeyId: z.string().nullable(),
  scopes: z.array(z.string()),
  emailDomains: z.array(z.string()),
  groups: z.array(z.string()),
  groupsClaim: z.string(),
  trustsEmail: z.boolean(),
  roles: z.array(MappedRole),
  teams: z.array(MappedTeam),
  createdBy: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
/** A provider as it is stored, with its client secret still encrypted. */
export type StoredProvider = z.infer<typeof ProviderRow>;

const COLUMNS = sql.fragment`
  organization_id AS "organizationId", id, display_name AS "displayName", issuer, client_id AS "clientId",
  client_secret AS "clientSecret", client_secret_nonce AS "clientSecretNonce", client_secret_key_id AS "clientSecretKeyId",
  scopes, email_domains AS "emailDomains", groups, groups_claim AS "groupsClaim", trusts_email AS "trustsEmail", roles, teams,
  created_by AS "createdBy", created_at AS "createdAt", updated_at AS "updatedAt"`;

export interface ProviderRef {
  organizationId: string;
  identityProviderId: string;
}

/** The settings of a provider, which can be changed. */
export interface ProviderSettings {
  displayName: string;
  clientId: string;
  scopes: readonly string[];
  emailDomains: readonly string[];
  groups: readonly string[];
  groupsClaim: string;
  trustsEmail: boolean;
  roles: readonly MappedRole[];
  teams: readonly z.infer<typeof MappedTeam>[];
}

/** The encrypted secret of a client. */
export interface SealedClientSecret {
  ciphertext: Buffer;
  nonce: Buffer;
  dataKeyId: string;
}

/** Finds a provider of any organization. */
export async function findProviderById(
  db: CommonQueryMethods,
  identityProviderId: string,
): Promise<StoredProvider | null> {
  return db.maybeOne(
    sql.type(ProviderRow)`SELECT ${COLUMNS} FROM find_identity_provider(${identityProviderId})`,
  );
}

export async function listProviders(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<readonly StoredProvider[]> {
  return tx.any(sql.type(ProviderRow)`
    SELECT ${COLUMNS} FROM identity_providers WHERE organization_id = ${organizationId} ORDER BY id`);
}

export async function findProvider(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId }: ProviderRef,
): Promise<StoredProvider | null> {
  return tx.maybeOne(sql.type(ProviderRow)`
    SELECT ${COLUMNS} FROM identity_providers WHERE organization_id = ${organizationId} AND id = ${identityProviderId}`);
}

export async function insertProvider(
  tx: DatabaseTransactionConnection,
  provider: ProviderRef & { issuer: string; createdBy: string | null; settings: ProviderSettings },
): Promise<void> {
  const { organizationId, identityProviderId, issuer, createdBy, settings } = provider;
  await tx.query(sql.type(z.object({}))`
    INSERT INTO identity_providers (organization_id, id, issuer, created_by, display_name, client_id, scopes, email_domains,
                                    groups, groups_claim, trusts_email, roles, teams)
    VALUES (${organizationId}, ${identityProviderId}, ${issuer}, ${createdBy}, ${valuesOf(settings)})`);
}

export async function updateProvider(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, settings }: ProviderRef & { settings: ProviderSettings },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE identity_providers
    SET (display_name, client_id, scopes, email_domains, groups, groups_claim, trusts_email, roles, teams, updated_at)
      = (${valuesOf(settings)}, now())
    WHERE organization_id = ${organizationId} AND id = ${identityProviderId}`);
}

function valuesOf(settings: ProviderSettings) {
  const texts = (values: readonly string[]) => sql.array([...values], "text");
  const { displayName, clientId, scopes, emailDomains, groups, groupsClaim, trustsEmail, roles, teams } =
    settings;
  return sql.fragment`
    ${displayName}, ${clientId}, ${texts(scopes)}, ${texts(emailDomains)}, ${texts(groups)}, ${groupsClaim}, ${trustsEmail},
    ${sql.jsonb(roles.map(({ group, role, serviceNames }) => ({ group, role, serviceNames })))},
    ${sql.jsonb(teams.map(({ group, team }) => ({ group, team })))}`;
}

/** Stores the encrypted client secret; null for a public client. */
export async function setClientSecret(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, sealed }: ProviderRef & { sealed: SealedClientSecret | null },
): Promise<void> {
  const { ciphertext = null, nonce = null, dataKeyId = null } = sealed ?? {};
  await tx.query(sql.type(z.object({}))`
    UPDATE identity_providers
    SET client_secret = ${ciphertext === null ? null : sql.binary(ciphertext)},
        client_secret_nonce = ${nonce === null ? null : sql.binary(nonce)}, client_secret_key_id = ${dataKeyId}
    WHERE organization_id = ${organizationId} AND id = ${identityProviderId}`);
}

/** Deletes a provider with its identities, its sign-ins, its sessions and the roles that its groups gave. */
export async function deleteProvider(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId }: ProviderRef,
): Promise<void> {
  const isOfProvider = sql.fragment`organization_id = ${organizationId} AND identity_provider_id = ${identityProviderId}`;
  await tx.query(sql.type(z.object({}))`DELETE FROM sessions WHERE ${isOfProvider}`);
  await tx.query(sql.type(z.object({}))`DELETE FROM role_grants WHERE ${isOfProvider}`);
  await tx.query(sql.type(z.object({}))`DELETE FROM team_members WHERE ${isOfProvider}`);
  await tx.query(sql.type(z.object({}))`
    UPDATE api_keys SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND revoked_at IS NULL
      AND id IN (SELECT api_key_id FROM principal_identities WHERE ${isOfProvider})`);
  await tx.query(sql.type(z.object({}))`
    DELETE FROM identity_providers WHERE organization_id = ${organizationId} AND id = ${identityProviderId}`);
}

const SignInDomain = z.object({ identityProviderId: z.string(), domain: z.string() });
/** A domain of e-mail addresses that leads to a provider. */
export type SignInDomain = z.infer<typeof SignInDomain>;

/** Lists the domains that lead to the providers of an organization. */
export async function listSignInDomains(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<readonly SignInDomain[]> {
  return tx.any(sql.type(SignInDomain)`
    SELECT identity_provider_id AS "identityProviderId", domain FROM sign_in_domains
    WHERE organization_id = ${organizationId} ORDER BY domain`);
}

/** Finds one of these domains that leads to another provider, of any organization. Only the database's owner sees them all. */
export async function findSignInDomainElsewhere(
  tx: DatabaseTransactionConnection,
  { identityProviderId, domains }: { identityProviderId: string; domains: readonly string[] },
): Promise<string | null> {
  return tx.maybeOneFirst(sql.type(SignInDomain.pick({ domain: true }))`
    SELECT domain FROM sign_in_domains
    WHERE domain = ANY(${sql.array([...domains], "text")}) AND identity_provider_id <> ${identityProviderId}
    ORDER BY domain
    LIMIT 1`);
}

/** Replaces the domains that lead to a provider. */
export async function setSignInDomains(
  tx: DatabaseTransactionConnection,
  { organizationId, identityProviderId, domains }: ProviderRef & { domains: readonly string[] },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM sign_in_domains WHERE organization_id = ${organizationId} AND identity_provider_id = ${identityProviderId}`);
  await tx.query(sql.type(z.object({}))`
    INSERT INTO sign_in_domains (organization_id, identity_provider_id, domain)
    SELECT ${organizationId}::uuid, ${identityProviderId}::uuid, unnest(${sql.array([...domains], "text")})`);
}
