import { isIP } from "node:net";

/** A network in CIDR notation, as numbers. A single address is a network with a full-length prefix. */
interface Network {
  version: 4 | 6;
  /** The first address. */
  base: bigint;
  prefixBits: number;
}

const BITS = { 4: 32, 6: 128 } as const;
/** `::ffff:0:0/96`: IPv4 addresses as dual-stack sockets report them. */
const MAPPED = 0xffffn;
const CIDR = /^([^/]+)(?:\/(0|[1-9][0-9]{0,2}))?$/;

export type ParsedNetwork = { ok: true; network: string } | { ok: false; problem: string };

/**
 * Parses a network such as `10.0.0.0/8` or `2001:db8::/32`, or a single address, into its canonical form.
 * IPv4 addresses in IPv6 notation (`::ffff:10.0.0.0/104`) become IPv4.
 */
export function parseNetwork(text: string): ParsedNetwork {
  const network = toNetwork(text);
  if (network === undefined) {
    return { ok: false, problem: "must be a network such as 10.0.0.0/8 or 2001:db8::/32" };
  }
  const masked = { ...network, base: masksOff(network) };
  if (masked.base === network.base) return { ok: true, network: toText(masked) };
  const problem = `has bits set after its prefix of ${network.prefixBits}. The network is ${toText(masked)}`;
  return { ok: false, problem };
}

/** Whether a client's address is in one of these networks. Invalid addresses are in none. */
export function isAddressInside(address: string, networks: readonly string[]): boolean {
  // Link-local addresses end with the name of their interface.
  const [plain = ""] = address.split("%");
  return isIP(plain) !== 0 && isInsideOne(plain, networks);
}

/** The first inner network that no single outer network contains; undefined if all are contained. */
export function firstNetworkOutside(
  inner: readonly string[],
  outer: readonly string[],
): { index: number; network: string } | undefined {
  const index = inner.findIndex((network) => !isInsideOne(network, outer));
  const network = inner[index];
  return network === undefined ? undefined : { index, network };
}

function isInsideOne(text: string, networks: readonly string[]): boolean {
  const inner = toNetwork(text);
  if (inner === undefined) return false;
  return networks.some((one) => {
    const outer = toNetwork(one);
    if (outer?.version !== inner.version || outer.prefixBits > inner.prefixBits) return false;
    return masksOff({ ...inner, prefixBits: outer.prefixBits }) === outer.base;
  });
}

function toNetwork(text: string): Network | undefined {
  const [, address = "", prefix] = CIDR.exec(text) ?? [];
  const version = address.includes("%") ? 0 : isIP(address);
  if (version !== 4 && version !== 6) return undefined;
  const prefixBits = prefix === undefined ? BITS[version] : Number(prefix);
  if (prefixBits > BITS[version]) return undefined;
  const base = version === 4 ? toNumber(address.split("."), 10, 8n) : ipv6ToNumber(address);
  if (version === 6 && base >> 32n === MAPPED && prefixBits >= 96) {
    return { version: 4, base: base & 0xffff_ffffn, prefixBits: prefixBits - 96 };
  }
  return { version, base, prefixBits };
}

function ipv6ToNumber(address: string): bigint {
  // URLs use one form of an IPv6 address: no dotted part, and the longest run of zeros is shortened.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [front = [], back = []] = canonical.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return toNumber([...front, ...zeros, ...back], 16, 16n);
}

function toNumber(parts: readonly string[], radix: number, bitsEach: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bitsEach) | BigInt(Number.parseInt(part, radix)), 0n);
}

function masksOff({ version, base, prefixBits }: Network): bigint {
  const hostBits = BigInt(BITS[version] - prefixBits);
  return (base >> hostBits) << hostBits;
}

function toText({ version, base, prefixBits }: Network): string {
  if (version === 4) {
    const bytes = [24n, 16n, 8n, 0n].map((shift) => (base >> shift) & 0xffn);
    return `${bytes.join(".")}/${prefixBits}`;
  }
  const groups = base.toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  return `${new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1)}/${prefixBits}`;
}
