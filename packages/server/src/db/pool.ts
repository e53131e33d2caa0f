import { Pool, type PoolClient, type PoolConfig } from "pg";
import {
  createBigintTypeParser,
  createDateTypeParser,
  createPool,
  type DatabasePool,
  type Interceptor,
  type QueryResultRow,
  SchemaValidationError,
} from "slonik";
import { z } from "zod";
import { pgLogin, slonikAddress } from "./address/connection.ts";
import { pgConnection } from "./address/primary-client.ts";
import { primaryDriverFactory } from "./address/primary-driver.ts";

/** A pool of plain `pg` connections. */
export type PgPool = Pool;

/** A connection of it. */
export type PgClient = PoolClient;

export type { DatabasePool, DatabaseTransactionConnection } from "slonik";

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECTION_TIMEOUT_MS = 5_000;
/**
 * How long an idle connection stays open. A new connection must compile its functions and plan its statements, so
 * clients that scan every minute must find an open one.
 */
const IDLE_MS = 300_000;
/** The client's own limit: if the network drops packets, Postgres' limit on statements doesn't help the caller. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** Connections for the prepared statements of frequent requests. Errors of broken connections go to `onError`. */
export function createPgPool(
  databaseUrl: string,
  options: {
    max: number;
    applicationName: string;
    onError: (error: Error) => void;
    answerTimeoutMs?: number;
  },
): Pool {
  const config: PoolConfig = {
    ...pgConnection(databaseUrl),
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
  };
  return reporting(new Pool(config), options.onError);
}

/**
 * Connections for BullMQ's Postgres backend. BullMQ's own pool has no error handler while a connection is in use or
 * starts, so losing the server at such a moment would crash this process.
 */
export function createQueuePool(
  databaseUrl: string,
  { max, onError }: { max: number; onError: (error: Error) => void },
): Pool {
  const connection = pgConnection(databaseUrl);
  const config: PoolConfig = {
    ...connection,
    max,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    // The schema of BullMQ's tables, which its statements don't name.
    options: `${connection.options ?? ""} -c search_path=bullmq`.trim(),
  };
  return reporting(new Pool(config), onError);
}

/** The time limit for getting a connection, and again for the query: probes wait for a few seconds only. */
const READINESS_TIMEOUT_MS = 2_000;

/** The single connection of a process's readiness check. */
export function createReadinessPool(
  databaseUrl: string,
  { onError }: { onError: (error: Error) => void },
): Pool {
  const config: PoolConfig = {
    ...pgConnection(databaseUrl),
    max: 1,
    application_name: "waymark-readiness",
    connectionTimeoutMillis: READINESS_TIMEOUT_MS,
    statement_timeout: READINESS_TIMEOUT_MS,
    // Longer than the statement's limit, so that Postgres can report the reason.
    query_timeout: READINESS_TIMEOUT_MS + 500,
    keepAlive: true,
  };
  return reporting(new Pool(config), onError);
}

function reporting(pool: Pool, onError: (error: Error) => void): Pool {
  pool.on("error", (error) => onError(withoutClient(error)));
  // The pool has no error handler for connections in use, so losing the server would crash this process.
  pool.on("connect", (client) => client.on("error", (error) => onError(withoutClient(error))));
  return pool;
}

/** The pool attaches the client to its errors. Removed, so that it doesn't get into the log. */
function withoutClient(error: Error): Error {
  Reflect.deleteProperty(error, "client");
  return error;
}

/**
 * Slonik's pool for all other statements. Timestamps are ISO strings in UTC, and every row is checked against its zod
 * type. It connects immediately.
 *
 * @throws ConnectionError or a socket error when the database can't be reached
 */
export async function createDatabasePool(
  databaseUrl: string,
  options: { max: number; applicationName: string },
): Promise<DatabasePool> {
  const { login, hosts } = pgLogin(databaseUrl);
  return createPool(slonikAddress(databaseUrl, { ...hosts[0], ...options }), {
    ...(login.ssl === false ? {} : { ssl: login.ssl }),
    driverFactory: primaryDriverFactory(databaseUrl, options),
    maxPoolSize: options.max,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    statementTimeout: STATEMENT_TIMEOUT_MS,
    idleTimeout: 60_000,
    interceptors: [rowParserInterceptor],
    // No statement changes session settings, so resetting them would waste a round trip.
    resetConnection: async () => {},
    typeParsers: [
      createDateTypeParser(),
      createBigintTypeParser(),
      { name: "timestamptz", parse: (value: string) => new Date(value).toISOString() },
    ],
  });
}

const QueryRow = z.custom<QueryResultRow>((row) => typeof row === "object" && row !== null);

// Without it, Slonik accepts any rows. It must be synchronous, or rows would become promises.
const rowParserInterceptor: Interceptor = {
  name: "row-parser",
  transformRow: ({ resultParser }, query, row): QueryResultRow => {
    if (resultParser === undefined) return row;
    const result = resultParser["~standard"].validate(row);
    if (result instanceof Promise) throw new Error("row schemas must be synchronous");
    if (result.issues) throw new SchemaValidationError(query, row, result.issues);
    return QueryRow.parse(result.value);
  },
};
