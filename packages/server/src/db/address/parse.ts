import { DatabaseAddressError } from "./address-error.ts";
import { type Parameters, readParameters } from "./parameters.ts";
import type { Tls } from "./tls.ts";

/** A server of an address. */
export interface DatabaseHost {
  /** A name, an IP address without brackets, or the folder of a Unix socket. */
  host: string;
  port: number;
}

/** The parts of a Postgres address, decoded. Undefined is what the address leaves to the driver. */
export interface DatabaseAddress {
  /** One server, or those of which one is the primary. */
  hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** Command-line options of the session, as libpq's parameter. */
  options: string | undefined;
  tls: Tls;
}

const EXAMPLE = "such as postgres://user:password@host:5432/waymark";
const ESCAPES = "In a user name or password, write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25";
/** The port of a host without one, for every connection: the drivers would read PGPORT. */
const POSTGRES_PORT = 5432;

/**
 * Reads the forms of an address that libpq knows, which `URL` refuses in part: hosts, ports, users and databases as parameters, and
 * Unix sockets. https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 *
 * @throws DatabaseAddressError for a form that Waymark doesn't support
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const found = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#.*)?$/s.exec(text);
  if (found === null) {
    if (/^\s*\w+\s*=/.test(text))
      throw new DatabaseAddressError(`must be a postgres:// address, ${EXAMPLE}, not words with =`);
    throw new DatabaseAddressError(`must be a postgres:// address, ${EXAMPLE}`);
  }
  const [, authority = "", path = "", query = "", fragment] = found;
  if (fragment !== undefined) throw new DatabaseAddressError(`must not contain #. ${ESCAPES}`);
  const at = authority.lastIndexOf("@");
  const places = authority
    .slice(at + 1)
    .split(",")
    .map(splitHost);
  const [user, password] = splitLogin(at === -1 ? "" : authority.slice(0, at));
  for (const { host } of places) if (host !== "") checkHost(host);
  const given = parametersOf(query);
  return {
    hosts: pairHosts(
      given.host?.split(",") ?? places.map(({ host }) => host),
      given.port?.split(",") ?? places.map(({ port }) => port),
    ),
    user: given.user ?? decoded(user, "user"),
    password: given.password ?? decoded(password, "password"),
    database: given.dbname ?? decoded(path, "database"),
    options: given.options,
    tls: tlsOf(given),
  };
}

function parametersOf(query: string): Parameters {
  try {
    return readParameters(query);
  } catch (error) {
    // The text after the question mark may be the rest of a password that contains one.
    if (query.includes("@")) throw new DatabaseAddressError(`has parameters that can't be read. ${ESCAPES}`);
    throw error;
  }
}

function splitLogin(login: string): [user: string, password: string] {
  const colon = login.indexOf(":");
  return colon === -1 ? [login, ""] : [login.slice(0, colon), login.slice(colon + 1)];
}

function splitHost(text: string): { host: string; port: string | undefined } {
  const [, bracketed, plain = "", port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  if (bracketed === undefined && plain === "" && text !== "" && port === undefined)
    throw new DatabaseAddressError(`has an unknown host. Write an IPv6 address in brackets. ${ESCAPES}`);
  return { host: decode(bracketed ?? plain, "host"), port };
}

/** Gives each host its port. As in libpq, one port is for all hosts. */
function pairHosts(
  hosts: readonly string[],
  ports: readonly (string | undefined)[],
): DatabaseAddress["hosts"] {
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new DatabaseAddressError(
      `has ${hosts.length} hosts and ${ports.length} ports: it must have one port for all of them, or one for each`,
    );
  const pairs = hosts.map((host, index) => ({
    host: checkHost(host),
    port: checkPort(ports.length === 1 ? ports[0] : ports[index]),
  }));
  const [first, ...others] = pairs;
  if (first === undefined) throw new Error("a text has at least one part");
  return [first, ...others];
}

function checkHost(host: string): string {
  if (host === "")
    throw new DatabaseAddressError(
      "must name a host, or the folder of a Unix socket: postgres:///waymark?host=/var/run/postgresql",
    );
  if (host.startsWith("/") || /^[\w.:-]+$/.test(host)) return host;
  throw new DatabaseAddressError(`has an unknown host. ${ESCAPES}`);
}

function checkPort(text: string | undefined): number {
  if (text === undefined || text === "") return POSTGRES_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new DatabaseAddressError(`must have a port from 1 to 65535. ${ESCAPES}`);
}

function decoded(text: string, part: string): string | undefined {
  return text === "" ? undefined : decode(text, part);
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseAddressError(`has a % in its ${part} that is no escape. ${ESCAPES}`);
  }
}

function tlsOf(given: Parameters): Tls {
  const { sslmode, sslrootcert, sslcert, sslkey } = given;
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new DatabaseAddressError("must have both sslcert and sslkey, or neither");
  const files = { rootCertificates: sslrootcert, certificate: sslcert, key: sslkey };
  const needsTls = sslrootcert !== undefined || sslcert !== undefined;
  // libpq's own default is to try both, which protects nothing.
  const mode = sslmode ?? (needsTls ? "require" : "disable");
  if (mode === "disable" && needsTls)
    throw new DatabaseAddressError("must not have certificates with sslmode=disable");
  if (sslrootcert === "system" && mode !== "verify-full")
    throw new DatabaseAddressError("must have sslmode=verify-full with sslrootcert=system");
  if (mode === "verify-ca" && sslrootcert === undefined)
    throw new DatabaseAddressError("must have sslrootcert, the file of a CA, with sslmode=verify-ca");
  // As libpq: with a CA, `require` checks that the certificate is of it.
  if (mode === "require" && sslrootcert !== undefined) return { mode: "verify-ca", ...files };
  return { mode, ...files };
}
