import path from "node:path";
import { scaled } from "@waymark/test-support/scale.ts";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder } from "../test-support/run-captured.ts";
import { readSpec } from "./read-spec.ts";

const head = { openapi: "3.1.0", info: { title: "T", version: "1" } };

function readText(text: string | Buffer) {
  return readSpec({ path: "-", openStdin: () => toStream(text) });
}

async function* toStream(text: string | Buffer) {
  yield Buffer.from(text);
}

async function endpointsOf(text: string | Buffer) {
  const { endpoints } = await readText(text);
  return endpoints.map(({ method, path: template }) => `${method} ${template}`);
}

describe("the text of a spec", () => {
  const spec = { ...head, paths: { "/a": { get: {}, put: {} } } };
  const json = JSON.stringify(spec, null, 2);
  test.each([
    ["JSON", json],
    ["JSON with a byte order mark", `\uFEFF${json}`],
    ["YAML", stringify(spec)],
    ["YAML with a byte order mark and CRLF", `\uFEFF${stringify(spec).replaceAll("\n", "\r\n")}`],
    ["JSON with CRLF and tabs", JSON.stringify(spec, null, "\t").replaceAll("\n", "\r\n")],
    ["a flow mapping with comments", `# a comment\n${json.replace("{", "{ # another\n")}`],
    ["UTF-16 with a byte order mark", Buffer.from(`\uFEFF${json}`, "utf16le")],
  ])("is read as %s", async (_, text) => {
    expect(await endpointsOf(text)).toEqual(["GET /a", "PUT /a"]);
  });

  test("may repeat a key: the last one counts, in JSON as in YAML", async () => {
    const twice = '{"openapi":"3.1.0","paths":{"/a":{"get":{}},"/a":{"put":{},"put":{"summary":"second"}}}}';
    for (const text of [twice, `# YAML\n${twice}`]) {
      const { endpoints } = await readText(text);
      expect(endpoints).toEqual([
        { method: "PUT", path: "/a", operationId: null, tags: [], summary: "second" },
      ]);
    }
  });

  test("keeps an unquoted YAML version as it is written", async () => {
    const { spec: read } = await readText("openapi: 3.0\ninfo: { version: 1.10, title: 7 }\npaths: {}\n");
    expect(read).toMatchObject({ version: "1.10", title: "7" });
  });

  test.each([
    ["plain", ""],
    ["with an anchor", "x: &x 1\n"],
  ])("keeps the last version as it is written where there are two: %s", async (_, before) => {
    const { spec: read } = await readText(
      `${before}openapi: 3.0.0\ninfo: { version: 1.0, version: 2.0 }\npaths: {}\n`,
    );
    expect(read).toMatchObject({ version: "2.0" });
  });

  test("may use anchors and merge keys, an anchor also hundreds of times", async () => {
    const paths = Array.from({ length: 300 }, (_, i) => `  /p${i}: { get: *op }\n`).join("");
    const merged = "  /merged:\n    <<: *item\n    put: { <<: *op }\n";
    const text = `openapi: 3.1.0\nx-op: &op { summary: s }\nx-item: &item { post: *op }\npaths:\n${paths}${merged}`;
    const endpoints = await endpointsOf(text);
    expect(endpoints).toHaveLength(302);
    expect(endpoints.slice(-2).toSorted()).toEqual(["POST /merged", "PUT /merged"]);
  });
});

