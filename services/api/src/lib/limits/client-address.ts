import { isIPv6, SocketAddress } from "node:net";

/**
 * What a limit per address counts: an IPv4 address, or the /64 of an IPv6 one, since whoever has one address of
 * that has them all.
 */
export function rateLimitAddress(ip: string): string {
  const plain = addressWithoutPort(ip);
  if (!isIPv6(plain)) return plain;
  // In one form, whichever a proxy has written: an IPv4 address within IPv6 then ends with dots.
  const [unzoned = ""] = plain.split("%");
  const { address } = new SocketAddress({ address: unzoned, family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: zeros }, () => "0"), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

/** Some proxies put a port behind the address in `X-Forwarded-For`: with it, every connection would be another client. */
function addressWithoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text;
}
