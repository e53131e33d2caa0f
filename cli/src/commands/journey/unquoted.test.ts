import { expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const arazzo = (operationId: string) => `arazzo: 1.1.0
info: { title: T, version: 1.0.0 }
sourceDescriptions: [{ name: api, url: ./openapi.yaml, type: openapi }]
workflows: [{ workflowId: main, steps: [{ stepId: call, operationId: "${operationId}" }] }]
`;

test.each(["swagger: 2.0", "swagger: 2", "openapi: 3.0", "openapi: 3.1", "%YAML 1.1\n---\nopenapi: 3.2"])(
  "a journey names operations of a description whose version and ids are not quoted: %s",
  async (version) => {
    const folder = await temporaryFolder();
    const operation = "{ operationId: 007, responses: { 200: { description: d } } }";
    await folder.write("part.yaml", `get: ${operation.replace("007", "1.10")}\n`);
    await folder.write(
      "openapi.yaml",
      `${version}\ninfo: { title: T, version: 1.0 }\npaths:\n  /a: { get: ${operation} }\n  /b: { $ref: part.yaml }\n`,
    );
    for (const id of ["007", "1.10"]) {
      await folder.write("a.arazzo.yaml", arazzo(id));
      const result = await runCaptured(["journey", "lint", "a.arazzo.yaml"], { cwd: folder.path });
      expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    }
    await folder.write("a.arazzo.yaml", arazzo("7"));
    const { exitCode } = await runCaptured(["journey", "lint", "a.arazzo.yaml"], { cwd: folder.path });
    expect(exitCode).toBe(2);
  },
);

test("a journey warns of keys that occur twice in a description, with their lines, once for two sources", async () => {
  const folder = await temporaryFolder();
  await folder.write("part.json", '{"get":\n{"operationId":"b",\n"operationId":"c"}}');
  const text =
    "openapi: 3.1.0\npaths:\n  /a: { get: { operationId: a } }\n  /b: { $ref: part.json }\n  /a: { get: { operationId: d } }\n";
  await folder.write("openapi.yaml", text);
  const two = arazzo("x").replace(
    "[{ name: api",
    "[{ name: other, url: ./openapi.yaml, type: openapi }, { name: api",
  );
  await folder.write("a.arazzo.yaml", two.replace('"x"', '"$sourceDescriptions.api.c"'));
  const args = ["journey", "lint", "a.arazzo.yaml", "--json"];
  const { stdout } = await runCaptured(args, { cwd: folder.path });
  const problems: { code: string; file: string; message: string }[] = JSON.parse(stdout);
  const found = problems.filter(({ code }) => code === "duplicate-key");
  expect(found.map(({ file, message }) => [file, message.replace(/^.*: lines/, "lines")])).toEqual([
    ["openapi.yaml", "lines 3, 5. Keep one."],
    ["part.json", "lines 2, 3. Keep one."],
  ]);
});