describe("a text that is refused", () => {
  const laughs = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i}, `.repeat(9)}]`).join(
    "\n",
  );
  test.each([
    ["empty", "", "is empty"],
    ["white space", " \n\t\n", "is empty"],
    ["a comment alone", "# nothing\n", "top level must be an object and is nothing"],
    ["plain text", "hello", "top level must be an object and is text"],
    ["a list", "[1, 2]", "top level must be an object and is a list"],
    ["another JSON file", '{"name":"x"}', 'no "openapi" or "swagger" field'],
    ["AsyncAPI", "asyncapi: 3.0.0", "it is an AsyncAPI document"],
    ["OpenAPI 4", "openapi: 4.0.0", "openapi: 4.0.0"],
    ["OpenAPI 3.10", "openapi: '3.10'", "openapi: 3.10"],
    ["Swagger 1.2", "swagger: '1.2'", "swagger: 1.2"],
    ["no UTF-8", Buffer.from([0x6f, 0xff, 0xfe, 0x80]), "is not a text file in UTF-8"],
    [
      "broken JSON",
      '{\n  "openapi": "3.1.0",\n  "paths": {\n',
      "standard input:4:1 is neither JSON nor YAML",
    ],
    ["broken YAML", "openapi: 3.1.0\npaths: [", "standard input:2:9 is neither JSON nor YAML"],
    ["two documents", "openapi: 3.1.0\n---\nopenapi: 3.1.0\n", "several YAML documents"],
    [
      "a cyclic alias",
      "openapi: 3.1.0\nx: &a\n  y: *a\n",
      "standard input:3 has the alias *a inside its own anchor",
    ],
    ["an unknown alias", "openapi: 3.1.0\nx: *nope\n", "*nope"],
    ["billion laughs", `openapi: 3.1.0\nl0: &l0 [a, b, c]\n${laughs}`, "aliases that expand to more than"],
    [
      "countless aliases",
      `openapi: 3.1.0\na: &a 1\nx:\n${"- *a\n".repeat(10_001)}`,
      "more than 10000 YAML anchors",
    ],
    ["deep nesting", `openapi: 3.1.0\nx: ${"[".repeat(50_000)}`, "nested too deeply"],
    ["ten million brackets", "[".repeat(10_000_000), "nested too deeply"],
    // The limit itself: packages/openapi/src/parse/parse-yaml.test.ts.
    ...scaled<[string, string, string][]>({
      short: [],
      long: [["millions of items", `[${"1,".repeat(2_100_000)}`, "YAML tokens"]],
    }),
    ["no paths", "openapi: 3.0.0\ninfo: {}\n", 'no "paths"'],
    [
      "an operation that is none",
      "openapi: 3.1.0\npaths:\n  /a:\n    get: text",
      'standard input:4: paths["/a"].get must be an object and is text',
    ],
    [
      "a path that is none",
      "openapi: 3.1.0\npaths: { /a: [] }",
      'paths["/a"] must be an object and is a list',
    ],
  ])("%s: says what is wrong and where", async (_, text, message) => {
    await expect(readText(text)).rejects.toMatchObject({
      name: "CliError",
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });

  test("comes with the OpenAPI schema's own explanation where there is one", async () => {
    await expect(readText('{"openapi":"3.0.0","info":{},"paths":{"/a":{"get":1}}}')).rejects.toMatchObject({
      details: expect.arrayContaining([expect.stringContaining("must have required property 'title'")]),
    });
  });
});

describe("what counts as an endpoint", () => {
  test("each of the eight methods under paths; no webhook, callback, extension, parameter or unknown key", async () => {
    const operations = Object.fromEntries(
      ["get", "put", "post", "delete", "options", "head", "patch", "trace"].map((method) => [method, {}]),
    );
    const spec = {
      ...head,
      paths: {
        "/all": { ...operations, parameters: [], summary: "s", servers: [], query: {}, GET: {}, "x-get": {} },
        "x-internal": { get: {} },
        "/callbacks": { post: { callbacks: { done: { "{$request.body#/url}": { post: {} } } } } },
      },
      webhooks: { created: { post: {} } },
      components: { pathItems: { unused: { get: {} } } },
    };
    expect(await endpointsOf(JSON.stringify(spec))).toEqual([
      ..."GET PUT POST DELETE OPTIONS HEAD PATCH TRACE".split(" ").map((method) => `${method} /all`),
      "POST /callbacks",
    ]);
  });

  test("a Swagger 2.0 path stands as in the file, without basePath", async () => {
    expect(await endpointsOf("swagger: 2.0\nbasePath: /v1\npaths: { /a: { get: {} } }")).toEqual(["GET /a"]);
  });

  test("fields of another type than OpenAPI's are left out rather than guessed", async () => {
    const { endpoints } = await readText(
      "openapi: 3.1.0\npaths: { /a: { get: { operationId: {}, tags: a, summary: [x] } } }",
    );
    expect(endpoints).toEqual([{ method: "GET", path: "/a", operationId: null, tags: [], summary: null }]);
  });

  test.each([
    [
      "YAML",
      "openapi: 3.1.0\npaths: { /a: { get: { operationId: 1.10, tags: [1.0, 2024-01-01], summary: true } } }",
    ],
    [
      "YAML with an anchor",
      "openapi: 3.1.0\npaths: { /a: &a { get: { operationId: 1.10, tags: [1.0, 2024-01-01], summary: true } } }",
    ],
    [
      "YAML 1.1",
      "%YAML 1.1\n---\nopenapi: 3.1.0\npaths: { /a: { get: { operationId: 1.10, tags: [1.0, 2024-01-01], summary: true } } }",
    ],
    [
      "JSON",
      '{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":1.10,"tags":[1.0,"2024-01-01"],"summary":true}}}}',
    ],
  ])("numbers, booleans and dates are texts as they are written, in %s", async (_, text) => {
    const { endpoints } = await readText(text);
    expect(endpoints).toEqual([
      { method: "GET", path: "/a", operationId: "1.10", tags: ["1.0", "2024-01-01"], summary: "true" },
    ]);
  });
});

