import { isIPv6, SocketAddress } from "node:net";

/**
 * The address that limits count by: an IPv4 address, or the /64 network of an IPv6 address, because a client usually
 * controls all of that network.
 */
export function rateLimitAddress(ip: string): string {
  const plain = addressWithoutPort(ip);
  if (!isIPv6(plain)) return plain;
  // Normalizes the forms that proxies write: a mapped IPv4 address then ends in dotted form.
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

/** Some proxies append a port to the address in `X-Forwarded-For`, which would make every connection another client. */
function addressWithoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text;
}
