import { z } from "zod";
import { COMPATIBILITY_SQL, explainTooNew } from "./compatibility.ts";
import { createReadinessPool, type PgPool } from "./pool.ts";
import { checkPreparedStatements } from "./prepared-statements.ts";
import { excessPrivilegesSql } from "./roles/excess-privileges.ts";
import { readRequiredNames } from "./sql-files.ts";
import { isDatabaseUnavailable, READ_ONLY } from "./unavailable.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";

export interface DatabaseState {
  /** `ok`, or a sentence with the problem and the fix. It is public, so it contains no names. */
  state: string;
  /** The login's privileges beyond the services' role, for the log. */
  excess?: string[];
}

export interface DatabaseCheck {
  /** Answers within 5 seconds. */
  check(): Promise<DatabaseState>;
  close(): Promise<void>;
}

/**
 * Checks whether the process can work with the database. It has its own single connection, so a busy pool doesn't make the
 * process unready, and a hanging database blocks only this connection.
 *
 * @param options.directExcess privileges of the login of DATABASE_DIRECT_URL beyond the services' role
 */
export async function createDatabaseCheck(
  databaseUrl: string,
  {
    onError,
    allowPrivilegedLogin,
    directExcess,
  }: { onError: (error: Error) => void; allowPrivilegedLogin: boolean; directExcess: string[] },
): Promise<DatabaseCheck> {
  const required = await readRequiredNames();
  const pool = createReadinessPool(databaseUrl, { onError });
  let keepsStatements = false;
  return {
    async check() {
      try {
        if (!keepsStatements) await checkPreparedStatements(databaseUrl);
        keepsStatements = true;
        const values = [
          required.migrations,
          required.privileges.map(({ table }) => table),
          required.privileges.map(({ privilege }) => privilege),
          required.privileges.map(({ column }) => column),
          required.functions,
        ];
        const row = await ask(pool, values);
        const excess = allowPrivilegedLogin ? [] : [...new Set([...row.excess, ...directExcess])];
        if (excess.length > 0) return { state: EXCESS, excess };
        return { state: explainTooNew(row.compatibility, required.migrations) ?? explain(row) };
      } catch (error) {
        const failure = toError(error);
        onError(failure);
        return { state: explainFailure(failure) };
      }
    },
    close: () => pool.end(),
  };
}

/**
 * Named, as the statements of requests are: behind a pooler that doesn't support prepared statements, it fails too, since
 * all processes use this name.
 */
const STATEMENT = "waymark-readiness";

const ReadinessRow = z.object({
  compatibility: z.object({ oldest_migration: z.string(), migrated_by: z.string() }),
  missingMigrations: z.int(),
  missingFunctions: z.int(),
  missingPrivileges: z.int(),
  bypassesPolicies: z.boolean(),
  readOnly: z.boolean(),
  excess: z.array(z.string()),
});

// The services need every function that runs with its owner's rights.
const READINESS_SQL = `
  SELECT
    (SELECT to_jsonb(recorded) FROM (${COMPATIBILITY_SQL}) AS recorded) AS compatibility,
    (SELECT count(*)::int FROM unnest($1::text[]) AS expected(name)
     WHERE expected.name NOT IN (SELECT name FROM waymark_migrations)) AS "missingMigrations",
    (SELECT count(*)::int FROM unnest($5::text[]) AS expected(name)
     WHERE to_regproc('public.' || expected.name) IS NULL) AS "missingFunctions",
    (SELECT count(*)::int FROM unnest($2::text[], $3::text[], $4::text[]) AS needed(name, privilege, column_name)
     WHERE NOT coalesce(CASE needed.column_name
       WHEN '' THEN has_table_privilege(to_regclass('public.' || needed.name), needed.privilege)
       ELSE has_column_privilege(to_regclass('public.' || needed.name), needed.column_name, needed.privilege) END, false))
    + (SELECT count(*)::int FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND prosecdef AND NOT has_function_privilege(oid, 'EXECUTE')
         AND proowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('public.scan_runs')))
      AS "missingPrivileges",
    (SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles r WHERE r.rolname = current_user)
      OR coalesce(pg_has_role(current_user,
                              (SELECT relowner FROM pg_class WHERE oid = to_regclass('public.scan_runs')), 'USAGE'), false)
      AS "bypassesPolicies",
    current_setting('transaction_read_only')::boolean AS "readOnly",
    ARRAY(${excessPrivilegesSql("session_user")}) AS excess`;

async function ask(pool: PgPool, values: unknown[]): Promise<z.output<typeof ReadinessRow>> {
  const client = await pool.connect();
  let isUseful = false;
  try {
    const { rows } = await client.query({ name: STATEMENT, text: READINESS_SQL, values });
    const row = ReadinessRow.parse(rows[0]);
    // A new connection may lead to another server, if the address does.
    isUseful = !row.readOnly;
    return row;
  } finally {
    client.release(!isUseful);
  }
}

const MIGRATE = "Fix: npm run migrate, with the address of the database's owner.";
const NO_PRIVILEGES = `the login may not use all of Waymark's tables and functions, as after a restore to a new server. ${MIGRATE}`;

const STANDBY =
  "the database accepts no writes: it is a standby, or read-only. After a fail-over this ends as soon as DATABASE_URL leads to the new " +
  "primary. Fix: let it lead to the primary, or name all servers in it, as in @host1,host2/waymark.";
const EXCESS =
  "the login of DATABASE_URL or DATABASE_DIRECT_URL has more privileges than the services' role. Fix: give api and worker the login " +
  "that npm run migrate creates from SERVICE_DATABASE_URL, or set ALLOW_PRIVILEGED_DATABASE_LOGIN=true to do without this protection.";

const NO_PREPARED_STATEMENTS =
  "DATABASE_URL leads to a pooler that does not support prepared statements, so requests would fail now and then. Fix: PgBouncer 1.21 " +
  "or later with max_prepared_statements = 200, its session mode, or the address of Postgres itself.";

function explain(row: z.output<typeof ReadinessRow>): string {
  if (row.readOnly) return STANDBY;
  if (row.missingMigrations > 0) return `${row.missingMigrations} migrations are missing. ${MIGRATE}`;
  if (row.missingFunctions > 0) return `${row.missingFunctions} functions are missing. ${MIGRATE}`;
  if (row.bypassesPolicies) {
    return "row-level security does not hold for the database role. Fix: use a login in the role waymark_app.";
  }
  return row.missingPrivileges > 0 ? NO_PRIVILEGES : "ok";
}

/** Doesn't use Postgres' messages: they contain logins and addresses, and this text is public. */
function explainFailure(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  switch (code) {
    case "42P01":
      return `the database was never migrated. ${MIGRATE}`;
    case "42501":
      return NO_PRIVILEGES;
    case "28P01":
    case "28000":
      return "Postgres refuses the login. Fix: name and password in DATABASE_URL, or npm run migrate with SERVICE_DATABASE_URL.";
    case "3D000":
      return "the database that DATABASE_URL names does not exist.";
    case "42P05":
    case "26000":
      return NO_PREPARED_STATEMENTS;
    case READ_ONLY:
      return STANDBY;
    default:
      return isDatabaseUnavailable(error) ? "can't be reached" : "the check failed; the log has the reason";
  }
}
