import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";
import { readSpec } from "./read-spec.ts";

async function* toStream(text: string) {
  yield Buffer.from(text);
}

function read(text: string) {
  return readSpec({ path: "-", openStdin: () => toStream(text) });
}

const head = { openapi: "3.1.0", info: { title: "T", version: "1" } };

function operation(value: unknown) {
  return JSON.stringify({ ...head, paths: { "/a": { get: value } } });
}

describe("what a scan can't hold is shortened, and counted", () => {
  test("a summary is cut to 300 characters with an ellipsis, which counts as one", async () => {
    const { endpoints, notes, shortened } = await read(operation({ summary: "🦉".repeat(301) }));
    expect(endpoints[0]?.summary).toBe(`${"🦉".repeat(299)}…`);
    expect(shortened.summaries).toBe(1);
    expect(notes).toEqual(["shortened to the limits of a scan: 1 summary cut to 300 characters."]);
  });

  test("the first 20 tags are kept, and an operationId that is too long is none", async () => {
    const tags = Array.from({ length: 25 }, (_, index) => `t${index}`);
    const { endpoints, notes } = await read(operation({ tags, operationId: "o".repeat(201) }));
    expect(endpoints[0]).toMatchObject({ tags: tags.slice(0, 20), operationId: null });
    expect(notes).toEqual([
      "shortened to the limits of a scan: 1 list of tags cut to the first 20, " +
        "1 operationId of more than 200 characters left out.",
    ]);
  });

  test("title and version are cut", async () => {
    const info = { title: "t".repeat(201), version: "v".repeat(81) };
    const { spec, shortened } = await read(JSON.stringify({ ...head, info, paths: {} }));
    expect(spec).toMatchObject({ title: `${"t".repeat(199)}…`, version: `${"v".repeat(79)}…` });
    expect(shortened.infoFields).toBe(2);
  });

  test("at the limits nothing is changed or said", async () => {
    const value = {
      summary: "🦉".repeat(300),
      operationId: "🦉".repeat(200),
      tags: Array.from({ length: 20 }, () => "t"),
    };
    const { endpoints, notes } = await read(operation(value));
    expect(endpoints[0]).toMatchObject(value);
    expect(notes).toEqual([]);
  });

  test("the note stands on standard error with --quiet too, and in --json", async () => {
    const args = ["scan", "--service", "s", "--spec", "-", "--dry-run"];
    const stdin = operation({ summary: "s".repeat(301) });
    const quiet = await runCaptured([...args, "--quiet"], { stdin });
    expect(quiet).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "Note: shortened to the limits of a scan: 1 summary cut to 300 characters.\n",
    });
    const json = JSON.parse((await runCaptured([...args, "--json"], { stdin })).stdout);
    expect(json.shortened).toEqual({ summaries: 1, tagLists: 0, operationIds: 0, infoFields: 0 });
    expect(json.notes).toEqual(["shortened to the limits of a scan: 1 summary cut to 300 characters."]);
  });
});

