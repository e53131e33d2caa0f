import { Client } from "pg";
import { createCachedCheck } from "../../lib/cached-check.ts";
import { READ_ONLY } from "../unavailable.ts";
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

/** No host of an address accepts writes. */
class NoPrimaryError extends Error {
  readonly code = READ_ONLY;
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
    throw reasonOf(error.errors.filter((each) => each instanceof Error));
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
    throw new NoPrimaryError("every host of the address that can be reached is read-only");
  } finally {
    // Without waiting: a server that hangs doesn't close it.
    client.end().catch(() => undefined);
  }
}

/** The error that says most: a refused login, then read-only hosts, then one that can't be reached. */
function reasonOf(errors: readonly Error[]): Error {
  const ranked = [
    errors.find((error) => "severity" in error),
    errors.find((error) => error instanceof NoPrimaryError),
    errors[0],
  ];
  return ranked.find((error) => error !== undefined) ?? new Error("the address names no host");
}
