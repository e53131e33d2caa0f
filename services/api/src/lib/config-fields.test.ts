import { describe, expect, it } from "vitest";
import { ApiEnvironment } from "../config.ts";
import { perMinute, TrustProxy } from "./config-fields.ts";

describe("TRUST_PROXY", () => {
  it("accepts a number of proxies, and trusts that many hops", () => {
    const trust = TrustProxy.parse("2");
    expect(typeof trust === "function" && [0, 1, 2].map((hop) => trust("192.0.2.1", hop))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    ["10.0.0.0/8, loopback", ["10.0.0.0/8", "loopback"]],
    ["::1,fd00::/8", ["::1", "fd00::/8"]],
  ])("accepts the list %s", (text, networks) => {
    expect(TrustProxy.parse(text)).toEqual(networks);
  });

  it.each([
    "true",
    "*",
    "0",
    "-1",
    "everybody",
    "10.0.0.0/33",
    "10.0.0/8",
    "proxy.example.com",
    "1,",
    "10.0.0.1/",
  ])("refuses %s: clients must not be able to choose their address", (text) => {
    expect(TrustProxy.safeParse(text).error?.issues[0]?.message).toContain("number of proxies");
  });
});

it("a limit per minute is a positive number, or off", () => {
  expect(perMinute().parse("600")).toBe(600);
  expect(perMinute().parse("off")).toBeUndefined();
  for (const wrong of ["0", "-1", "1.5", "", "none"])
    expect(perMinute().safeParse(wrong).success).toBe(false);
});

it("off switches a limit off that has a default", () => {
  const required = { DATABASE_URL: "postgres://127.0.0.1/waymark" };
  const limits = [
    "RATE_LIMIT_KEY_PER_MINUTE",
    "RATE_LIMIT_CI_KEY_PER_MINUTE",
    "RATE_LIMIT_FAILED_AUTH_PER_MINUTE",
  ] as const;
  const defaults = ApiEnvironment.parse(required);
  expect(limits.map((name) => defaults[name])).toEqual([12_000, 120_000, 600]);
  for (const name of limits)
    expect(ApiEnvironment.parse({ ...required, [name]: "off" })[name]).toBeUndefined();
});

it("the public address is the root of a host, or a path that no page of the console has", () => {
  const parse = (url: string) =>
    ApiEnvironment.safeParse({ DATABASE_URL: "postgres://127.0.0.1/waymark", PUBLIC_BASE_URL: url });
  expect(parse("foo").error?.issues).toMatchObject([
    { path: ["PUBLIC_BASE_URL"], message: expect.stringContaining("http:// or https:// address") },
  ]);
  expect(parse("https://waymark.example.com//").data?.PUBLIC_BASE_URL).toBe("https://waymark.example.com");
  for (const path of ["/waymark", "/waymark/", "/waymark//"])
    expect(parse(`https://tools.example.com${path}`).data?.PUBLIC_BASE_URL).toBe(
      "https://tools.example.com/waymark",
    );
  for (const [path, message] of [
    ["/?a=b", "query"],
    ["/waymark#a", "fragment"],
    ["?", "query"],
    ["/api", "/api"],
    ["/a b", "parts of its path"],
  ] as const) {
    expect(parse(`https://tools.example.com${path}`).error?.issues).toMatchObject([
      { path: ["PUBLIC_BASE_URL"], message: expect.stringContaining(message) },
    ]);
  }
});
