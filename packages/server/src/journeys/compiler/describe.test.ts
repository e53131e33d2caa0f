import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { readTextChunk } from "../../lib/text-chunks.ts";
import { createCompiler } from "./compiler.ts";
import { DocumentLimit } from "./compiler-child.ts";

const compiler = createCompiler();
afterAll(() => compiler[Symbol.dispose]());

const BYTES_MAX = 1_000_000;

async function describeText(text: string | Buffer, bytesMax = BYTES_MAX) {
  const document = { path: "description", bytesMax, operationsMax: 5 };
  const read = async () => Buffer.from(text);
  const [result] = await compiler.run("describe", { organizationId: "a", documents: [document], read });
  if (result === undefined || result instanceof DocumentLimit) throw new Error("it took too much");
  return result;
}

async function sound(text: string, bytesMax?: number) {
  const result = await describeText(text, bytesMax);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  const chunks = new Map(result.content.map((chunk) => [chunk.id, readTextChunk(chunk.bytes)]));
  const joined = (ids: readonly string[]) => Buffer.concat(ids.map((id) => chunks.get(id) ?? Buffer.of()));
  return { ...result, text: joined(result.chunks), canonicalText: joined(result.canonical.chunks) };
}

const YAML = `# A comment.
openapi: 3.1.0
info: { title: Pets, version: 1.0 }
paths:
  /pets: { post: { responses: {} }, get: {} }
`;
const CANONICAL =
  '{"info":{"title":"Pets","version":1},"openapi":"3.1.0","paths":{"/pets":{"get":{},"post":{"responses":{}}}}}';
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const PRIVATE_KEY = ["-----BEGIN RSA ", "PRIVATE KEY-----"].join("");

describe("the description behind a scan", () => {
  it("is stored byte for byte, and as canonical JSON, with its operations", async () => {
    const result = await sound(YAML);
    expect(String(result.text)).toBe(YAML);
    expect(String(result.canonicalText)).toBe(CANONICAL);
    expect(result).toMatchObject({
      hash: sha256(YAML),
      size: YAML.length,
      format: "yaml",
      canonical: { hash: sha256(CANONICAL), size: CANONICAL.length },
    });
    expect(result.operations).toEqual([
      { method: "GET", path: "/pets" },
      { method: "POST", path: "/pets" },
    ]);
  });

  it("arrives whole in the process if it has more bytes than a message", async () => {
    const text =
      YAML + Array.from({ length: 30_000 }, (_, n) => `# Comment ${n} ${"ä".repeat(30)}\n`).join("");
    expect(text.length).toBeGreaterThan(1_000_000);
    expect((await sound(text, 4_000_000)).hash).toBe(sha256(text));
  });

  it("may show a private key in an example", async () => {
    const text = `${YAML}components: { examples: { app: { value: { pem: "${PRIVATE_KEY}" } } } }\n`;
    expect(String((await sound(text)).text)).toBe(text);
  });

  it("is stored once if its text is canonical", async () => {
    const result = await sound(CANONICAL);
    expect(result.chunks).toEqual(result.canonical.chunks);
    expect(result.format).toBe("json");
  });

  it.each([
    ["JSON after a byte order mark", `\uFEFF${CANONICAL}`, "json"],
    ["YAML that starts like JSON", "{openapi: 3.1.0, paths: {}}\n", "yaml"],
    ["JSON with a comment", '{"openapi": "3.1.0", # JSON has none\n"paths": {}}', "yaml"],
  ])("has the format of its text: %s", async (_, text, format) => {
    const result = await sound(text);
    expect(String(result.text)).toBe(text);
    expect(result.format).toBe(format);
  });
});

const nested = (depth: number) => `openapi: 3.0.0\nx: ${"[".repeat(depth)}${"]".repeat(depth)}\n`;
const laughs = ["b", "c", "d", "e", "f", "g", "h"]
  .map((name, n) => `${name}: &${name} [${`*${String.fromCodePoint(97 + n)},`.repeat(9)}]`)
  .join("\n");

describe("a hostile text is refused with the place of the fault", () => {
  it.each([
    ["nothing", "", "", "is empty"],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "", "must be a text in UTF-8"],
    ["no description", "a: 1\n", "", "must be a description of OpenAPI 3 or Swagger 2.0"],
    ["a list", "[]", "", "must be a description"],
    ["cut JSON", '{"openapi": "3.0.0",\n "paths": {', "", "description:2:"],
    ["wrong YAML", "openapi: 3.0.0\npaths: {\n", "", "description:3:1"],
    ["two documents", "openapi: 3.0.0\n---\nopenapi: 3.0.0\n", "", "several YAML documents"],
    ["a deep list", nested(2_000), "", "nested too deeply"],
    [
      "deep JSON",
      `{"openapi":"3.0.0","x":${"[".repeat(9_000)}${"]".repeat(9_000)}}`,
      `/x${"/0".repeat(149)}`,
      "nests deeper than 500",
    ],
    ["a cycle", "openapi: 3.0.0\nx: &x [*x]\n", "", "description:2 has the alias *x inside its own anchor"],
    ["a billion laughs", `openapi: 3.0.0\na: &a [x,x,x,x,x,x,x,x,x]\n${laughs}\n`, "", "aliases that expand"],
    [
      "an expanded text",
      `openapi: 3.0.0\na: &a ${"x".repeat(9_000)}\nb: [${"*a,".repeat(900)}]\n`,
      "/b",
      "makes a text of more than 1000000 characters",
    ],
    [
      "a key twice",
      '{"openapi":"3.0.0",\n"paths":{},\n"paths":{}}',
      "/paths",
      "occurs more than once, in the lines 2, 3",
    ],
    [
      "a key twice in YAML",
      "openapi: 3.0.0\npaths:\n  /a: {}\n  /a: {}\n",
      "/paths/~1a",
      "occurs more than once, in the lines 3, 4",
    ],
    [
      "too many operations",
      JSON.stringify({
        openapi: "3.0.0",
        paths: { "/": { get: {}, put: {}, post: {}, head: {}, patch: {}, trace: {} } },
      }),
      "/paths",
      "has more than 5 operations",
    ],
    [
      "a path that is no object",
      "openapi: 3.0.0\npaths:\n  /a: 1\n",
      "/paths/~1a",
      "must be an object (line 3)",
    ],
    [
      "a server with a password",
      "openapi: 3.0.0\npaths: {}\nservers:\n  - url: https://u:p@example.com\n",
      "/servers/0/url",
      "is an address with a user, a password or a token (line 4)",
    ],
    [
      "a key in a comment",
      `openapi: 3.0.0\n# wmk_${"a".repeat(12)}_${"b".repeat(39)}\n`,
      "",
      "has an API key or a token of Waymark",
    ],
    [
      "a private key in a comment beside an example of one",
      `openapi: 3.0.0\npaths: {}\nx-example: "${PRIVATE_KEY}"\n# ${PRIVATE_KEY}\n`,
      "",
      "has a private key outside of its examples",
    ],
    ["no number of JSON", "openapi: 3.0.0\nx: .nan\n", "/x", "is NaN, which JSON does not have (line 2)"],
  ])("%s", async (_, text, path, message) => {
    expect(await describeText(text)).toEqual({
      ok: false,
      faults: expect.arrayContaining([
        { path: expect.stringContaining(path), message: expect.stringContaining(message) },
      ]),
    });
  });
});
