import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { ApiKeyScope, PrincipalType } from "@waymark/shared/api-keys/schema.ts";
import type { RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";

const RoleGrantRow = z.object({
  id: z.string(),
  role: z.string(),
  service_names: z.array(z.string()).nullable(),
  owned_by: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string().nullable(),
  identity_provider_id: z.string().nullable(),
});

const PrincipalRow = z.object({
  id: z.string(),
  kind: PrincipalType,
  display_name: z.string(),
  email: z.string().nullable(),
  disabled_at: z.string().nullable(),
  last_seen_at: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string().nullable(),
  role_grants: z.array(RoleGrantRow),
  teams: z.array(TeamSummary),
});

const COLUMNS = sql.fragment`
  p.id, p.kind, p.display_name, p.email, p.disabled_at, p.created_at, p.created_by,
  (SELECT max(k.last_used_at) FROM api_keys k
   WHERE k.organization_id = p.organization_id AND k.owner_principal_id = p.id) AS last_seen_at,
  (SELECT coalesce(jsonb_agg(to_jsonb(g) || jsonb_build_object('owned_by', o.slug) ORDER BY g.id), '[]')
   FROM role_grants g
   LEFT JOIN teams o ON o.organization_id = g.organization_id AND o.id = g.owned_by_team_id
   WHERE g.organization_id = p.organization_id AND g.principal_id = p.id) AS role_grants,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'slug', t.slug, 'displayName', t.display_name) ORDER BY t.slug), '[]')
   FROM team_members m
   JOIN teams t ON t.organization_id = m.organization_id AND t.id = m.team_id
   WHERE m.organization_id = p.organization_id AND m.principal_id = p.id) AS teams`;

export interface PrincipalRef {
  organizationId: string;
  principalId: string;
}

export interface NewPrincipal {
  organizationId: string;
  id: string;
  type: Principal["type"];
  displayName: string;
  /** Null for a service account. */
  email: string | null;
  /** The key that creates it; null for the operator. */
  createdBy: string | null;
}

/** Stores a principal. */
export async function insertPrincipal(
  tx: DatabaseTransactionConnection,
  principal: NewPrincipal,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO principals (organization_id, id, kind, display_name, email, created_by)
    VALUES (${principal.organizationId}, ${principal.id}, ${principal.type}, ${principal.displayName}, ${principal.email},
            ${principal.createdBy})`);
}

export async function countPrincipals(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM principals WHERE organization_id = ${organizationId}`);
}

export async function findPrincipal(
  tx: DatabaseTransactionConnection,
  { organizationId, principalId }: PrincipalRef,
): Promise<Principal | null> {
  const row = await tx.maybeOne(sql.type(PrincipalRow)`
    SELECT ${COLUMNS} FROM principals p WHERE p.organization_id = ${organizationId} AND p.id = ${principalId}`);
  return row === null ? null : toPrincipal(row);
}

/** Lists principals, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listPrincipals(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    limit: number;
    afterId: string | null;
    type: Principal["type"] | null;
    /** A part of the name or of the e-mail address, in any case. */
    q: string | null;
  },
): Promise<Principal[]> {
  const { organizationId, limit, afterId, type, q } = options;
  const conditions: FragmentSqlToken[] = [
    ...(afterId === null ? [] : [sql.fragment`p.id < ${afterId}::uuid`]),
    ...(type === null ? [] : [sql.fragment`p.kind = ${type}`]),
    ...(q === null
      ? []
      : [sql.fragment`(contains_text(p.display_name, ${q}) OR contains_text(coalesce(p.email, ''), ${q}))`]),
  ];
  const rows = await tx.any(sql.type(PrincipalRow)`
    SELECT ${COLUMNS} FROM principals p
    WHERE ${sql.join([sql.fragment`p.organization_id = ${organizationId}`, ...conditions], sql.fragment` AND `)}
    ORDER BY p.id DESC
    LIMIT ${limit + 1}`);
  return rows.map(toPrincipal);
}

export async function updateDisplayName(
  tx: DatabaseTransactionConnection,
  { organizationId, principalId, displayName }: PrincipalRef & { displayName: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE principals SET display_name = ${displayName}
    WHERE organization_id = ${organizationId} AND id = ${principalId}`);
}

export async function setPrincipalDisabled(
  tx: DatabaseTransactionConnection,
  { organizationId, principalId, disabled }: PrincipalRef & { disabled: boolean },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE principals SET disabled_at = CASE WHEN ${disabled} THEN now() END
    WHERE organization_id = ${organizationId} AND id = ${principalId}`);
}

/** Lists the ids of the keys of a principal that have not ended. */
export async function listOwnedKeyIds(
  tx: DatabaseTransactionConnection,
  { organizationId, principalId }: PrincipalRef,
): Promise<readonly string[]> {
  return tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM api_keys
    WHERE organization_id = ${organizationId} AND owner_principal_id = ${principalId} AND ${isUsable}`);
}

/** Lists the scopes of the keys of a principal that have not ended, each once. */
export async function listOwnedScopes(
  tx: DatabaseTransactionConnection,
  { organizationId, principalId }: PrincipalRef,
): Promise<readonly ApiKeyScope[]> {
  return tx.anyFirst(sql.type(z.object({ scope: ApiKeyScope }))`
    SELECT DISTINCT scope FROM api_keys CROSS JOIN LATERAL jsonb_array_elements(scopes) AS scope
    WHERE organization_id = ${organizationId} AND owner_principal_id = ${principalId} AND ${isUsable}`);
}

const isUsable = sql.fragment`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;

function toRoleGrant(row: z.infer<typeof RoleGrantRow>): RoleGrant {
  return {
    id: row.id,
    role: row.role,
    serviceNames: row.service_names,
    ownedBy: row.owned_by,
    // A time within JSON has the form of Postgres.
    createdAt: new Date(row.created_at).toISOString(),
    createdBy: row.created_by,
    identityProviderId: row.identity_provider_id,
  };
}

function toPrincipal(row: z.infer<typeof PrincipalRow>): Principal {
  return {
    id: row.id,
    type: row.kind,
    displayName: row.display_name,
    email: row.email,
    roleGrants: row.role_grants.map(toRoleGrant),
    teams: row.teams,
    disabledAt: row.disabled_at,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}
