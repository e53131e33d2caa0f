import type { ConnectionOptions } from "node:tls";
import type { ClientConfig } from "pg";
import { type DatabaseAddress, type DatabaseHost, parseDatabaseUrl } from "./parse.ts";
import { tlsOptions } from "./tls.ts";

/** Where pg connects to, without the host. */
export type Login = Omit<ClientConfig, "host" | "port" | "ssl"> & { ssl: ConnectionOptions | false };

/**
 * Returns the hosts of an address, and what pg needs besides one of them. Everything is given by name, so that the driver
 * reads no address itself.
 *
 * @throws DatabaseAddressError
 */
export function pgLogin(databaseUrl: string): { hosts: DatabaseAddress["hosts"]; login: Login } {
  const { hosts, tls, user, password, database, options } = parseDatabaseUrl(databaseUrl);
  const login = {
    ssl: tlsOptions(tls),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ...(options === undefined ? {} : { options }),
  };
  return { hosts, login };
}

/**
 * Returns one host of an address as Slonik takes it, which must not have anything that Slonik reads in its own way. Encryption
 * is a setting of its pools.
 *
 * @throws DatabaseAddressError
 */
export function slonikAddress(
  databaseUrl: string,
  { host, port, applicationName }: DatabaseHost & { applicationName: string },
): string {
  const { options, ...address } = parseDatabaseUrl(databaseUrl);
  // Slonik gives brackets to pg as a part of the host, so the colons of an IPv6 address are escaped.
  return writeUrl(`${encodeURIComponent(host)}:${port}`, address, {
    application_name: applicationName,
    ...(options === undefined ? {} : { options }),
  });
}

/**
 * Returns the address in the one form that every reader of addresses takes: user, password, hosts with ports and database
 * before the parameters, the folder of a socket as an escaped host.
 *
 * @throws DatabaseAddressError for an address that can't be used, or whose certificates can't be read
 */
export function canonicalDatabaseUrl(databaseUrl: string): string {
  const address = parseDatabaseUrl(databaseUrl);
  tlsOptions(address.tls);
  return writeAddress(address);
}

/** Returns the address with other command-line options of the session. */
export function withOptions(databaseUrl: string, change: (options: string | undefined) => string): string {
  const address = parseDatabaseUrl(databaseUrl);
  return writeAddress({ ...address, options: change(address.options) });
}

/** Returns the address with another login. */
export function withLogin(
  databaseUrl: string,
  { user, password }: { user: string; password: string },
): string {
  return writeAddress({ ...parseDatabaseUrl(databaseUrl), user, password });
}

function writeAddress(address: DatabaseAddress): string {
  const { hosts, options, tls } = address;
  return writeUrl(hosts.map(writeHost).join(","), address, {
    ...(options === undefined ? {} : { options }),
    ...(tls.mode === "disable" ? {} : { sslmode: tls.mode }),
    ...(tls.rootCertificates === undefined ? {} : { sslrootcert: tls.rootCertificates }),
    ...(tls.certificate === undefined ? {} : { sslcert: tls.certificate }),
    ...(tls.key === undefined ? {} : { sslkey: tls.key }),
  });
}

function writeHost({ host, port }: DatabaseHost): string {
  const isIpv6 = host.includes(":") && !host.startsWith("/");
  return `${isIpv6 ? `[${host}]` : encodeURIComponent(host)}:${port}`;
}

function writeUrl(
  writtenHosts: string,
  { user, password, database }: Pick<DatabaseAddress, "user" | "password" | "database">,
  parameters: Readonly<Record<string, string>>,
): string {
  const secret = password === undefined ? "" : `:${encodeURIComponent(password)}`;
  const login = user === undefined && secret === "" ? "" : `${encodeURIComponent(user ?? "")}${secret}@`;
  // Not as a form, which encodes spaces as +: libpq takes a + as it is.
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const path = `/${encodeURIComponent(database ?? "")}`;
  return `postgres://${login}${writtenHosts}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}
