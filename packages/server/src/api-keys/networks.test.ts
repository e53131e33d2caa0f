import { BlockList } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstNetworkOutside, isAddressInside, parseNetwork } from "./networks.ts";

describe("parseNetwork", () => {
  it.each([
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["203.0.113.7", "203.0.113.7/32"],
    ["203.0.113.7/32", "203.0.113.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:0:0::/32", "2001:db8::/32"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["::/0", "::/0"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["::FFFF:cb00:7107", "203.0.113.7/32"],
    ["::ffff:0.0.0.0/96", "0.0.0.0/0"],
  ])("writes %s as %s", (text, network) => {
    expect(parseNetwork(text)).toEqual({ ok: true, network });
  });

  it.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["203.0.113.128/24", "203.0.113.0/24"],
    ["2001:db8::1/32", "2001:db8::/32"],
    ["::ffff:10.1.0.0/104", "10.0.0.0/8"],
    ["1.2.3.4/0", "0.0.0.0/0"],
  ])("refuses %s and says that the network is %s", (text, right) => {
    expect(parseNetwork(text)).toMatchObject({ ok: false, problem: expect.stringContaining(right) });
  });

  it.each([
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "10.0.0.0/255.0.0.0",
    "010.0.0.0/8",
    "10.0.0/8",
    " 10.0.0.0/8",
    "10.0.0.0/8\n",
    "2001:db8::/129",
    "fe80::1%eth0/64",
    "fe80::1%eth0",
    "example.com",
    "[::1]",
    "localhost",
  ])("refuses %j, which is not a network", (text) => {
    expect(parseNetwork(text)).toMatchObject({ ok: false, problem: expect.stringContaining("must be") });
  });
});

describe("isAddressInside", () => {
  it.each<[string, string, boolean]>([
    ["10.255.255.255", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["9.255.255.255", "10.0.0.0/8", false],
    ["::ffff:10.1.2.3", "10.0.0.0/8", true],
    ["::ffff:a01:203", "10.0.0.0/8", true],
    ["::ffff:11.1.2.3", "10.0.0.0/8", false],
    ["2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::/32", true],
    ["2001:db9::", "2001:db8::/32", false],
    ["fe80::1%eth0", "fe80::/10", true],
    // All of IPv6 doesn't include IPv4, nor the other way round.
    ["10.1.2.3", "::/0", false],
    ["::ffff:10.1.2.3", "::/0", false],
    ["2001:db8::1", "0.0.0.0/0", false],
    ["not an address", "0.0.0.0/0", false],
    ["10.1.2.3:443", "0.0.0.0/0", false],
    ["10.1.2.3/8", "10.0.0.0/8", false],
    ["", "::/0", false],
  ])("%s in %s: %s", (address, network, inside) => {
    expect(isAddressInside(address, [network])).toBe(inside);
  });

  it("agrees with Node's BlockList (10,000 pairs)", () => {
    const cases = fc.oneof(
      fc.record({ version: fc.constant("ipv4" as const), address: near(32, 2), prefixBits: bits(32) }),
      fc.record({ version: fc.constant("ipv6" as const), address: near(128, 4), prefixBits: bits(128) }),
    );
    let insideCount = 0;
    fc.assert(
      fc.property(cases, ({ version, address: [base, flipped], prefixBits }) => {
        const parsed = parseNetwork(`${base}/${prefixBits}`);
        const network = parsed.ok ? parsed.network : (/\S+$/.exec(parsed.problem)?.[0] ?? "");
        const oracle = new BlockList();
        oracle.addSubnet(base, prefixBits, version);
        const inside = isAddressInside(flipped, [network]);
        expect(inside).toBe(oracle.check(flipped, version));
        if (inside) insideCount++;
      }),
      { numRuns: 10_000 },
    );
    expect(insideCount).toBeGreaterThan(1_000);
    expect(insideCount).toBeLessThan(9_000);
  });
});

describe("firstNetworkOutside", () => {
  it.each<[string[], string[], string | undefined]>([
    [["10.1.0.0/16"], ["10.0.0.0/8"], undefined],
    [["10.0.0.0/8"], ["10.0.0.0/8"], undefined],
    [["10.0.0.0/7"], ["10.0.0.0/8"], "10.0.0.0/7"],
    [["10.0.0.0/8", "192.168.0.0/24"], ["10.0.0.0/8", "172.16.0.0/12"], "192.168.0.0/24"],
    // Two networks that together cover it are not enough.
    [["10.0.0.0/8"], ["10.0.0.0/9", "10.128.0.0/9"], "10.0.0.0/8"],
    [["2001:db8:1::/48"], ["2001:db8::/32"], undefined],
    [["0.0.0.0/0"], ["::/0"], "0.0.0.0/0"],
  ])("%j inside %j: outside is %s", (inner, outer, outside) => {
    expect(firstNetworkOutside(inner, outer)?.network).toBe(outside);
  });
});

function bits(max: number) {
  return fc.integer({ min: 0, max });
}

/** Two addresses that differ in one random bit, or not at all. */
function near(addressBits: 32 | 128, bytesEach: 2 | 4) {
  return fc
    .tuple(fc.bigInt({ min: 0n, max: (1n << BigInt(addressBits)) - 1n }), bits(addressBits))
    .map(([value, place]): [string, string] => {
      const flipped = place === addressBits ? value : value ^ (1n << BigInt(place));
      return [toAddress(value, addressBits, bytesEach), toAddress(flipped, addressBits, bytesEach)];
    });
}

function toAddress(value: bigint, addressBits: 32 | 128, digitsEach: number): string {
  const digits = value.toString(16).padStart(addressBits / 4, "0");
  const parts = digits.match(new RegExp(`.{${digitsEach}}`, "g")) ?? [];
  return addressBits === 32 ? parts.map((part) => Number.parseInt(part, 16)).join(".") : parts.join(":");
}
