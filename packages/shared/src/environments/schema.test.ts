import { describe, expect, it } from "vitest";
import { issueDetails } from "../lib/error-details.ts";
import { HostPattern, hostsOf } from "./hosts/schema.ts";
import { EnvironmentRequest } from "./schema.ts";
import { SetSecretRequest } from "./secrets/schema.ts";

function faultsOf(schema: { safeParse: typeof EnvironmentRequest.safeParse }, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return issueDetails(error?.issues ?? []).map(({ path, message }) => `${path}: ${message}`);
}

describe("the pattern of a host", () => {
  it.each([
    "api.example.com",
    "api.example.com:8443",
    "localhost:8080",
    "*.example.com",
    "*.eu.example.com:8443",
    "10.0.0.7:80",
    "[2001:db8::1]",
    "[::1]:8080",
    "xn--bcher-kva.example",
  ])("accepts %s", (pattern) => {
    expect(HostPattern.safeParse(pattern).success).toBe(true);
  });

  it.each([
    ["API.example.com", "must be written as api.example.com"],
    ["*.Example.com", "must be written as *.example.com"],
    ["bücher.example", "must be written as xn--bcher-kva.example"],
    ["127.1", "must be written as 127.0.0.1"],
    ["0x7f000001", "must be written as 127.0.0.1"],
    ["[0:0::1]", "must be written as [::1]"],
    ["*.com", "must have at least two labels after *."],
    ["*.10.0.0.7", "must not have *. before an address"],
    ["", "must be a host such as"],
    ["*", "must be a host such as"],
    ["*.*.example.com", "must be a host such as"],
    ["a*.example.com", "must be a host such as"],
    ["https://example.com", "must be a host such as"],
    ["example.com/path", "must be a host such as"],
    ["user@example.com", "must be a host such as"],
    ["example.com:99999", "must be a host such as"],
    ["example.com:", "must be a host such as"],
    ["2001:db8::1", "must be a host such as"],
    ["exa mple.com", "must be a host such as"],
    ["example.com%2f", "must be a host such as"],
  ])("refuses %j", (pattern, message) => {
    expect(HostPattern.safeParse(pattern).error?.issues[0]?.message).toContain(message);
  });

  it("is what the servers' addresses give by default", () => {
    const servers = {
      a: "https://API.example.com/v1",
      b: "http://localhost:8080",
      c: "https://api.example.com:443",
      d: "http://[::1]:9",
    };
    expect(hostsOf(servers)).toEqual(["[::1]:9", "api.example.com", "localhost:8080"]);
    for (const host of hostsOf(servers)) expect(HostPattern.safeParse(host).success).toBe(true);
  });
});

describe("an environment's settings", () => {
  it("have defaults for all but the name", () => {
    expect(EnvironmentRequest.parse({ name: "staging" })).toEqual({
      name: "staging",
      servers: {},
      variables: {},
      inputs: {},
      protected: false,
      storesBodies: true,
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ server: {} }, 'unknown field "server"'],
    [{ servers: { a: "ftp://example.com" } }, "servers.a: must be an http:// or https:// address"],
    [{ servers: { a: "example.com" } }, "servers.a: must be an http:// or https:// address"],
    [{ servers: { a: "https://user:pass@example.com" } }, "servers.a: must not contain a user or a password"],
    [{ servers: { a: "https://example.com?key=1" } }, "servers.a: must not have a query or a fragment"],
    [{ servers: { a: "https://{tenant}.example.com" } }, "servers.a: must not have variables in braces"],
    [{ servers: { "a b": "https://example.com" } }, "servers: the name of a source must be"],
    [
      { servers: JSON.parse('{"__proto__": "https://example.com"}') },
      "servers: the name of a source must be",
    ],
    [
      { servers: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`s${n}`, "https://a.example"])) },
      "servers: must have at most 100 fields",
    ],
    [{ variables: { a: { b: 1 } } }, "variables.a.b: "],
    [{ variables: { a: JSON.parse('{"__proto__": "x"}') } }, "variables.a: a variable's name must have"],
    [{ inputs: { a: "\0" } }, "inputs: must not contain the NUL character"],
    [{ allowedHosts: ["https://example.com"] }, "allowedHosts[0]: must be a host such as"],
    [
      { allowedHosts: Array.from({ length: 101 }, () => "a.example") },
      "allowedHosts: must have at most 100 items",
    ],
    [{ protected: "yes" }, "protected: "],
  ])("refuse %j", (settings, message) => {
    expect(faultsOf(EnvironmentRequest, { name: "staging", ...settings }).join("\n")).toContain(message);
  });
});

describe("a secret's value", () => {
  const accepts = (value: unknown, more = {}) => SetSecretRequest.safeParse({ value, ...more }).success;

  it("has 8 characters to 64 KiB, counted in bytes", () => {
    expect(accepts("s3cr3t/")).toBe(false);
    expect(accepts("s3cr3t/!")).toBe(true);
    expect(accepts("ab".repeat(32 * 1024))).toBe(true);
    expect(accepts(`${"ab".repeat(32 * 1024)}c`)).toBe(false);
    expect(accepts("äb".repeat(21_845))).toBe(true);
    expect(accepts(`${"äb".repeat(21_845)}äb`)).toBe(false);
  });

  it.each([
    "password",
    "Password1",
    "changeme",
    "application/json",
    " undefined ",
    "xxxxxxxx",
    "12345678",
    "87654321",
    "abcdefghij",
    "        ",
  ])("is not %j, which would be masked where it is no secret", (value) => {
    expect(accepts(value)).toBe(false);
  });

  it("is any other text, also of several lines", () => {
    for (const value of [
      "aB3-aB3-",
      "-----BEGIN KEY-----\nx\n-----END KEY-----\n",
      "pässwörter",
      "13579135",
    ]) {
      expect(accepts(value)).toBe(true);
    }
    expect(accepts("nul\0inside")).toBe(false);
    expect(accepts(12_345_678)).toBe(false);
  });

  it("is never part of a message", () => {
    for (const value of ["short7!", "Qz9".repeat(30_000), "lone\ud800surrogate-Qz9"]) {
      expect(faultsOf(SetSecretRequest as never, { value, [`x`]: value }).join()).not.toContain(
        value.slice(0, 7),
      );
    }
  });

  it("has at least one host where hosts are given", () => {
    expect(accepts("aB3-aB3-", { hosts: [] })).toBe(false);
    expect(accepts("aB3-aB3-", { hosts: ["*.example.com"] })).toBe(true);
    expect(accepts("aB3-aB3-", { host: "a.example" })).toBe(false);
  });
});
