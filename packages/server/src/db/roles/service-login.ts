import { type Client, escapeIdentifier } from "pg";
import { parseDatabaseUrl } from "../address/parse.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { inTransaction } from "./in-transaction.ts";
import { excessPrivilegesSql } from "./excess-privileges.ts";
import { reassertRole, type RoleAttributes } from "./reassert-role.ts";
import { scramVerifier } from "./scram-verifier.ts";

/** The role of the services' login. It owns no table and bypasses no policy. */
export const SERVICE_ROLE = "waymark_app";

/**
 * Creates the services' role if it is missing, and removes the privileges that it must not have. The migrating login
 * becomes a member, because services that use it (ALLOW_PRIVILEGED_DATABASE_LOGIN) start with `SET ROLE`.
 */
export async function ensureServiceRole(client: Client): Promise<void> {
  await changeRoles(client, { name: SERVICE_ROLE, memberOf: [] });
  // Postgres 15 has no SET privilege on roles: every member may set the role.
  const { rows } = await client.query<{ missing: string | null }>(
    `SELECT CASE WHEN NOT pg_has_role(current_user, $1,
         CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)
       THEN quote_ident(current_user) END AS missing`,
    [SERVICE_ROLE],
  );
  const login = rows[0]?.missing ?? undefined;
  if (login !== undefined)
    await inTransaction(client, () => client.query(`GRANT ${SERVICE_ROLE} TO ${login}`));
}

/**
 * Creates the login of api and worker, or sets its password and removes all privileges beyond the services' role. If the
 * migrating login lacks CREATEROLE, an existing login that has no further privileges is left as it is.
 *
 * @param serviceDatabaseUrl the address for api and worker, with the login's name and password
 * @returns the login's name
 * @throws Error that says what to do; it holds no password
 */
export async function ensureServiceLogin(client: Client, serviceDatabaseUrl: string): Promise<string> {
  const { name, password } = readLogin(serviceDatabaseUrl);
  await refuseOthersLogin(client, name);
  await changeRoles(client, { name, verifier: scramVerifier(password), memberOf: [SERVICE_ROLE] });
  await inTransaction(client, () => revokeOwnPrivileges(client, name));
  const excess = await readExcess(client, name);
  if (excess.length === 0) return name;
  throw new Error(
    `The services' login ${name} has more privileges than the role ${SERVICE_ROLE} (${excess.join(", ")}), and migrate may not ` +
      "change that. Fix: revoke them as an administrator, or use another login in SERVICE_DATABASE_URL.",
  );
}

function readLogin(serviceDatabaseUrl: string): { name: string; password: string } {
  const { user: name = "", password = "" } = parseDatabaseUrl(serviceDatabaseUrl);
  if (name === "" || !/^[ -~]+$/.test(password)) {
    throw new Error(
      "SERVICE_DATABASE_URL must have a user and a password of ASCII characters: postgres://waymark_service:…@host:5432/waymark. " +
        "Leave it unset if you create the services' login yourself.",
    );
  }
  return { name, password };
}

/** Prevents a typo in the variable from revoking the privileges of an unrelated login. */
async function refuseOthersLogin(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ reason: string | null; owned: string | null }>(
    `WITH owned AS (
       SELECT DISTINCT coalesce(datname, 'all databases') AS place,
         CASE d.classid WHEN 'pg_largeobject'::regclass THEN 'large objects' ELSE d.classid::regclass::text END AS kind
       FROM pg_shdepend d
       JOIN pg_roles r ON r.oid = d.refobjid AND d.refclassid = 'pg_authid'::regclass
       LEFT JOIN pg_database ON pg_database.oid = d.dbid
       WHERE r.rolname = $1 AND d.deptype = 'o'
     )
     SELECT CASE
       WHEN $1::name IN (current_user, session_user) THEN 'is the one that migrates'
       WHEN $1::text = '${SERVICE_ROLE}' OR starts_with($1, 'pg_') THEN 'is no login'
       WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = $1 AND oid < 16384) THEN 'is the server''s own'
       WHEN EXISTS (SELECT FROM owned) THEN 'owns objects'
     END AS reason, (SELECT string_agg(format('%s in %s', kind, place), ', ') FROM owned) AS owned`,
    [name],
  );
  const reason = rows[0]?.reason ?? undefined;
  if (reason === undefined) return;
  const owned = reason === "owns objects" ? ` (${rows[0]?.owned})` : "";
  const drop =
    owned === ""
      ? ""
      : ` If it is the services' own login, which can make large objects, delete what it owns: DROP OWNED BY ${escapeIdentifier(name)}, ` +
        "as an administrator in each of these databases; then run the migration again.";
  throw new Error(
    `The login ${name} of SERVICE_DATABASE_URL ${reason}${owned}; the services need one of their own that owns nothing. ` +
      `Fix: use another name in SERVICE_DATABASE_URL, such as waymark_service; migrate creates it.${drop}`,
  );
}

