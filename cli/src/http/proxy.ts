import type { Environment } from "../config.ts";
import { usageError } from "../lib/cli-error.ts";
import { isLoopback } from "../lib/loopback.ts";

/**
 * The proxy for an address: HTTPS_PROXY or HTTP_PROXY (also in lower case), unless NO_PROXY contains the host. Loopback
 * addresses never use a proxy.
 * @throws {CliError} if the variable is not an http:// or https:// address
 */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = read(environment, variable);
  if (value === "" || isLoopback(url.hostname) || isExcepted(url, read(environment, "NO_PROXY")))
    return undefined;
  const address = value.includes("://") ? value : `http://${value}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  // The value may contain a password, so the message doesn't show it.
  if (proxy === undefined || !/^https?:$/.test(proxy.protocol)) {
    throw usageError(`${variable} must be the http:// or https:// address of a proxy.`);
  }
  return proxy;
}

/** The Proxy-Authorization header for a proxy address with user and password. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === "") return undefined;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

function read(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();
}

function isExcepted(url: URL, exceptions: string): boolean {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return exceptions.split(/[\s,]+/).some((entry) => {
    if (entry === "") return false;
    if (entry === "*") return true;
    const [, name = "", entryPort] = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (entryPort !== undefined && entryPort !== port) return false;
    const domain = name.replace(/^\*?\.?/, "");
    return url.hostname === domain || url.hostname.endsWith(`.${domain}`);
  });
}
