import { Client } from "pg";

/** The role that api and worker work as. It owns no table and bypasses no policy. */
export const SERVICE_ROLE = "waymark_app";

/**
 * The address that the services connect with: where `databaseUrl`'s login is an owner or a superuser, the startup
 * option `role` is added, so that one address is enough for migrations and services alike.
 *
 * @throws Error when the database can't be reached within 10 seconds
 */
export async function asServiceRole(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ privileged: boolean }>(PRIVILEGED_SQL);
    if (rows[0]?.privileged !== true) return databaseUrl;
  } finally {
    await client.end();
  }
  const url = new URL(databaseUrl);
  const options = url.searchParams.get("options");
  url.searchParams.set("options", `${options === null ? "" : `${options} `}-c role=${SERVICE_ROLE}`);
  return url.href;
}

/** True for a role on which row-level security has no effect: a superuser, an owner, BYPASSRLS. */
export const PRIVILEGED_SQL = `
  SELECT r.rolsuper OR r.rolbypassrls OR EXISTS (
    SELECT FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity
      AND pg_has_role(current_user, c.relowner, 'USAGE')
  ) AS privileged
  FROM pg_roles r WHERE r.rolname = current_user`;
