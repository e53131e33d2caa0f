import { assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesPattern, unmetClaims } from "./match-conditions.ts";

describe("a pattern", () => {
  it.each([
    ["acme/payments", "acme/payments", true],
    ["acme/payments", "acme/*", true],
    ["acme/", "acme/*", true],
    ["acme-evil/payments", "acme/*", false],
    ["Acme/payments", "acme/*", false],
    ["refs/heads/main\n", "refs/heads/main", false],
    ["a/b/c", "a*c", true],
    ["ac", "a*c*", true],
    ["aXbYc", "a*b*c", true],
    ["abc", "a*bc*c", false],
    ["aba", "ab*ba", false],
    ["x.y", "x?y", false],
    ["", "*", true],
  ])("of %j by %j is %s", (value, pattern, isMatch) => {
    expect(matchesPattern(value, pattern)).toBe(isMatch);
  });

  it("matches as a regular expression with .* for each star does", () => {
    const text = string({ unit: constantFrom("a", "b", "/"), maxLength: 12 });
    const pattern = string({ unit: constantFrom("a", "b", "/", "*"), maxLength: 8 });
    assert(
      property(text, pattern, (value, glob) => {
        const regex = new RegExp(`^${glob.replaceAll("*", "[^]*")}$`);
        expect(matchesPattern(value, glob)).toBe(regex.test(value));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("conditions", () => {
  const claims = {
    repository: "acme/payments",
    runner_id: 12,
    protected: true,
    groups: ["a", "b"],
    "kubernetes.io": { namespace: "ci", "a/b": "c" },
    nested: { repository: "acme/other" },
  };

  it.each([
    [{ repository: "acme/*" }, []],
    [{ repository: ["x", "acme/payments"] }, []],
    [{ runner_id: "12", protected: "true", groups: "b" }, []],
    [{ "/kubernetes.io/namespace": "ci", "/kubernetes.io/a~1b": "c" }, []],
    [{ "kubernetes.io": "*ci*" }, ["kubernetes.io"]],
    [{ repository: "acme", ref: "*" }, ["repository", "ref"]],
    [
      { constructor: "*", "/repository/length": "*", "/__proto__": "*" },
      ["constructor", "/repository/length", "/__proto__"],
    ],
  ])("%j are unmet for %j", (conditions, unmet) => {
    expect(unmetClaims(conditions, claims)).toEqual(unmet);
  });
});
