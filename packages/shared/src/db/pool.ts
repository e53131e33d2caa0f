import { createPgDriverFactory } from "@slonik/pg-driver";
import { Pool, type PoolConfig } from "pg";
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

/** A pool of plain `pg` connections. */
export type PgPool = Pool;

export type { DatabasePool, DatabaseTransactionConnection } from "slonik";

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECTION_TIMEOUT_MS = 5_000;
/**
 * How long a connection is kept that nobody needs. A new one has its functions to compile and its statements to plan, and
 * a fleet that comes every minute would never find a warm one.
 */
const IDLE_MS = 300_000;
/** Postgres ends a statement by itself; a network that swallows packets would leave its caller waiting for hours. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** Connections for the prepared statements of the hot paths. Errors of broken connections go to `onError`. */
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
    connectionString: databaseUrl,
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
 * Connections for BullMQ's Postgres backend. Those that it makes itself report no error while they are in use or not
 * yet listening, and a server that goes away at such a moment would end this process.
 */
export function createQueuePool(
  databaseUrl: string,
  { max, onError }: { max: number; onError: (error: Error) => void },
): Pool {
  // Options inside the address would win over these, so they move out.
  const url = new URL(databaseUrl);
  const options = url.searchParams.get("options");
  url.searchParams.delete("options");
  const config: PoolConfig = {
    connectionString: url.href,
    max,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    // Where BullMQ has its tables, which its statements don't say.
    options: `${options ?? ""} -c search_path=bullmq`.trim(),
  };
  return reporting(new Pool(config), onError);
}

/** How long a readiness check waits for a connection, and then for its answer: probes wait for a few seconds only. */
const READINESS_TIMEOUT_MS = 2_000;

/** The one connection of a process's readiness check. */
export function createReadinessPool(
  databaseUrl: string,
  { onError }: { onError: (error: Error) => void },
): Pool {
  const config: PoolConfig = {
    connectionString: databaseUrl,
    max: 1,
    application_name: "waymark-readiness",
    connectionTimeoutMillis: READINESS_TIMEOUT_MS,
    statement_timeout: READINESS_TIMEOUT_MS,
    // Above the statement's own limit, so that Postgres says why where it still can.
    query_timeout: READINESS_TIMEOUT_MS + 500,
    keepAlive: true,
  };
  return reporting(new Pool(config), onError);
}

function reporting(pool: Pool, onError: (error: Error) => void): Pool {
  pool.on("error", (error) => onError(withoutClient(error)));
  // While a connection is in use the pool does not listen: a server that goes away would end this process.
  pool.on("connect", (client) => client.on("error", (error) => onError(withoutClient(error))));
  return pool;
}

/** The pool hangs the whole client onto its errors, and whoever logs the error would log that. */
function withoutClient(error: Error): Error {
  Reflect.deleteProperty(error, "client");
  return error;
}

/**
 * Slonik's pool for everything else. Timestamps come as ISO strings in UTC and every row is checked against its
 * zod type. It connects at once.
 *
 * @throws ConnectionError or a socket error when the database can't be reached
 */
export async function createDatabasePool(
  databaseUrl: string,
  options: { max: number; applicationName: string },
): Promise<DatabasePool> {
  const url = new URL(databaseUrl);
  url.searchParams.set("application_name", options.applicationName);
  return createPool(url.href, {
    driverFactory: createPgDriverFactory(),
    maxPoolSize: options.max,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    statementTimeout: STATEMENT_TIMEOUT_MS,
    idleTimeout: 60_000,
    interceptors: [rowParserInterceptor],
    // Nothing is ever set for a whole session, so there is nothing to reset and a round trip to save.
    resetConnection: async () => {},
    typeParsers: [
      createDateTypeParser(),
      createBigintTypeParser(),
      { name: "timestamptz", parse: (value: string) => new Date(value).toISOString() },
    ],
  });
}

const QueryRow = z.custom<QueryResultRow>((row) => typeof row === "object" && row !== null);

// Without it Slonik accepts rows of any shape. It must be synchronous, or rows become promises.
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
