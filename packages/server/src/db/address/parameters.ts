import { DatabaseAddressError } from "./address-error.ts";
import type { Tls } from "./tls.ts";

/** The parameters of an address that Waymark uses. */
export interface Parameters {
  host?: string;
  port?: string;
  user?: string;
  password?: string;
  dbname?: string;
  options?: string;
  sslmode?: Tls["mode"];
  sslrootcert?: string;
  sslcert?: string;
  sslkey?: string;
}

const USED = [
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "options",
  "sslrootcert",
  "sslcert",
  "sslkey",
] as const;

/** Parameters of libpq that change nothing for Waymark: it has limits and a name of its own. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "application_name",
  "connect_timeout",
  "fallback_application_name",
  "gssencmode",
  "keepalives",
  "keepalives_count",
  "keepalives_idle",
  "keepalives_interval",
  "sslcompression",
  "sslsni",
  "tcp_user_timeout",
]);

/** Parameters whose named values are what Waymark does anyway. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  channel_binding: ["disable", "prefer"],
  client_encoding: ["auto", "utf8", "UTF8", "UTF-8"],
  load_balance_hosts: ["disable"],
  sslnegotiation: ["postgres"],
  target_session_attrs: ["any", "primary", "read-write"],
};

const MODES: Readonly<Record<string, Tls["mode"]>> = {
  disable: "disable",
  require: "require",
  // Another word of Node's driver for it.
  "no-verify": "require",
  "verify-ca": "verify-ca",
  "verify-full": "verify-full",
};

/**
 * Reads the query of an address. `ssl=true` stands for `sslmode=require`, as in libpq.
 *
 * @throws DatabaseAddressError for a parameter that is unknown, or whose value Waymark can't honor
 */
export function readParameters(query: string): Parameters {
  const parameters: Parameters = {};
  for (const [name, value] of pairsOf(query)) {
    if (name === "sslmode") parameters.sslmode = modeOf(value);
    else if (name === "ssl" && value === "true") parameters.sslmode = "require";
    else if (isUsed(name)) parameters[name] = value;
    else if (!WITHOUT_EFFECT.has(name)) assertOnly(name, value);
  }
  return parameters;
}

/** Not by URLSearchParams: libpq takes a + as it is. */
function pairsOf(query: string): [name: string, value: string][] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      if (equals === -1) throw new DatabaseAddressError("has a parameter without a value");
      try {
        return [decodeURIComponent(pair.slice(0, equals)), decodeURIComponent(pair.slice(equals + 1))];
      } catch {
        throw new DatabaseAddressError("has a % in a parameter that is no escape: write it as %25");
      }
    });
}

function isUsed(name: string): name is (typeof USED)[number] {
  return USED.some((each) => each === name);
}

function modeOf(value: string): Tls["mode"] {
  const mode = Object.hasOwn(MODES, value) ? MODES[value] : undefined;
  if (mode !== undefined) return mode;
  const [quoted, words] = [printable(value), Object.keys(MODES).join(", ")];
  if (value === "prefer" || value === "allow")
    throw new DatabaseAddressError(
      `must not have sslmode=${value}, which goes on without encryption if the server has none. Fix: sslmode=require, verify-full or disable`,
    );
  throw new DatabaseAddressError(`has the unknown sslmode ${quoted}: it must be one of ${words}`);
}

function assertOnly(name: string, value: string): void {
  const allowed = Object.hasOwn(ONLY, name) ? ONLY[name] : undefined;
  if (allowed === undefined)
    throw new DatabaseAddressError(
      `has the parameter ${printable(name)}, which Waymark doesn't know. Fix: remove it`,
    );
  if (!allowed.includes(value))
    throw new DatabaseAddressError(
      `must not have ${name}=${printable(value)}, which Waymark can't do. Fix: remove it, or write ${name}=${allowed.join(" or ")}`,
    );
}

/** Text of the address for a message, short and on one line. */
function printable(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
