import { toError } from "@waymark/shared/lib/to-error.ts";
import { Client } from "pg";
import { createCachedCheck } from "../../lib/cached-check.ts";
import { errorCode, isDatabaseUnavailable, READ_ONLY } from "../unavailable.ts";
import type { Login } from "./connection.ts";
import type { DatabaseAddress, DatabaseHost } from "./parse.ts";

/** How long a host has to accept a connection, and again to answer. The pools of requests wait for longer than for both. */
const HOST_TIMEOUT_MS = 2_000;
/** How long what was found is used again: connections are opened together. */
const FRESH_MS = 1_000;
/** How long an error is used again: otherwise each request would log in to a standby that is being promoted. */
const FAILED_MS = 250;

/** Finds the host to connect to. */
export type PrimaryFinder = () => Promise<DatabaseHost>;

/** Postgres' code for a client that can't connect. */
const UNREACHABLE = "08001";

class ReadOnlyHostError extends Error {}

/** No host of an address accepts writes. */
class NoPrimaryError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Creates a function that returns the host of an address which accepts writes, as libpq does with
 * `target_session_attrs=read-write`. All hosts are asked at once, so one that is down costs no time. With one host it asks
 * nobody.
 */
export function createPrimaryFinder(hosts: DatabaseAddress["hosts"], login: Login): PrimaryFinder {
  const [only, ...others] = hosts;
  if (others.length === 0) return () => Promise.resolve(only);
  return createCachedCheck(() => findPrimary(hosts, login), { freshMs: FRESH_MS, failedMs: FAILED_MS });
}

async function findPrimary(hosts: DatabaseAddress["hosts"], login: Login): Promise<DatabaseHost> {
  try {
    return await Promise.any(hosts.map((host) => assertWritable(host, login)));
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    // In the order of the hosts.
    throw noPrimary(hosts, error.errors.map(toError));
  }
}

async function assertWritable(host: DatabaseHost, login: Login): Promise<DatabaseHost> {
  const client = new Client({
    ...login,
    ...host,
    application_name: "waymark-primary",
    connectionTimeoutMillis: HOST_TIMEOUT_MS,
    query_timeout: HOST_TIMEOUT_MS,
  });
  // The failed query reports the error.
  client.on("error", () => undefined);
  try {
    await client.connect();
    // A standby's sessions are read-only, and so are those of a primary with default_transaction_read_only.
    const { rows } = await client.query<{ readOnly: string }>(
      `SELECT current_setting('transaction_read_only') AS "readOnly"`,
    );
    if (rows[0]?.readOnly === "off") return host;
    throw new ReadOnlyHostError("read-only");
  } finally {
    // Without waiting: a server that hangs doesn't close it.
    client.end().catch(() => undefined);
  }
}

/**
 * Says of each host why it is not the one. Hosts that may accept writes later outrank one that refuses the login, because a process
 * that starts while servers fail over must wait.
 */
function noPrimary(hosts: DatabaseAddress["hosts"], errors: readonly Error[]): NoPrimaryError {
  const reasons = hosts.map(({ host, port }, index) => `${host}:${port} (${errors[index]?.message})`);
  const isReadOnly = errors.some((error) => error instanceof ReadOnlyHostError);
  const [refusal = ""] = errors.map(errorCode);
  const code = isReadOnly ? READ_ONLY : errors.some(isDatabaseUnavailable) ? UNREACHABLE : refusal;
  return new NoPrimaryError(`no host of the address accepts writes: ${reasons.join(", ")}`, code);
}
