import { type DatabaseTransactionConnection, ForeignKeyIntegrityConstraintViolationError, sql } from "slonik";
import { z } from "zod";
import type { Environment } from "@waymark/shared/environments/schema.ts";

const EnvironmentRow = z.object({
  id: z.string(),
  name: z.string(),
  servers: z.record(z.string(), z.string()),
  variables: z.record(z.string(), z.record(z.string(), z.string())),
  inputs: z.record(z.string(), z.json()),
  allowed_hosts: z.array(z.string()),
  is_protected: z.boolean(),
  stores_bodies: z.boolean(),
  revision: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});

const COLUMNS = sql.fragment`
  id, name, servers, variables, inputs, allowed_hosts, is_protected, stores_bodies, revision, created_at, updated_at`;

/** The settings of an environment that callers choose. */
export interface EnvironmentSettings {
  name: string;
  servers: Readonly<Record<string, string>>;
  variables: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** JSON values. */
  inputs: Readonly<Record<string, unknown>>;
  allowedHosts: readonly string[];
  protected: boolean;
  storesBodies: boolean;
}

export interface EnvironmentRef {
  organizationId: string;
  environmentId: string;
}

/** Lets one transaction at a time create or rename environments of an organization, so that limit and names hold. */
export async function lockEnvironmentNames(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<void> {
  await tx.query(sql.type(z.object({ locked: z.string() }))`
    SELECT pg_advisory_xact_lock(hashtextextended(${`environments ${organizationId}`}, 0))::text AS locked`);
}

export async function countEnvironments(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM environments WHERE organization_id = ${organizationId}`);
}

/** Lists environments, newest first: up to `limit + 1` rows, so that the caller sees whether there are more. */
export async function listEnvironments(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; limit: number; afterId: string | null },
): Promise<Environment[]> {
  const rows = await tx.any(sql.type(EnvironmentRow)`
    SELECT ${COLUMNS} FROM environments
    WHERE organization_id = ${options.organizationId}
      AND (${options.afterId}::uuid IS NULL OR id < ${options.afterId}::uuid)
    ORDER BY id DESC
    LIMIT ${options.limit + 1}`);
  return rows.map(toEnvironment);
}

export async function findEnvironment(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId }: EnvironmentRef,
): Promise<Environment | null> {
  const row = await tx.maybeOne(sql.type(EnvironmentRow)`
    SELECT ${COLUMNS} FROM environments
    WHERE organization_id = ${organizationId} AND id = ${environmentId}`);
  return row === null ? null : toEnvironment(row);
}

/**
 * Like `findEnvironment`; no other transaction can change or delete it until this one ends. With an exclusive lock, none can add
 * to it either, and only one transaction has the lock at a time.
 */
export async function lockEnvironment(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId }: EnvironmentRef,
  mode: "shared" | "exclusive",
): Promise<Environment | null> {
  const lock = mode === "shared" ? sql.fragment`FOR SHARE` : sql.fragment`FOR UPDATE`;
  const row = await tx.maybeOne(sql.type(EnvironmentRow)`
    SELECT ${COLUMNS} FROM environments
    WHERE organization_id = ${organizationId} AND id = ${environmentId}
    ${lock}`);
  return row === null ? null : toEnvironment(row);
}

export async function findEnvironmentByName(
  tx: DatabaseTransactionConnection,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<Environment | null> {
  const row = await tx.maybeOne(sql.type(EnvironmentRow)`
    SELECT ${COLUMNS} FROM environments WHERE organization_id = ${organizationId} AND name = ${name}`);
  return row === null ? null : toEnvironment(row);
}

export async function insertEnvironment(
  tx: DatabaseTransactionConnection,
  environment: EnvironmentSettings & { organizationId: string; id: string; createdByKeyId: string },
): Promise<Environment> {
  const row = await tx.one(sql.type(EnvironmentRow)`
    INSERT INTO environments (organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected,
                              stores_bodies, created_by_key_id)
    VALUES (${environment.organizationId}, ${environment.id}, ${environment.name}, ${json(environment.servers)},
            ${json(environment.variables)}, ${json(environment.inputs)}, ${texts(environment.allowedHosts)},
            ${environment.protected}, ${environment.storesBodies}, ${environment.createdByKeyId})
    RETURNING ${COLUMNS}`);
  return toEnvironment(row);
}

export async function updateEnvironment(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, ...settings }: EnvironmentSettings & EnvironmentRef,
): Promise<Environment> {
  const row = await tx.one(sql.type(EnvironmentRow)`
    UPDATE environments
    SET name = ${settings.name}, servers = ${json(settings.servers)}, variables = ${json(settings.variables)},
        inputs = ${json(settings.inputs)}, allowed_hosts = ${texts(settings.allowedHosts)},
        is_protected = ${settings.protected}, stores_bodies = ${settings.storesBodies}, revision = revision + 1,
        updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${environmentId}
    RETURNING ${COLUMNS}`);
  return toEnvironment(row);
}

/** @returns false if something else refers to the environment */
export async function deleteEnvironment(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId }: EnvironmentRef,
): Promise<boolean> {
  try {
    await tx.query(sql.type(z.object({}))`
      DELETE FROM environments WHERE organization_id = ${organizationId} AND id = ${environmentId}`);
    return true;
  } catch (error) {
    if (error instanceof ForeignKeyIntegrityConstraintViolationError) return false;
    throw error;
  }
}

function toEnvironment(row: z.infer<typeof EnvironmentRow>): Environment {
  return {
    id: row.id,
    name: row.name,
    servers: row.servers,
    variables: row.variables,
    inputs: row.inputs,
    allowedHosts: row.allowed_hosts,
    protected: row.is_protected,
    storesBodies: row.stores_bodies,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

// Not `sql.jsonb`, whose type takes no unknown values; these came from JSON.
function json(value: object) {
  return sql.fragment`${JSON.stringify(value)}::jsonb`;
}

function texts(values: readonly string[]) {
  return sql.array([...values], "text");
}
