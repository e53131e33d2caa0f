/**
 * Whether a URL's host and port are on a list. An entry is `host` or `host:port`; without a port it stands for the scheme's own.
 * `*.` at its beginning stands for exactly one label. IPv6 addresses are in brackets, as in URLs.
 */
export function isOnHostList(url: URL, list: readonly string[]): boolean {
  const port = portOf(url);
  const standard = url.protocol === "https:" ? 443 : 80;
  return list.some((entry) => {
    const { host, port: listed = standard } = splitEntry(entry);
    return listed === port && matchesHost(hostOf(url), host);
  });
}

/** The port that a URL means, also where it names none. */
export function portOf({ protocol, port }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function splitEntry(entry: string): { host: string; port?: number } {
  const found = /^(.*?)(?::(\d{1,5}))?$/.exec(entry.toLowerCase());
  const [, host = "", port] = found ?? [];
  return { host: withoutDot(host), ...(port === undefined ? {} : { port: Number(port) }) };
}

function matchesHost(host: string, pattern: string): boolean {
  if (!pattern.startsWith("*.")) return host === pattern;
  const rest = pattern.slice(1);
  const label = host.slice(0, -rest.length);
  return host.endsWith(rest) && label !== "" && !label.includes(".");
}

function hostOf({ hostname }: URL): string {
  return withoutDot(hostname.toLowerCase());
}

/** A name with a dot at its end is the same name. */
function withoutDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
