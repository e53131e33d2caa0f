import { expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

async function lint(
  rules: string,
  { name = "rules.yaml", more = {} }: { name?: string; more?: Record<string, string> } = {},
) {
  const folder = await temporaryFolder();
  const description = "openapi: 3.1.0\ninfo: { title: T, version: 1.0 }\npaths: {}\n";
  const files = { "openapi.yaml": description, [name]: rules, ...more };
  for (const [file, text] of Object.entries(files)) await folder.write(file, text);
  const args = ["scan", "--service", "s", "--spec", "openapi.yaml", "--lint", "--rules", name, "--dry-run"];
  return runCaptured(args, { cwd: folder.path });
}

test.each([
  ["extends: recommended", "extends must be a list of texts, such as [recommended]."],
  ["extends: ./other.yaml", "extends must be a list of texts, such as [./other.yaml]."],
  ["extends:", "extends must be a list of texts, such as [recommended]."],
  ["extends: 7", "extends must be a list of texts, such as [recommended]."],
  ["extends: { a: 1 }", "extends must be a list of texts, such as [recommended]."],
  ["extends: [7]", "extends must be a list of texts, such as [recommended]."],
  [
    "apis: { a: { root: a.yaml, extends: minimal } }",
    "extends of the api a must be a list of texts, such as [minimal].",
  ],
])("an extends that is no list of texts is refused with what to write: %s", async (rules, message) => {
  const { exitCode, stdout, stderr } = await lint(`${rules}\n`);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/^The ruleset \S+rules\.yaml is not valid: /);
  expect(stderr).toContain(message);
});

test("the refusal names the ruleset that another one extends", async () => {
  const more = { "more/base.yaml": "extends: minimal\n" };
  const { exitCode, stderr } = await lint("extends: [./more/base.yaml]\n", { more });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/base\.yaml is not valid: extends must be a list of texts, such as \[minimal\]\./);
});

test.each([
  ["extends as text", "extends: spectral:oas\n"],
  ["extends with a choice", "extends: [[spectral:oas, all]]\n"],
  ["JSON", '{"extends":["spectral:oas"],"rules":{"operation-tags":"off"}}'],
  ["rules alone", "rules:\n  no-x: { given: $.paths, then: { function: falsy } }\n"],
  ["overrides", 'overrides:\n  - files: ["*.yaml#/paths"]\n    rules: { a: off }\n'],
])("a ruleset of Spectral is named as such: %s", async (_, rules) => {
  const { exitCode, stdout, stderr } = await lint(rules);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(
    /^The ruleset \S+rules\.yaml is a ruleset of Spectral, and Waymark reads rulesets in the form of Redocly's/,
  );
});

test("a ruleset that is code is refused without running it", async () => {
  const { exitCode, stderr } = await lint("throw new Error('ran');\n", { name: ".spectral.js" });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(".spectral.js is code, and Waymark reads");
});

test.each([
  ["empty", "", "has no rule that is on"],
  ["an empty list", "extends: []\n", "has no rule that is on"],
  ["no rules", "rules: {}\n", "has no rule that is on"],
  ["all off", "rules: { info-license: off }\n", "has no rule that is on"],
  [
    "rules of an api alone",
    "apis: { a: { root: openapi.yaml, rules: { info-license: error } } }\n",
    "are not used: move them to the top",
  ],
  [
    "a rule of a plugin that is not loaded",
    "extends: [minimal]\nrules: { acme/title: error }\n",
    "rules that nothing defines, so they would find nothing:\n  acme/title",
  ],
  ["an unknown rule", "extends: [minimal]\nrules: { info-licence: error }\n", "info-licence"],
])("a ruleset that would find nothing, or not all, is refused: %s", async (_, rules, message) => {
  const { exitCode, stdout, stderr } = await lint(rules);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test("the refusal of a ruleset of Spectral has the commands that run it and submit its findings", async () => {
  const { stderr } = await lint("extends: spectral:oas\n", { name: "it's.yaml" });
  const [, command = ""] = /^ +(npx .*)$/m.exec(stderr) ?? [];
  expect(command).toContain("npx @stoplight/spectral-cli lint openapi.yaml --ruleset ");
  expect(command).toMatch(/it'\\''s\.yaml' --format json --output spectral\.json \|\| \[ \$\? -eq 1 \]$/);
  expect(stderr).toContain("waymark scan --spec openapi.yaml --findings spectral.json");
});

test("findings that the ruleset's ignore file covers are counted and said", async () => {
  const ignored = { ".redocly.lint-ignore.yaml": 'openapi.yaml:\n  info-license:\n    - "#/info"\n' };
  const { exitCode, stderr } = await lint("rules: { info-license: error }\n", { more: ignored });
  expect(exitCode).toBe(0);
  expect(stderr).toBe("Note: 1 finding of the linter is ignored by .redocly.lint-ignore.yaml.\n");
});

test.each([
  "extends: [minimal]\nrules: { rule/title: { subject: { type: Info, property: title }, assertions: { defined: true } } }\n",
])("a ruleset of the rule engine is used: %j", async (rules) => {
  expect(await lint(rules)).toMatchObject({ exitCode: 0 });
});
