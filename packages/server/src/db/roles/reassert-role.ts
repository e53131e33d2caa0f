import { escapeIdentifier, escapeLiteral, type Client } from "pg";

interface RoleState {
  attributes: Record<string, boolean>;
  /** The roles that it is a member of, each with its grantor. */
  memberships: { role: string; grantor: string | null }[];
}

/** Attributes that the services' roles must not have: the column of `pg_roles` and the keyword that removes it. */
const FORBIDDEN = {
  rolsuper: "NOSUPERUSER",
  rolbypassrls: "NOBYPASSRLS",
  rolcreaterole: "NOCREATEROLE",
  rolcreatedb: "NOCREATEDB",
  rolreplication: "NOREPLICATION",
};

export interface RoleAttributes {
  name: string;
  /** A verifier, never a password. Undefined for a role without login. */
  verifier?: string;
  memberOf: string[];
}

/** Creates a role, or removes everything from it but these attributes. Call it in a transaction. */
export async function reassertRole(
  client: Client,
  { name, verifier, memberOf }: RoleAttributes,
): Promise<void> {
  const role = escapeIdentifier(name);
  const login = verifier === undefined ? "NOLOGIN" : `LOGIN PASSWORD ${escapeLiteral(verifier)}`;
  const state = await readRole(client, name);
  if (state === undefined) {
    await client.query(`CREATE ROLE ${role} ${login} INHERIT ${Object.values(FORBIDDEN).join(" ")}`);
  } else {
    // Changes only what differs: some of these attributes may be named by superusers only.
    const taken = Object.entries(FORBIDDEN).flatMap(([column, word]) =>
      state.attributes[column] ? [word] : [],
    );
    if (verifier !== undefined) taken.push(login);
    if (!state.attributes["rolinherit"]) taken.push("INHERIT");
    if (taken.length > 0) await client.query(`ALTER ROLE ${role} ${taken.join(" ")}`);
    await revokeOthers(client, role, { state, memberOf });
  }
  for (const parent of memberOf) {
    const { rows } = await client.query<{ inherits: boolean }>(
      "SELECT pg_has_role($1::name, $2::name, 'USAGE') AS inherits",
      [name, parent],
    );
    if (rows[0]?.inherits !== true) await client.query(`GRANT ${escapeIdentifier(parent)} TO ${role}`);
  }
}

async function revokeOthers(
  client: Client,
  role: string,
  { state, memberOf }: { state: RoleState; memberOf: string[] },
): Promise<void> {
  for (const { role: parent, grantor } of state.memberships) {
    if (memberOf.includes(parent)) continue;
    // Since Postgres 16, the grants of each grantor are separate.
    const by = grantor === null ? "" : ` GRANTED BY ${escapeIdentifier(grantor)}`;
    await client.query(`REVOKE ${escapeIdentifier(parent)} FROM ${role}${by} CASCADE`);
  }
}

async function readRole(client: Client, name: string): Promise<RoleState | undefined> {
  const { rows } = await client.query<Record<string, boolean>>(
    `SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin, rolinherit
     FROM pg_roles WHERE rolname = $1`,
    [name],
  );
  const [attributes] = rows;
  if (attributes === undefined) return undefined;
  const { rows: memberships } = await client.query<RoleState["memberships"][number]>(
    `SELECT parent.rolname AS role,
            CASE WHEN current_setting('server_version_num')::int >= 160000 THEN grantor.rolname END AS grantor
     FROM pg_auth_members m
     JOIN pg_roles parent ON parent.oid = m.roleid
     JOIN pg_roles member ON member.oid = m.member
     LEFT JOIN pg_roles grantor ON grantor.oid = m.grantor
     WHERE member.rolname = $1`,
    [name],
  );
  return { attributes, memberships };
}