/** Revokes everything granted to the login itself: its privileges come from the role. */
async function revokeOwnPrivileges(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `WITH held (what, owner, acl) AS (
       SELECT 'TABLE ' || oid::regclass, relowner, relacl FROM pg_class
       UNION ALL SELECT 'TABLE ' || c.oid::regclass, relowner, attacl FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       UNION ALL SELECT 'ROUTINE ' || oid::regprocedure, proowner, proacl FROM pg_proc
       UNION ALL SELECT 'SCHEMA ' || oid::regnamespace, nspowner, nspacl FROM pg_namespace
     )
     SELECT DISTINCT format('REVOKE ALL ON %s FROM %I', what, $1::name) AS statement
     FROM held, aclexplode(acl) granted JOIN pg_roles r ON r.oid = granted.grantee
     WHERE r.rolname = $1 AND pg_has_role(current_user, owner, 'USAGE')`,
    [name],
  );
  for (const { statement } of rows) await client.query(statement);
}

async function changeRoles(client: Client, terms: RoleAttributes): Promise<void> {
  try {
    await inTransaction(client, () => reassertRole(client, terms));
  } catch (error) {
    const failure = toError(error);
    if (!isMissingPrivilege(failure)) throw error;
    if (!(await isUsable(client, terms))) throw await explainMissingPrivilege(client, terms, failure);
  }
}

async function isUsable(client: Client, { name, memberOf }: RoleAttributes): Promise<boolean> {
  const { rows } = await client.query<{ usable: boolean }>(
    `SELECT count(*) = cardinality($2::name[]) AS usable
     FROM pg_roles self, pg_roles parent
     WHERE self.rolname = $1 AND parent.rolname = ANY($2::name[]) AND pg_has_role(self.oid, parent.oid, 'USAGE')`,
    [name, [name, ...memberOf]],
  );
  return rows[0]?.usable === true && (await readExcess(client, name)).length === 0;
}

async function readExcess(client: Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ reason: string }>(excessPrivilegesSql("$1::name"), [name]);
  return rows.map((row) => row.reason);
}

async function explainMissingPrivilege(client: Client, terms: RoleAttributes, cause: Error): Promise<Error> {
  const { rows } = await client.query<{ migrating: string }>("SELECT quote_ident(current_user) AS migrating");
  const migrating = rows[0]?.migrating ?? "";
  const excess = await readExcess(client, terms.name);
  const more = excess.length === 0 ? "" : `, which has too many privileges: ${excess.join(", ")}`;
  const parents = terms.memberOf.map((parent) => ` IN ROLE ${parent}`).join("");
  const made = terms.verifier === undefined ? "NOLOGIN" : `LOGIN PASSWORD '…'${parents}`;
  return new Error(
    `${migrating} may not make or change the role ${terms.name} (${cause.message})${more}. Fix, as an administrator of the server: ` +
      `ALTER ROLE ${migrating} CREATEROLE; GRANT ${SERVICE_ROLE} TO ${migrating} WITH ADMIN OPTION; ` +
      `or CREATE ROLE ${terms.name} ${made}; then run the migration again.`,
    { cause },
  );
}

function isMissingPrivilege(error: Error): boolean {
  return "code" in error && error.code === "42501";
}
