import { readFile } from "node:fs/promises";
import path from "node:path";
import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { PUBLISHED_DESCRIPTIONS } from "@waymark/test-support/documents.ts";
import { describe, expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

async function minify(files: Record<string, string>, args: string[] = []) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  const [first = ""] = Object.keys(files);
  return { ...(await runCaptured(["minify", first, ...args], { cwd: folder.path })), folder };
}

describe("waymark minify", () => {
  test.each(PUBLISHED_DESCRIPTIONS)(
    "%s: is smaller, has no examples, and changes nothing for clients",
    async (file) => {
      const text = await readFile(file, "utf8");
      const { exitCode, stdout } = await runCaptured(["minify", file]);
      expect(exitCode).toBe(0);
      expect(stdout.length).toBeLessThan(text.length);
      const [base, head] = await Promise.all([
        loadDescription({ text, name: "base" }),
        loadDescription({ text: stdout, name: "head" }),
      ]);
      const { verdicts, notCompared } = compareContracts(base, head, { today: "2026-01-01" });
      expect({ verdicts, notCompared }).toEqual({ verdicts: [], notCompared: [] });
    },
  );

  test("drops examples, and nothing that only has their name", async () => {
    const schema = {
      type: "object",
      example: { id: 1 },
      examples: [1],
      properties: {
        example: { type: "string", example: "x" },
        examples: { type: "array", default: { example: 1 } },
      },
      required: ["example"],
      enum: [{ example: 1 }],
      "x-kept": { example: 1 },
    };
    const media = {
      schema: { $ref: "#/components/schemas/A" },
      examples: { a: { $ref: "#/components/examples/E" } },
    };
    const responses = {
      200: { description: "d", content: { example: media }, headers: { example: { example: 1 } } },
    };
    const { stdout } = await minify({
      "api.json": JSON.stringify({
        openapi: "3.1.0",
        info: { title: "T", version: "1" },
        paths: {
          "/a": { get: { responses, parameters: [{ name: "p", in: "query", example: 1, schema: {} }] } },
        },
        components: {
          schemas: { A: schema, example: {} },
          parameters: { example: { example: 1 } },
          examples: { E: {} },
        },
      }),
    });
    expect(JSON.parse(stdout)).toEqual({
      openapi: "3.1.0",
      info: { title: "T", version: "1" },
      paths: {
        "/a": {
          get: {
            responses: {
              200: {
                description: "d",
                content: { example: { schema: { $ref: "#/components/schemas/A" } } },
                headers: { example: {} },
              },
            },
            parameters: [{ name: "p", in: "query", schema: {} }],
          },
        },
      },
      components: {
        schemas: {
          A: {
            type: "object",
            properties: { example: { type: "string" }, examples: { type: "array", default: { example: 1 } } },
            required: ["example"],
            enum: [{ example: 1 }],
            "x-kept": { example: 1 },
          },
          example: {},
        },
        parameters: { example: {} },
      },
    });
  });

  test("keeps names that YAML reads as numbers as they are written, in each file", async () => {
    const { exitCode, stdout } = await minify({
      "api.yaml":
        "openapi: 3.0\ninfo: { title: 1e3, version: 1.0 }\npaths: { /a: { $ref: a.yaml }, /b: { get: { operationId: 007, responses: {} } } }\n",
      "a.yaml": "get: { operationId: 1.50, responses: {} }\n",
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      openapi: "3.0",
      info: { title: "1e3", version: "1.0" },
      paths: { "/b": { get: { operationId: "007" } } },
      "x-bundled": { a: { get: { operationId: "1.50" } } },
    });
  });

  test("writes the selected operations with what they use", async () => {
    const schema = (name: string) =>
      `{ content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } }`;
    const text = `openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /a: { get: { tags: [x], responses: { "200": ${schema("A")} } } }
  /b: { get: { tags: [y], responses: { "200": ${schema("B")} } } }
components: { schemas: { A: { type: string }, B: { type: string } } }
`;
    for (const args of [
      ["--include-path", "/a"],
      ["--exclude-path", "/b"],
      ["--tag", "x"],
    ]) {
      const { stdout, stderr } = await minify({ "api.yaml": text }, args);
      expect(JSON.parse(stdout)).toMatchObject({ paths: { "/a": {} }, components: { schemas: { A: {} } } });
      expect(stdout).not.toContain("B");
      expect(stderr).toMatch(/^Note: \d+ bytes became \d+, with 1 operation\.\n$/);
    }
    expect(await minify({ "api.yaml": text }, ["--tag", "z"])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("makes a file that a scan refuses into one that it takes", async () => {
    const paths = {
      "/a": { get: { responses: { 200: { description: "d", example: "x".repeat(11_000_000) } } } },
    };
    const text = JSON.stringify(
      { openapi: "3.1.0", info: { title: "T", version: "1" }, paths },
      undefined,
      2,
    );
    const { exitCode, folder } = await minify({ "api.json": text }, ["--out", "small.json"]);
    expect(exitCode).toBe(0);
    const scan = (spec: string) =>
      runCaptured(["scan", "--dry-run", "--service", "s", "--spec", spec], { cwd: folder.path });
    expect(await scan("api.json")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("waymark minify"),
    });
    expect(await scan("small.json")).toMatchObject({ exitCode: 0 });
  });

  test("says what a scan still refuses", async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 2_001 }, (_, n) => [`/p${n}`, { get: { responses: {} } }]),
    );
    const { exitCode, stderr } = await minify({
      "api.json": JSON.stringify({ openapi: "3.1.0", info: {}, paths }),
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("a scan can't have more than 2000 operations: select parts with --include-path");
  });

  test("replaces no file without --force, least of all the description itself", async () => {
    const files = { "api.yaml": "openapi: 3.1.0\ninfo: {}\npaths: {}\n" };
    const refused = await minify(files, ["--out", "api.yaml"]);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--force replaces it") });
    expect(await readFile(path.join(refused.folder.path, "api.yaml"), "utf8")).toBe(files["api.yaml"]);
    expect(await minify(files, ["--out", "api.yaml", "--force"])).toMatchObject({ exitCode: 0 });
  });

  test.each([
    [
      "nests too deeply",
      `{"openapi":"3.1.0","paths":{},"x":${"[".repeat(6_000)}${"]".repeat(6_000)}}`,
      "The description can't be written: it has more than 500 objects and lists inside each other.",
    ],
    ["is none", "{}", "is not an OpenAPI description"],
  ])("writes nothing for a description that %s", async (_, text, message) => {
    const { exitCode, stdout, stderr } = await minify({ "api.json": text });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("reads standard input", async () => {
    const options = { stdin: '{"openapi":"3.1.0","info":{},"paths":{}}' };
    expect(await runCaptured(["minify", "-"], options)).toMatchObject({ exitCode: 0 });
  });
});