describe("references", () => {
  test.each([
    "https://api.test/specs/main.yaml#/components/pathItems/shared",
    "main.yaml#/components/pathItems/shared",
    "../specs/main.yaml#/components/pathItems/shared",
  ])("to the document's own $self stay in it: %s", async ($ref) => {
    const spec = {
      openapi: "3.2.0",
      $self: "https://api.test/specs/main.yaml",
      paths: { "/a": { $ref } },
      components: { pathItems: { shared: { get: { summary: "shared" } } } },
    };
    expect(await endpointsOf(JSON.stringify(spec))).toEqual(["GET /a"]);
    const other = { ...spec, paths: { "/a": { $ref: "https://api.test/specs/other.yaml" } } };
    await expect(readText(JSON.stringify(other))).rejects.toThrow("is a remote reference");
  });

  test("back to the entry's $self from another file stay in the entry", async () => {
    const folder = await temporaryFolder();
    await folder.write("part.json", '{"get":{"$ref":"https://api.test/specs/main.yaml#/components/x-get"}}');
    const spec = {
      openapi: "3.2.0",
      $self: "https://api.test/specs/main.yaml",
      paths: { "/a": { $ref: "part.json" } },
      components: { "x-get": { summary: "shared" } },
    };
    const file = await folder.write("openapi.json", JSON.stringify(spec));
    const { endpoints } = await readSpec({ path: file, openStdin: () => toStream("") });
    expect(endpoints).toMatchObject([{ method: "GET", path: "/a", summary: "shared" }]);
  });

  test("of path items and operations are followed within the document, siblings win", async () => {
    const spec = {
      ...head,
      paths: {
        "/a": { $ref: "#/components/pathItems/shared" },
        "/b~c": { $ref: "#/paths/~1a", put: {} },
        "/d": { $ref: "#/components/pathItems/shared", get: { summary: "own" } },
        "/e": { get: { $ref: "#/x-operations/one" } },
      },
      "x-operations": { one: { summary: "referred" } },
      components: { pathItems: { shared: { get: { summary: "shared" } } } },
    };
    const { endpoints } = await readText(JSON.stringify(spec));
    expect(endpoints.map((e) => `${e.method} ${e.path} ${e.summary}`).toSorted()).toEqual([
      "GET /a shared",
      "GET /b~c shared",
      "GET /d own",
      "GET /e referred",
      "PUT /b~c null",
    ]);
  });

  test("to files are relative to the file they stand in, YAML or JSON, with spaces and file URLs", async () => {
    const folder = await temporaryFolder();
    await folder.write(
      "paths/users item.yaml",
      "get: { summary: users }\npost: { $ref: '../ops.json#/create' }\n",
    );
    await folder.write("ops.json", '{"create":{"summary":"create"}}');
    const url = new URL(`file://${path.join(folder.path, "ops.json")}#/item`).href;
    await folder.write("ops.json", '{"create":{"summary":"create"},"item":{"delete":{}}}');
    const spec = await folder.write(
      "openapi.yaml",
      stringify({
        ...head,
        paths: { "/users": { $ref: "./paths/users%20item.yaml" }, "/url": { $ref: url } },
      }),
    );
    const { endpoints } = await readSpec({ path: spec, openStdin: () => toStream("") });
    expect(endpoints.map((e) => `${e.method} ${e.path} ${e.summary}`)).toEqual([
      "GET /users users",
      "POST /users create",
      "DELETE /url null",
    ]);
  });

  test("circular ones among schemas are none of a scan's business", async () => {
    const node = { properties: { next: { $ref: "#/components/schemas/Node" } } };
    const spec = { ...head, paths: { "/a": { get: {} } }, components: { schemas: { Node: node } } };
    expect(await endpointsOf(JSON.stringify(spec))).toEqual(["GET /a"]);
  });

  test.each([
    ["https://example.com/a.yaml", "is a remote reference"],
    ["//example.com/a.yaml", "is a remote reference"],
    ["../outside.yaml", "outside the spec's folder"],
    ["/etc/hostname", "outside the spec's folder"],
    ["link/outside.yaml", "outside the spec's folder"],
    ["missing.yaml", "there is no such file"],
    ["#/nope", "leads nowhere"],
    ["#nope", "leads nowhere"],
    ["#/paths/~1a", "refers to itself"],
  ])("that can't be followed say so with their location: %s", async (reference, message) => {
    const folder = await temporaryFolder();
    await folder.write("outside.yaml", "get: {}");
    const spec = await folder.write(
      "api/openapi.json",
      JSON.stringify({ ...head, paths: { "/a": { $ref: reference } } }),
    );
    const { symlink } = await import("node:fs/promises");
    await symlink(folder.path, path.join(folder.path, "api/link"));
    await expect(readSpec({ path: spec, openStdin: () => toStream("") })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });

  test("may leave the folder when that is allowed", async () => {
    const folder = await temporaryFolder();
    await folder.write("outside.yaml", "get: {}");
    const spec = await folder.write(
      "api/openapi.json",
      JSON.stringify({ ...head, paths: { "/a": { $ref: "../outside.yaml" } } }),
    );
    const { endpoints } = await readSpec({ path: spec, openStdin: () => toStream(""), allowOutside: true });
    expect(endpoints).toHaveLength(1);
  });
});
