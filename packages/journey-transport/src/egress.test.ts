import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsThrough } from "@waymark/test-support/transport-calls.ts";
import { createEgress, EgressListError, parseEgressAllowances } from "./egress.ts";
import type { EgressRules } from "./egress.ts";
import { createHttpTransport } from "./http-transport.ts";

/** Counts connections, on one port of all of this machine's addresses, IPv4 and IPv6. */
const canary = { connections: 0, port: 0 };
const server = createServer((_, response) => response.end()).on("connection", () => canary.connections++);

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "::", resolve));
  const address = server.address();
  canary.port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** As a run sends: the policy is asked first, then the transport connects. */
async function send(target: string, rules: Partial<EgressRules>, headers: [string, string][] = []) {
  const egress = createEgress({ allowedHosts: [], operatorAllows: [], own: [], ...rules });
  const url = new URL(target);
  const verdict = await egress.policy({ url, method: "GET" });
  if (!verdict.allowed) throw new Error(verdict.reason);
  using http = createHttpTransport({ allowsAddress: egress.allowsAddress });
  return await callsThrough(http.transport)(target, { headers });
}

/** The environment allows every host that the URL may name. */
const allowing = (target: string): Partial<EgressRules> => ({ allowedHosts: [new URL(target).host] });

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ internal }) => !internal)
  .map(({ address, family, scopeid }) =>
    family === "IPv6" ? (scopeid ? undefined : `[${address}]`) : address,
  )
  .filter((host) => host !== undefined);

describe("egress", () => {
  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0",
    "localhost",
    "LOCALHOST.",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::169.254.169.254]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "169.254.169.254",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "168.63.129.16",
    "10.0.0.1",
    "192.168.0.1",
    "[fd00::1]",
    ...ownAddresses,
  ])("makes no connection to %s, though the environment allows it", async (host) => {
    const before = canary.connections;
    const target = `http://${host}:${canary.port}/`;
    await expect(send(target, allowing(target))).rejects.toThrow(
      /no public address|metadata service|no such host/,
    );
    expect(canary.connections).toBe(before);
  });

  it("makes none to a host that is not on the environment's list, nor to another port of one that is", async () => {
    const before = canary.connections;
    const rules = {
      allowedHosts: ["127.0.0.1", "*.example.com", "api.test:8080"],
      operatorAllows: parseEgressAllowances(`127.0.0.1:${canary.port}`),
    };
    for (const target of [
      `http://127.0.0.1:${canary.port}/`,
      "https://api.test/",
      "http://example.com/",
      "http://a.b.example.com/",
      "http://example.com.evil.test/",
      "http://evilexample.com/",
    ]) {
      await expect(send(target, rules)).rejects.toThrow(/not among the allowed hosts/);
    }
    expect(canary.connections).toBe(before);
    const { policy } = createEgress({ own: [], ...rules });
    for (const url of ["https://A.Example.COM/", "http://a.example.com./", "http://api.test:8080/"])
      expect(await policy({ url: new URL(url), method: "GET" })).toEqual({ allowed: true });
    expect(await policy({ url: new URL("ftp://a.example.com/"), method: "GET" })).toMatchObject({
      allowed: false,
    });
  });

  it("makes none by a Host header to an address that is allowed", async () => {
    const before = canary.connections;
    const target = `http://127.0.0.1:${canary.port}/`;
    const rules = {
      ...allowing(target),
      operatorAllows: parseEgressAllowances(`127.0.0.1:${canary.port}`),
    };
    await expect(send(target, rules, [["Host", "other.test"]])).rejects.toThrow(/names the host/);
    expect(canary.connections).toBe(before);
    expect((await send(target, rules)).status).toBe(200);
    expect(canary.connections).toBe(before + 1);
  });

  it("opens what the operator opens, at that port, and never the server's own", async () => {
    const { port } = canary;
    const before = canary.connections;
    const target = `http://localhost:${port}/`;
    const opened = parseEgressAllowances(`127.0.0.1:${port},[::1]:${port}`);
    expect((await send(target, { ...allowing(target), operatorAllows: opened })).status).toBe(200);
    expect(canary.connections).toBe(before + 1);
    const own = ["127.0.0.1", "::1"].map((address) => ({ address, port }));
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"]) {
      const url = `http://${host}:${port}/`;
      await expect(send(url, { ...allowing(url), operatorAllows: opened, own })).rejects.toThrow(
        /no public address/,
      );
    }
    const otherPort = parseEgressAllowances("127.0.0.1:1,[::1]:1");
    await expect(send(target, { ...allowing(target), operatorAllows: otherPort })).rejects.toThrow(
      /no public address/,
    );
    expect(canary.connections).toBe(before + 1);
  });

  it("opens networks of the operator, but not the metadata services in them", () => {
    const { allowsAddress } = createEgress({
      allowedHosts: [],
      operatorAllows: parseEgressAllowances(" 10.0.0.0/8:80, 100.64.0.0/10:*, [fc00::/7]:443, "),
      own: [{ address: "10.0.0.9", port: 80 }],
    });
    const allows = (address: string, port: number) => allowsAddress(address, port).allowed;
    expect([allows("10.1.2.3", 80), allows("100.64.1.1", 8080), allows("fd12::1", 443)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(allows("::ffff:10.1.2.3", 80)).toBe(true);
    expect([allows("10.1.2.3", 81), allows("192.168.1.1", 80), allows("fd12::1", 80)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([allows("100.100.100.200", 80), allows("fd00:ec2::254", 443), allows("10.0.0.9", 80)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([allows("fe80::1%eth0", 443), allows("127.0.0.1", 80), allows("8.8.8.8", 53)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it.each([
    "127.0.0.0/8:80",
    "127.0.0.1:*",
    "0.0.0.0/0:80",
    "169.254.0.0/16:80",
    "[::/0]:443",
    "[::1]:*",
    "[fe80::/10]:80",
    "10.0.0.0/8",
    "10.0.0.0/33:80",
    "10.0.0.0/8:0",
    "10.0.0.0/8:65536",
    "localhost:80",
    "::1:80",
  ])("refuses the operator's entry %s", (entry) => {
    expect(() => parseEgressAllowances(entry)).toThrow(EgressListError);
  });
});
