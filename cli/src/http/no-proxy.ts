import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";

/**
 * True if an entry of NO_PROXY names the host of the URL. Entries are separated by commas or white space:
 *
 * - `*`: every host
 * - `example.com`, `.example.com`, `*.example.com`: the host and those below it
 * - `10.0.0.1`, `fd00::5`, `[fd00::5]`: an address, in any notation
 * - `10.0.0.0/8`, `fd00::/8`: a network. It holds for hosts that are addresses; names are not resolved
 * - `10.*`: addresses that start with `10.`
 *
 * Each but a bare IPv6 address and a network may end with a port, as `[fd00::5]:8443`.
 */
export function isExceptedFromProxy(url: URL, exceptions: string): boolean {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const host = withoutDot(url.hostname);
  return exceptions
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => matches(entry.toLowerCase(), { host, port }));
}

function matches(entry: string, { host, port }: { host: string; port: string }): boolean {
  if (entry === "*") return true;
  const network = /^\[?([^[\]/]+)\]?\/(\d{1,3})$/.exec(entry);
  if (network !== null) return isInNetwork(host, network[1] ?? "", Number(network[2]));
  const [name, entryPort] = splitPort(entry);
  if (entryPort !== undefined && entryPort !== port) return false;
  if (isIP(name) !== 0) return isInNetwork(host, name, isIP(name) === 6 ? 128 : 32);
  if (/^\d{1,3}(\.\d{1,3}){0,2}\.\*$/.test(name))
    return isIP(host) === 4 && host.startsWith(name.slice(0, -1));
  const domain = toAscii(withoutDot(name.replace(/^\*?\.?/, "")));
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

/** The host of an entry without brackets, and its port. A bare IPv6 address has none: its last part is no port. */
function splitPort(entry: string): [name: string, port: string | undefined] {
  if (isIP(entry) === 6) return [entry, undefined];
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|(.+?))(?::(\d+))?$/.exec(entry) ?? [];
  return [bracketed ?? plain ?? "", port];
}

function isInNetwork(host: string, network: string, prefix: number): boolean {
  const address = host.replaceAll(/^\[|\]$/g, "");
  const families = [isIP(address), isIP(network)];
  if (families.includes(0) || prefix > (families[1] === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, families[1] === 6 ? "ipv6" : "ipv4");
  return list.check(address, families[0] === 6 ? "ipv6" : "ipv4");
}

/** A name that is written with its root. */
function withoutDot(name: string): string {
  return name.replace(/\.$/, "");
}

/** The form that URLs have; the name itself if it is none. */
function toAscii(name: string): string {
  return domainToASCII(name) || name;
}
