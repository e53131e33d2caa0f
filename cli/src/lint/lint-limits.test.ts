import { expect, test } from "vitest";
import { startFakeApi } from "../test-support/fake-api.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

/** A pattern that tries all ways to split a text of many a's and another character. */
const ENDLESS = "^(a+)+$";
const LONG = `${"a".repeat(60)}!`;

function description(schema: unknown, extra: Record<string, unknown> = {}): string {
  const parameter = { name: "q", in: "query", schema, example: LONG };
  const get = { operationId: "a", summary: "s", parameters: [parameter], responses: {} };
  return JSON.stringify(
    { openapi: "3.1.0", info: { title: "T", version: "1" }, paths: { "/a": { get } }, ...extra },
    null,
    1,
  );
}

async function lint(files: Record<string, string>, args: readonly string[] = []) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  const server = await startFakeApi();
  const options = ["--api-key", "k", "--api-url", server.url, "--lint", "--lint-timeout", "1"];
  const result = await runCaptured(
    ["scan", "--service", "s", "--spec", "openapi.json", ...options, ...args],
    {
      cwd: folder.path,
    },
  );
  const body = server.requests.find(({ url }) => url === "/api/scans/ingest")?.body;
  return { ...result, sent: body === undefined ? undefined : JSON.parse(body) };
}

test.each([
  [
    "a pattern of a schema",
    { "openapi.json": description({ type: "string", pattern: ENDLESS }) },
    [],
    "openapi.json:18",
  ],
  [
    "a pattern of names in another file",
    {
      "openapi.json": description({ $ref: "parts.yaml#/long" }),
      "parts.yaml": `long:\n  type: string\n  allOf:\n    - pattern: '${ENDLESS}'\n`,
    },
    [],
    "parts.yaml:4",
  ],
  [
    "a pattern of a rule",
    {
      "openapi.json": description({ type: "string" }, { info: { title: LONG, version: "1" } }),
      "rules.yaml": `rules:\n  rule/title:\n    subject: { type: Info, property: title }\n    assertions:\n      pattern: /${ENDLESS}/\n`,
    },
    ["--rules", "rules.yaml"],
    "rules.yaml:5",
  ],
])("%s that takes forever ends the command with 2, and its place is named", async (_, files, args, place) => {
  const result = await lint(files, args);
  expect(result).toMatchObject({ exitCode: 2, stdout: "", sent: undefined });
  expect(result.stderr).toContain(
    `the pattern ${ENDLESS} (${place}) takes more than 0.5 s on one text, in the rule `,
  );
});

test("a rule that takes forever ends the command with 2, and is named", async () => {
  const plugin =
    "const endless = () => ({ Root() { for (;;); } });\n" +
    "export default () => ({ id: 'p', rules: { oas3: { endless } } });\n";
  const rules = "plugins: [./plugin.mjs]\nrules: { p/endless: error }\n";
  const files = {
    "openapi.json": description({ type: "string" }),
    "plugin.mjs": plugin,
    "rules.yaml": rules,
  };
  const result = await lint(files, ["--rules", "rules.yaml", "--allow-plugins"]);
  expect(result).toMatchObject({ exitCode: 2, sent: undefined });
  expect(result.stderr).toContain("takes more than 1 s of processor time, at last in the rule p/endless.");
  expect(result.stderr).toContain("--lint-timeout");
});

test("a rule that fails is a finding and a note, and the others' findings are sent", async () => {
  const plugin =
    "const fails = () => ({ Operation: { Parameter() { throw new Error('no such thing'); } } });\n" +
    "export default () => ({ id: 'p', rules: { oas3: { fails } } });\n";
  const rules =
    "plugins: [./plugin.mjs]\nrules: { p/fails: error, tags-alphabetical: warn, info-license: warn }\n";
  const files = {
    "openapi.json": description({ type: "string" }),
    "plugin.mjs": plugin,
    "rules.yaml": rules,
  };
  const args = ["--rules", "rules.yaml", "--allow-plugins", "--lint-timeout", "60"];
  const message = "The rule p/fails failed, so its findings are missing: no such thing";
  const result = await lint(files, args);
  expect(result).toMatchObject({ exitCode: 0, stderr: `Note: ${message}\n` });
  expect(result.sent.findings).toEqual([
    { code: "lint-failed", severity: "high", message, method: "GET", path: "/a" },
    expect.objectContaining({ code: "info-license" }),
  ]);
  const gated = await lint(files, [...args, "--fail-on", "critical"]);
  expect(gated).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`Gate --fail-on critical failed`),
  });
});

test.each([
  ["a reference to itself", { components: { schemas: { A: { $ref: "#/components/schemas/A" } } } }],
  [
    "references in a circle",
    {
      components: {
        schemas: { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } },
      },
    },
  ],
])("%s fails the linting, and the scan is sent", async (_, extra) => {
  const result = await lint({ "openapi.json": description({ type: "string" }, extra) }, [
    "--lint-timeout",
    "60",
  ]);
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.sent.endpoints).toHaveLength(1);
  expect(result.sent.findings).toContainEqual(
    expect.objectContaining({ code: "lint-failed", severity: "high" }),
  );
  expect(result.stderr).toMatch(/^Note: The description could not be linted: /m);
});

test("a description that is nested too deeply for the rule engine is a finding, and the scan is sent", async () => {
  const depth = 5000;
  const schema = `${'{"properties":{"a":'.repeat(depth)}{}${"}}".repeat(depth)}`;
  const text = description({ type: "string" }, { components: { schemas: { A: "deep" } } });
  const result = await lint({ "openapi.json": text.replace('"deep"', schema) }, ["--lint-timeout", "60"]);
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.sent.endpoints).toHaveLength(1);
  expect(result.sent.findings).toEqual([expect.objectContaining({ code: "lint-failed", severity: "high" })]);
  expect(result.stderr).toMatch(
    /^Note: The description could not be linted: Maximum call stack size exceeded/,
  );
});

test.each([
  "openapi: 3.1",
  "openapi: 3.0",
  "openapi: '3.1'",
  "openapi: 3.2",
  "swagger: 2.0",
  "swagger: 2",
  "swagger: '2'",
])("%s is linted as the version that it means", async (version) => {
  const text = `${version}\ninfo: { title: T, version: 1.0 }\npaths: { /a: { get: { responses: { 200: { description: d } } } } }\n`;
  const result = await lint({ "openapi.json": text }, ["--lint-timeout", "60"]);
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  const codes = result.sent.findings.map(({ code }: { code: string }) => code);
  expect(codes).toContain("operation-summary");
  expect(codes).not.toContain("lint-failed");
});
