import type { ConnectionOptions } from "node:tls";
import type { ClientConfig } from "pg";
import { type DatabaseAddress, parseDatabaseUrl } from "./parse.ts";
import { tlsOptions } from "./tls.ts";

/** The port of an address without one, for every connection: the drivers would read PGPORT. */
export const POSTGRES_PORT = 5432;

/**
 * Returns where pg connects to. Everything is given by name, so that the driver reads no address itself.
 *
 * @throws DatabaseAddressError
 */
export function pgConnection(databaseUrl: string): ClientConfig {
  const { tls, ...address } = parseDatabaseUrl(databaseUrl);
  const { host, port = POSTGRES_PORT, user, password, database, options } = address;
  return {
    host,
    port,
    ssl: tlsOptions(tls),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ...(options === undefined ? {} : { options }),
  };
}

/**
 * Returns where Slonik connects to. It takes only an address, which must not have anything that it reads in its own way.
 *
 * @throws DatabaseAddressError
 */
export function slonikConnection(
  databaseUrl: string,
  { applicationName }: { applicationName: string },
): { uri: string; ssl?: ConnectionOptions } {
  const { tls, port = POSTGRES_PORT, ...address } = parseDatabaseUrl(databaseUrl);
  const ssl = tlsOptions(tls);
  // Slonik gives brackets to pg as a part of the host, so the colons of an IPv6 address are escaped.
  const uri = writeUrl(
    encodeURIComponent(address.host),
    { ...address, port },
    {
      application_name: applicationName,
      ...(address.options === undefined ? {} : { options: address.options }),
    },
  );
  return ssl === false ? { uri } : { uri, ssl };
}

/**
 * Returns the address in the one form that every reader of addresses takes: user, password, host, port and database before the
 * parameters, the folder of a socket as an escaped host.
 *
 * @throws DatabaseAddressError for an address that can't be used, or whose certificates can't be read
 */
export function canonicalDatabaseUrl(databaseUrl: string): string {
  const { tls, ...address } = parseDatabaseUrl(databaseUrl);
  tlsOptions(tls);
  const { host } = address;
  const isIpv6 = host.includes(":") && !host.startsWith("/");
  return writeUrl(isIpv6 ? `[${host}]` : encodeURIComponent(host), address, {
    ...(address.options === undefined ? {} : { options: address.options }),
    ...(tls.mode === "disable" ? {} : { sslmode: tls.mode }),
    ...(tls.rootCertificates === undefined ? {} : { sslrootcert: tls.rootCertificates }),
    ...(tls.certificate === undefined ? {} : { sslcert: tls.certificate }),
    ...(tls.key === undefined ? {} : { sslkey: tls.key }),
  });
}

/** Returns the address with other command-line options of the session. */
export function withOptions(databaseUrl: string, change: (options: string | undefined) => string): string {
  const url = new URL(canonicalDatabaseUrl(databaseUrl));
  const options = change(parseDatabaseUrl(databaseUrl).options);
  url.searchParams.set("options", options);
  // A form encodes spaces as +, which libpq takes as it is.
  url.search = url.search.replaceAll("+", "%20");
  return url.href;
}

function writeUrl(
  writtenHost: string,
  { port, user, password, database }: Omit<DatabaseAddress, "tls" | "host">,
  parameters: Readonly<Record<string, string>>,
): string {
  const secret = password === undefined ? "" : `:${encodeURIComponent(password)}`;
  const login = user === undefined && secret === "" ? "" : `${encodeURIComponent(user ?? "")}${secret}@`;
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const path = `/${encodeURIComponent(database ?? "")}`;
  return (
    `postgres://${login}${writtenHost}${port === undefined ? "" : `:${port}`}${path}` +
    (query.length === 0 ? "" : `?${query.join("&")}`)
  );
}
