import { expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

async function lint(files: Record<string, string>) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  const options = ["--lint", "--lint-timeout", "60", "--dry-run", "--json"];
  const result = await runCaptured(["scan", "--service", "s", "--spec", "openapi.yaml", ...options], {
    cwd: folder.path,
  });
  const { payload } = JSON.parse(result.stdout);
  const codes: string[] = payload.findings.map(({ code }: { code: string }) => code);
  return { ...result, codes, findings: payload.findings };
}

const head = "openapi: 3.2.0\n$self: https://api.test/specs/main.yaml\ninfo: { title: T, version: 1.0 }\n";

test("references with escapes and to the document's own address are resolved as by the scan", async () => {
  const { codes, exitCode } = await lint({
    "openapi.yaml": `${head}paths:\n  /a: { $ref: "./some%20parts/moor%20path.yaml" }\n  /b: { $ref: "main.yaml#/components/pathItems/b" }\n  /c: { $ref: "part.yaml" }\ncomponents: { pathItems: { b: { get: { responses: { "200": { description: d } } } } }, responses: { c: { description: d } } }\n`,
    "part.yaml":
      'get: { responses: { "200": { $ref: "https://api.test/specs/main.yaml#/components/responses/c" } } }\n',
    "some parts/moor path.yaml": 'get: { responses: { "200": { description: d } } }\n',
  });
  expect(exitCode).toBe(0);
  expect(codes).toContain("operation-summary");
  expect(codes).not.toContain("no-unresolved-refs");
  expect(codes).not.toContain("lint-failed");
});

test("keys that occur twice are findings, also in files that only linting reads", async () => {
  const { findings, stderr } = await lint({
    "openapi.yaml": `${head}paths:\n  /a:\n    get: { responses: { "200": { description: d, description: e }, "400": { $ref: "parts.json#/bad" } } }\n`,
    "parts.json": '{"bad":{"description":"d",\n"description":"e"}}',
  });
  const found = findings.filter(({ code }: { code: string }) => code === "duplicate-key");
  expect(found.map(({ message }: { message: string }) => message)).toEqual([
    'paths["/a"].get.responses["200"].description occurs more than once, and only the last one counts.',
    "bad.description of parts.json occurs more than once, and only the last one counts.",
  ]);
  expect(found).toMatchObject([
    { method: "GET", path: "/a", severity: "medium" },
    { method: null, path: null },
  ]);
  expect(stderr).toContain("(openapi.yaml:6, 6)");
});

test("fields without a value end neither the scan nor the linting", async () => {
  const { exitCode, codes } = await lint({
    "openapi.yaml": `${head}tags:\nservers:\npaths:\n  /a:\n    parameters:\n    get:\n      tags:\n      parameters:\n      responses:\n    put:\n  /b:\ncomponents:\n`,
  });
  expect(exitCode).toBe(0);
  expect(codes).not.toContain("lint-failed");
});