describe("what is left out is named", () => {
  const twice = '"/a":{"get":{}},"/b":{},\n"\\/a":{"put":{}}';
  test.each([
    ["JSON", `{"openapi":"3.1.0","paths":{\n${twice}}}`],
    ["plain YAML", "openapi: 3.1.0\npaths: { /b: {},\n  /a: { get: {} },\n  /a: { put: {} } }\n"],
    ["YAML", "openapi: &x 3.1.0\npaths: { /b: {},\n  /a: { get: {} },\n  /a: { put: {} } }\n"],
  ])("a duplicate path, in %s", async (format, text) => {
    const { notes, endpoints } = await read(text);
    expect(endpoints.map(({ method }) => method)).toEqual(["PUT"]);
    const lines = format === "JSON" ? "2, 3" : "3, 4";
    expect(notes).toEqual([
      `1 key occurs more than once, and only the last one counts: paths["/a"] (standard input:${lines}).`,
    ]);
  });

  test("a method that stands twice, paths that stand twice, and a key in a file that is referred to", async () => {
    const folder = await temporaryFolder();
    await folder.write("item.json", '{\n"get": {},\n"get": {}\n}');
    const text =
      "openapi: 3.1.0\npaths:\n  /lost: { get: {} }\npaths:\n  /a:\n    get: {}\n    get: {}\n  /b: { $ref: item.json }\n";
    const spec = await folder.write("openapi.yaml", text);
    const { notes, endpoints } = await readSpec({ path: spec, openStdin: () => toStream("") });
    expect(endpoints.map(({ path }) => path)).toEqual(["/a", "/b"]);
    const [note = ""] = notes;
    expect(note).toMatch(/^3 keys occur more than once/);
    for (const place of ["openapi.yaml:2, 4)", "openapi.yaml:6, 7)", "item.json:2, 3)"])
      expect(note).toContain(place);
  });

  test("keys that lose endpoints are named first", async () => {
    const others = Array.from({ length: 9 }, (_, index) => `x-${index}: 1\nx-${index}: 2\n`).join("");
    const { notes } = await read(
      `openapi: 3.1.0\n${others}paths:\n  /a: { get: {} }\npaths:\n  /a: { get: {}, get: {} }\n  /a: { put: {} }\n`,
    );
    expect(notes[0]).toMatch(
      /^12 keys occur [^:]+: paths \([^)]+\), paths\["\/a"\] \([^)]+\), paths\["\/a"\]\.get \(/,
    );
  });

  test.each([
    ["YAML", "openapi: 3.1.0\npaths:\n  /a:\n    get:\n    put: {}\n  /b:\n"],
    ["JSON", '{"openapi":"3.1.0",\n"paths":\n {"/a":{\n"get":null,\n"put":{}},\n"/b":null}}'],
  ])("a path and an operation without a value, in %s", async (_, text) => {
    const { notes, endpoints } = await read(text);
    expect(endpoints.map(({ method }) => method)).toEqual(["PUT"]);
    expect(notes).toEqual([
      "2 paths or operations left out, because the value is missing: GET /a (standard input:4), /b (standard input:6).",
    ]);
  });

  test("methods without a value are counted, and the first five are named with their lines", async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`/p${index}`, { get: {}, put: null, post: null }]),
    );
    const { notes, endpoints } = await read(JSON.stringify({ openapi: "3.1.0", paths }, null, 1));
    expect(endpoints).toHaveLength(2000);
    expect(notes).toEqual([
      "4000 paths or operations left out, because the value is missing: PUT /p0 (standard input:6), POST /p0 (standard input:7), " +
        "PUT /p1 (standard input:11), POST /p1 (standard input:12), PUT /p2 (standard input:16), and 3995 more.",
    ]);
  });

  test.each(["paths:", "paths: { /a: { get: { tags: , parameters: , summary: } } }"])(
    "other fields without a value are as if they were absent: %s",
    async (text) => {
      const { notes, endpoints } = await read(`openapi: 3.0.0\n${text}\n`);
      expect(notes).toEqual([]);
      for (const each of endpoints)
        expect(each).toMatchObject({ tags: [], summary: null, operationId: null });
    },
  );

  test("keys that only look like paths are not counted as such", async () => {
    const example = { "/a": 1, 'a "/b": ': { "/b": '"/b": [{\\' } };
    const { notes } = await read(
      JSON.stringify({ ...head, example, paths: { "/a": { get: {} }, "/b": {} } }),
    );
    expect(notes).toEqual([]);
  });

  test("methods that are not in lower case, and those that OpenAPI or a scan doesn't have", async () => {
    const item = { GET: {}, Post: {}, purge: {}, query: {}, additionalOperations: { COPY: {} }, get: {} };
    const other = { summary: "s", "x-Get": {}, servers: [], parameters: [] };
    const { notes } = await read(stringify({ ...head, paths: { "/a": { ...item, ...other } } }));
    expect(notes).toEqual([
      "3 operations left out, because scans support only the methods GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, " +
        "TRACE of a path item: PURGE /a, QUERY /a, COPY /a.",
      "2 operations left out, because OpenAPI writes methods in lower case: GET /a, Post /a.",
    ]);
  });

  test("webhooks, where there is nothing else", async () => {
    const webhooks = { created: { post: {} }, deleted: { post: {} } };
    expect((await read(JSON.stringify({ ...head, webhooks }))).notes).toEqual([
      "the description has 2 webhooks and no operations under paths, so the scan has no endpoints: webhooks are " +
        "requests that the service sends.",
    ]);
    const both = { ...head, webhooks, paths: { "/a": { get: {} } } };
    expect((await read(JSON.stringify(both))).notes).toEqual([]);
  });
});
