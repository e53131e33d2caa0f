import { describe, expect, it } from "vitest";
import { readPerson, type Rules, wantedClaims } from "./read-person.ts";

const RULES: Rules = {
  issuer: "https://id.example",
  emailDomains: ["example.com"],
  groups: [],
  groupsClaim: "groups",
  trustsEmail: false,
  roles: [],
  teams: [],
};
const CLAIMS = { sub: "1", email: "Ada@Example.com", email_verified: true, name: "Ada" };
const read = (rules: Partial<Rules>, claims: Record<string, unknown>) =>
  readPerson({ ...RULES, ...rules }, { ...CLAIMS, ...claims });

describe("a person", () => {
  it("is read from the claims", () => {
    expect(read({}, { sid: "s", auth_time: 1_700_000_000, groups: ["a", 1, "b"] })).toEqual({
      subject: "1",
      email: "Ada@Example.com",
      displayName: "Ada",
      groups: ["a", "b"],
      providerSession: "s",
      authenticatedAt: new Date(1_700_000_000_000),
    });
  });

  it.each<[string, Partial<Rules>, Record<string, unknown>, RegExp]>([
    ["without an address", {}, { email: undefined }, /does not say your e-mail address/],
    ["with an address that is none", {}, { email: "ada" }, /not one of ASCII characters/],
    [
      "with a Cyrillic letter in the address",
      {},
      { email: "аda@example.com" },
      /not one of ASCII characters/,
    ],
    ["whose address is not verified", {}, { email_verified: false }, /has not verified/],
    ["whose address is not verified, as a text", {}, { email_verified: "false" }, /has not verified/],
    ["whose address nobody says is verified", {}, { email_verified: undefined }, /has not verified/],
    [
      "whose trusted issuer says that it is not verified",
      { trustsEmail: true },
      { email_verified: false },
      /has not verified/,
    ],
    ["of another domain", {}, { email: "ada@example.org" }, /example\.org may not sign in/],
    ["of a domain below", {}, { email: "ada@evil.example.com" }, /evil\.example\.com may not/],
    [
      "of a domain that begins alike",
      {},
      { email: "ada@example.com.evil.org" },
      /example\.com\.evil\.org may not/,
    ],
    ["with two at signs", {}, { email: '"ada@example.com"@evil.org' }, /./],
    ["in no group that may", { groups: ["staff"] }, { groups: ["Staff", "staff2"] }, /none of the groups/],
    ["without a list of groups", { groups: ["staff"] }, {}, /none of the groups/],
    ["whose groups are elsewhere", {}, { _claim_names: { groups: "src1" } }, /more groups than/],
    ["with more groups than are read", {}, { groups: Array(2_001).fill("a") }, /more groups than/],
    ["of Google without its Workspace", { issuer: "https://accounts.google.com" }, {}, /Google account/],
    [
      "of another Workspace of Google",
      { issuer: "https://accounts.google.com" },
      { hd: "example.org" },
      /Google account/,
    ],
    ["with a subject that is too long", {}, { sub: "x".repeat(256) }, /subject/],
  ])("%s is refused", (_, rules, claims, reason) => {
    expect(() => read(rules, claims)).toThrow(reason);
  });

  it.each<[string, Partial<Rules>, Record<string, unknown>]>([
    ["of Google's Workspace", { issuer: "https://accounts.google.com" }, { hd: "example.com" }],
    ["of an issuer that vouches for addresses", { trustsEmail: true }, { email_verified: undefined }],
    ["of Cognito, which sends a text", {}, { email_verified: "true" }],
    ["in one of the groups", { groups: ["staff", "admins"] }, { groups: ["admins"] }],
    ["in a group alone", { groups: ["staff"] }, { groups: "staff" }],
    [
      "in a group without a domain",
      { emailDomains: [], groups: ["staff"] },
      { groups: ["staff"], email: "a@b.org" },
    ],
    [
      "in a realm's role of Keycloak",
      { groups: ["staff"], groupsClaim: "realm_access.roles" },
      { realm_access: { roles: ["staff"] } },
    ],
  ])("%s is admitted", (_, rules, claims) => {
    expect(read(rules, claims).subject).toBe("1");
  });

  it("has the name by which Entra signs them in as address, if the issuer vouches for it", () => {
    const claims = { email: undefined, email_verified: undefined, preferred_username: "ada@example.com" };
    expect(read({ trustsEmail: true }, claims).email).toBe("ada@example.com");
    expect(() => read({}, claims)).toThrow("does not say");
  });

  it("has no time of the sign-in if the provider's is none", () => {
    expect(read({}, { auth_time: 1e15 }).authenticatedAt).toBeNull();
  });

  it.each<[Record<string, unknown>, string]>([
    [{ name: "  Ada \u202eLovelace\u200b " }, "Ada Lovelace"],
    [{ name: "x".repeat(200) }, "x".repeat(120)],
    [{ name: undefined, given_name: "Ada", family_name: "Lovelace" }, "Ada Lovelace"],
    [{ name: "\u200b" }, "Ada@Example.com"],
    [{ name: 7 }, "Ada@Example.com"],
  ])("with the claims %j is called %s", (claims, name) => {
    expect(read({}, claims).displayName).toBe(name);
  });
});

it("groups are read only where a rule needs them", () => {
  expect(wantedClaims(RULES)).toEqual(["email", "name", "email_verified"]);
  expect(wantedClaims({ ...RULES, teams: [{ group: "a", team: "t" }] })).toContain("groups");
});
