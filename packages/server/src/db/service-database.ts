import { withOptions } from "./address/connection.ts";
import { createPgClient } from "./address/primary-client.ts";
import type { Logger } from "../lib/logger.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { awaitDatabase, DatabaseRefusedError } from "./await-database.ts";
import { createDatabaseCheck, type DatabaseCheck } from "./readiness.ts";
import { refuseNewerDatabase } from "./compatibility.ts";
import { readRequiredNames } from "./sql-files.ts";
import { excessPrivilegesSql } from "./roles/excess-privileges.ts";
import { SERVICE_ROLE } from "./roles/service-login.ts";

export interface ServiceDatabase {
  /** The addresses to connect to. */
  databaseUrl: string;
  databaseDirectUrl: string;
  check: DatabaseCheck;
}

/**
 * Checks the database and logins of a process before it uses them, and waits until the database is available. A login with more
 * privileges than the services' role keeps the process unready, unless the operator allows it. In both cases its
 * connections start in that role.
 *
 * @throws DatabaseRefusedError if the database or its pooler refuses the login
 * @throws DatabaseTooNewError: a worker must not process runs of a release that it doesn't know
 */
export async function openServiceDatabase(
  urls: { databaseUrl: string; databaseDirectUrl: string; allowPrivilegedLogin: boolean },
  { logger, onError }: { logger: Logger; onError: (error: Error) => void },
): Promise<ServiceDatabase> {
  const { allowPrivilegedLogin } = urls;
  const { migrations } = await readRequiredNames();
  const resolve = (databaseUrl: string, variable: string) =>
    awaitDatabase(() => resolveLogin(databaseUrl, { variable, migrations }), logger);
  const login = await resolve(urls.databaseUrl, "DATABASE_URL");
  const isSame = urls.databaseDirectUrl === urls.databaseUrl;
  const direct = isSame ? login : await resolve(urls.databaseDirectUrl, "DATABASE_DIRECT_URL");
  if (allowPrivilegedLogin && login.excess.length + direct.excess.length > 0) {
    logger.warn(
      { login: login.excess, directLogin: direct.excess },
      "the database login has more privileges than the services need, which ALLOW_PRIVILEGED_DATABASE_LOGIN allows",
    );
  }
  return {
    databaseUrl: login.url,
    databaseDirectUrl: direct.url,
    check: await createDatabaseCheck(login.url, {
      onError,
      allowPrivilegedLogin,
      directExcess: direct.excess,
    }),
  };
}

/**
 * Checks the login of a replica, and returns the address to connect to.
 *
 * @throws Error if the replica can't be reached, refuses the login, or if that has more privileges than the services' role
 */
export async function openReplica(
  databaseUrl: string,
  { allowPrivilegedLogin }: { allowPrivilegedLogin: boolean },
): Promise<string> {
  const { migrations } = await readRequiredNames();
  const { url, excess } = await resolveLogin(databaseUrl, { variable: "DATABASE_REPLICA_URL", migrations });
  if (excess.length > 0 && !allowPrivilegedLogin) {
    throw new Error(
      `the login of DATABASE_REPLICA_URL has more privileges than the services' role (${excess.join(", ")}). Fix: give it the login of DATABASE_URL`,
    );
  }
  return url;
}

const TIMEOUT_MS = 10_000;

/** Refusals of a pooler, which sends them with the code of a connection that failed. */
const POOLER_REFUSES = /(?:password|SASL) authentication failed|^no such (?:user|database)|^auth failed/;

interface ServiceLogin {
  url: string;
  /** Its privileges beyond the services' role. */
  excess: string[];
}

async function resolveLogin(
  databaseUrl: string,
  { variable, migrations }: { variable: string; migrations: readonly string[] },
): Promise<ServiceLogin> {
  const client = createPgClient(databaseUrl, {
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    // The start-up parameters of all other connections, so that a pooler that refuses them does it here.
    statement_timeout: TIMEOUT_MS,
    idle_in_transaction_session_timeout: TIMEOUT_MS,
  });
  // The failed query reports the error.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ reason: string }>(excessPrivilegesSql("session_user"));
    const excess = rows.map((row) => row.reason);
    await refuseNewerDatabase(client, migrations);
    return { url: excess.length === 0 ? databaseUrl : inServiceRole(databaseUrl), excess };
  } catch (error) {
    const failure = toError(error);
    const isRefused =
      ("code" in failure && (failure.code === "28P01" || failure.code === "28000")) ||
      POOLER_REFUSES.test(failure.message);
    if (failure.message.startsWith("unsupported startup parameter")) {
      throw new DatabaseRefusedError(
        `${variable} leads to a pooler that refuses connections with Waymark's time limits (${failure.message}). Fix: let it ignore ` +
          "them (PgBouncer: ignore_startup_parameters = extra_float_digits,options,statement_timeout," +
          "idle_in_transaction_session_timeout), and set the limits on the login.",
        { cause: error },
      );
    }
    if (!isRefused) throw error;
    throw new DatabaseRefusedError(
      `Postgres refuses the login of ${variable}: ${failure.message}. Fix: correct its name and password, or create it with ` +
        "npm run migrate, which reads them from SERVICE_DATABASE_URL.",
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

/**
 * Returns the address with options that start connections in the services' role. It is a second barrier only: `SET ROLE
 * NONE` undoes it.
 */
function inServiceRole(databaseUrl: string): string {
  return withOptions(databaseUrl, (options) => `${options ?? ""} -c role=${SERVICE_ROLE}`.trim());
}
