import { expect, it } from "vitest";
import { carriesCredentials } from "./carries-credentials.ts";

it.each([
  "https://user:pw@ci.example/1",
  "https://token@ci.example/1",
  "HTTPS:\\\\user:pw@ci.example/1",
  "ssh://git:pw@git.example/a.git",
  "git+https://user:pw@git.example/a.git",
  // No client could open these, and each shows a password.
  "https://user:pw@/path",
  "https://user:pw@ci.example:99999/1",
  "https://user:pw@ci exam.ple/1",
  "https://user:p/w@ci.example/1",
  "https://user:p?w@ci.example/1",
  "//user:pw@ci.example/1",
  "oauth2:glpat-1@git.example/a/b.git",
  "x-access-token:ghs_1@git.example:a/b.git",
  "https://ci.example/1?token=t",
  "https://ci.example/1?a=b&API_TOKEN=t",
  "https://ci.example/1?%74oken=t",
  "https://ci.example/1;jwt=t",
  "https://ci.example/1?x-api-secret=t",
  "https://ci.example/1?subscription-key=t",
  "https://ci.example/#access_token=t",
  "https://ci.example/#/builds?access_token=t",
  "https://b.example/o?X-Amz-Security-Token=t",
  "//ci.example/1?token=t",
])("%s has credentials", (text) => {
  expect(carriesCredentials(text)).toBe(true);
});

it.each([
  "",
  "acme/shop",
  "git@git.example:acme/shop.git",
  "https://ci.example/builds/7?job=a&tab=token",
  "https://ci.example/@acme/shop?q=a@b.example",
  "https://ci.example/builds/user:7/log#L1",
  "https://ci.example/docs#tokens",
  "https://ci.example/tokens/1?%zz=1",
  "see a@b.example: it is there",
])("%j has none", (text) => {
  expect(carriesCredentials(text)).toBe(false);
});

// A pattern that goes back for each character takes half a minute or more for some of these.
it.each(["a:", "\\", "\\a", "https:", "//", "?a="])(
  "a long text of %j is read in one pass",
  { timeout: 10_000 },
  (unit) => {
    expect(carriesCredentials(unit.repeat(100_000))).toBe(false);
    expect(carriesCredentials(`https:${unit.repeat(100_000)}`)).toBe(false);
  },
);
