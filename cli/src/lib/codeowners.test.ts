import { expect, test } from "vitest";
import { codeOwnersOf } from "./codeowners.ts";

const GITHUB = `
# A comment
*                    @acme/everybody
*.yaml               @acme/api   # a comment behind a rule
/build/logs/         @doctocat
docs/*               docs@example.com
apps/                @octocat
/scripts/**/api.yaml @acme/a @acme/b
**/logs              @logs
/apps/none/
/my\\ folder/         @acme/space
`;

test.each([
  ["README.md", ["@acme/everybody"]],
  ["services/openapi.yaml", ["@acme/api"]],
  ["build/logs/x/y.txt", ["@logs"]],
  ["docs/getting-started.md", ["docs@example.com"]],
  ["docs/build-app/troubleshooting.md", ["@acme/everybody"]],
  ["web/apps/deep/openapi.yaml", ["@octocat"]],
  ["scripts/api.yaml", ["@acme/a", "@acme/b"]],
  ["scripts/one/two/api.yaml", ["@acme/a", "@acme/b"]],
  ["deeply/nested/logs/x", ["@logs"]],
  ["apps/none/openapi.yaml", []],
  ["my folder/openapi.yaml", ["@acme/space"]],
  ["apps", ["@acme/everybody"]],
])("the last rule that matches %s decides", (path, owners) => {
  expect(codeOwnersOf(GITHUB, path)).toEqual(owners);
});

test("each section of GitLab has its owners, and gives those of its head to rules without any", () => {
  const text = `
[Payments] @acme/payments
services/payments/
services/payments/docs @acme/docs
^[Security][2] @acme/security
openapi.yaml
[PAYMENTS]
services/payments/openapi.yaml @acme/late
`;
  expect(codeOwnersOf(text, "services/payments/openapi.yaml")).toEqual(["@acme/late", "@acme/security"]);
  expect(codeOwnersOf(text, "services/payments/docs/a.md")).toEqual(["@acme/docs"]);
  expect(codeOwnersOf(text, "services/payments/x")).toEqual(["@acme/payments"]);
});

test("a hostile pattern takes a number of steps that the lengths of pattern and path limit", () => {
  const path = `${"a/".repeat(500)}${"a".repeat(2_000)}`;
  expect(codeOwnersOf(`/${"**/".repeat(300)}b @x\n`, path)).toEqual([]);
  expect(codeOwnersOf(`${"*a".repeat(500)}b @x\n`, path)).toEqual([]);
  expect(codeOwnersOf(`${"x @y\n".repeat(30_000)}* @z`, "y")).toEqual([]);
});

test.each(["", "\n\n", "#", "[", "[]", "^[x", "@acme/team", "/", "//", "**", "!x @y"])(
  "%j is no reason to fail",
  (text) => {
    expect(codeOwnersOf(text, "a/b.yaml")).toEqual([]);
  },
);
