import type { Environment } from "../lib/config.ts";
import { usageError } from "../lib/cli-error.ts";
import { isLoopback } from "../lib/loopback.ts";
import { isExceptedFromProxy } from "./no-proxy.ts";

/**
 * The proxy for an address: HTTPS_PROXY or HTTP_PROXY (also in lower case), unless NO_PROXY contains the host. Loopback
 * addresses never use a proxy.
 * @throws {CliError} if the variable is not an http:// or https:// address
 */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = read(environment, variable);
  if (value === "" || isLoopback(url.hostname) || isExceptedFromProxy(url, read(environment, "NO_PROXY")))
    return undefined;
  const address = value.includes("://") ? value : `http://${value}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  // The value may contain a password, so the message doesn't show it.
  if (proxy === undefined || !/^https?:$/.test(proxy.protocol)) {
    throw usageError(
      `${variable} must be the http:// or https:// address of a proxy. In a user name or password, write / as %2F, ? as %3F, # as %23 and % as %25.`,
    );
  }
  proxy.username = asEscapes(proxy.username);
  proxy.password = asEscapes(proxy.password);
  return proxy;
}

/** The Proxy-Authorization header for a proxy address with user and password. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === "") return undefined;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** Escapes each `%` that begins no escape: a password that is pasted as it is may contain one. */
function asEscapes(text: string): string {
  const escaped = text.replaceAll(/%(?![0-9a-f]{2})/gi, "%25");
  try {
    decodeURIComponent(escaped);
    return escaped;
  } catch {
    // The escapes are no UTF-8, so they were not meant as escapes.
    return text.replaceAll("%", "%25");
  }
}

function read(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();
}
