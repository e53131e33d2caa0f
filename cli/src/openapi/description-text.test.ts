import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../test-support/run-captured.ts";
import { readDescriptionText } from "./description-text.ts";
import type { Selection } from "./select-operations.ts";

const NOTHING = { includePaths: [], excludePaths: [], tags: [] };

async function textOf(
  folder: TemporaryFolder,
  file: string,
  selection?: Partial<Selection>,
): Promise<string> {
  const bytes = await readFile(`${folder.path}/${file}`);
  const hash = createHash("sha256").update(bytes).digest("hex");
  const options = {
    path: file,
    cwd: folder.path,
    openStdin: async function* () {},
    selection: selection === undefined ? undefined : { ...NOTHING, ...selection },
  };
  const text = await readDescriptionText(options, hash);
  return text.bytes.toString();
}

const head = "openapi: 3.1.0\ninfo: { title: A, version: '1' }\n";
const operation = (more: object = {}) => ({ responses: { 200: { description: "ok" } }, ...more });

describe("the text of a description", () => {
  test("is the file itself where that has everything", async () => {
    const folder = await temporaryFolder();
    const text = `${head}# A comment.\npaths: { /a: { get: { responses: {} } } }\n`;
    await folder.write("api.yaml", text);
    expect(await textOf(folder, "api.yaml")).toBe(text);
  });

  test("has what is in other files, their own references followed", async () => {
    const folder = await temporaryFolder();
    await folder.write(
      "api.yaml",
      `${head}paths:\n  /a: { $ref: paths/a.yaml }\ncomponents: { schemas: { Pet: { $ref: 'schemas.yaml#/Pet' }, Own: { type: string } } }\n`,
    );
    await folder.write(
      "paths/a.yaml",
      `get: { responses: { 200: { description: ok, content: { application/json: { schema: { $ref: ../schemas.yaml#/Pet } } } } } }\n`,
    );
    await folder.write(
      "schemas.yaml",
      `Pet: { properties: { owner: { $ref: '#/Owner' }, own: { $ref: 'api.yaml#/components/schemas/Own' } } }\nOwner: { properties: { pets: { $ref: '#/Pet' } } }\n`,
    );
    const value = JSON.parse(await textOf(folder, "api.yaml"));
    expect(value.paths["/a"]).toEqual({ $ref: "#/x-bundled/a" });
    expect(value["x-bundled"].a.get.responses[200].content["application/json"].schema).toEqual({
      $ref: "#/x-bundled/Pet",
    });
    expect(value["x-bundled"].Pet.properties).toEqual({
      owner: { $ref: "#/x-bundled/Owner" },
      own: { $ref: "#/components/schemas/Own" },
    });
    expect(value["x-bundled"].Owner.properties.pets).toEqual({ $ref: "#/x-bundled/Pet" });
    expect(value.components.schemas.Pet).toEqual({ $ref: "#/x-bundled/Pet" });
  });

  test("keeps what an earlier bundle has, and gives nothing a name that is taken", async () => {
    const folder = await temporaryFolder();
    const earlier = { A: { post: {} }, "A-2": { type: "string" } };
    const paths = { "/a": { $ref: "b.json#/A" }, "/b": { $ref: "#/x-bundled/A" } };
    await folder.write("api.json", JSON.stringify({ openapi: "3.1.0", paths, "x-bundled": earlier }));
    await folder.write("b.json", '{"A":{"get":{}}}');
    expect(JSON.parse(await textOf(folder, "api.json"))).toMatchObject({
      paths: { "/a": { $ref: "#/x-bundled/A-3" }, "/b": { $ref: "#/x-bundled/A" } },
      "x-bundled": { ...earlier, "A-3": { get: {} } },
    });
  });

  test("has values of every name, also __proto__", async () => {
    const folder = await temporaryFolder();
    const paths = { "/a": { $ref: "b.json#/__proto__" } };
    await folder.write("api.json", JSON.stringify({ openapi: "3.1.0", paths }));
    await folder.write("b.json", '{"__proto__":{"get":{}}}');
    expect(await textOf(folder, "api.json")).toContain('"x-bundled":{"__proto__":{"get":{}}}');
  });

  test.each([{ selection: undefined }, { selection: { tags: ["t"] } }])(
    "has the schemas of discriminators in other files: %j",
    async ({ selection }) => {
      const folder = await temporaryFolder();
      const get = { tags: ["t"], responses: { 200: { $ref: "b.json#/Pet" } } };
      const paths = { "/a": { get } };
      const components = { schemas: { Cat: { type: "object" } } };
      await folder.write("api.json", JSON.stringify({ openapi: "3.1.0", paths, components }));
      const mapping = { dog: "#/Dog", bird: "bird.json", cat: "Cat", gone: "./gone.json" };
      const Pet = { discriminator: { propertyName: "kind", mapping } };
      await folder.write("b.json", JSON.stringify({ Pet, Dog: { title: "dog" } }));
      await folder.write("bird.json", '{"title":"bird"}');
      const value = JSON.parse(await textOf(folder, "api.json", selection));
      expect(value.components).toEqual(components);
      expect(value["x-bundled"]).toEqual({
        Pet: {
          discriminator: {
            propertyName: "kind",
            mapping: { ...mapping, dog: "#/x-bundled/Dog", bird: "#/x-bundled/bird" },
          },
        },
        Dog: { title: "dog" },
        bird: { title: "bird" },
      });
    },
  );

  test("keeps references that lead nowhere, outside or to another machine", async () => {
    const folder = await temporaryFolder();
    const schemas = Object.fromEntries(
      ["https://example.com/a.json", "missing.yaml#/A", "../outside.yaml"].map(($ref, n) => [
        `S${n}`,
        { $ref },
      ]),
    );
    const paths = { "/a": { get: operation() } };
    await folder.write("api/api.json", JSON.stringify({ openapi: "3.1.0", paths, components: { schemas } }));
    await folder.write("outside.yaml", "type: string\n");
    expect(JSON.parse(await textOf(folder, "api/api.json")).components.schemas).toEqual(schemas);
  });

  test("has no key twice: the last one counts, as in the scan", async () => {
    const folder = await temporaryFolder();
    await folder.write(
      "api.json",
      '{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"1","summary":"2"}}}}',
    );
    expect(await textOf(folder, "api.json")).toBe(
      '{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"2"}}}}',
    );
  });

  test("is JSON in UTF-8 where the file is UTF-16", async () => {
    const folder = await temporaryFolder();
    await folder.write("api.json", Buffer.from('\uFEFF{"openapi":"3.1.0","paths":{}}', "utf16le"));
    expect(await textOf(folder, "api.json")).toBe('{"openapi":"3.1.0","paths":{}}');
  });
});

describe("what a selection leaves out", () => {
  const schemas = {
    Pet: { properties: { tag: { $ref: "#/components/schemas/Tag" } } },
    Tag: { type: "string" },
    Secret: { description: "internal" },
    Animal: { discriminator: { propertyName: "kind", mapping: { dog: "Dog" } } },
    Dog: { type: "object" },
    Cat: { allOf: [{ $ref: "#/components/schemas/Animal" }] },
    Unrelated: { allOf: [{ $ref: "#/components/schemas/Secret" }] },
  };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const returns = (name: string, tags: string[]) =>
    operation({
      tags,
      responses: { 200: { description: "ok", content: { "application/json": { schema: ref(name) } } } },
    });
  const document = {
    openapi: "3.1.0",
    tags: [{ name: "public" }, { name: "internal", description: "internal" }],
    paths: {
      "/pets": { parameters: [], get: returns("Pet", ["public"]), delete: returns("Secret", ["internal"]) },
      "/animals": { get: returns("Animal", ["public"]) },
      "/internal": { get: returns("Secret", ["internal"]), query: { description: "internal" } },
    },
    webhooks: { changed: { post: { description: "internal" } } },
    components: { schemas, securitySchemes: { key: { type: "http", scheme: "bearer" } } },
    security: [{ key: [] }],
  };

  test.each<[string, Partial<Selection>, string[]]>([
    ["by tag", { tags: ["public"] }, ["/pets get", "/animals get"]],
    ["by path", { excludePaths: ["/internal"], tags: ["public"] }, ["/pets get", "/animals get"]],
    ["of one path", { includePaths: ["/animals"] }, ["/animals get"]],
  ])("is not in the text: %s", async (_, selection, operations) => {
    const folder = await temporaryFolder();
    await folder.write("api.json", JSON.stringify(document));
    const text = await textOf(folder, "api.json", selection);
    const value = JSON.parse(text);
    const found = Object.entries<object>(value.paths).flatMap(([path, item]) =>
      Object.keys(item).flatMap((key) => (key === "parameters" ? [] : [`${path} ${key}`])),
    );
    expect(found.toSorted()).toEqual(operations.toSorted());
    expect(text).not.toContain("internal");
    expect(Object.keys(value.components.schemas)).toEqual(expect.arrayContaining(["Animal", "Cat", "Dog"]));
    expect(Object.keys(value.components.schemas)).not.toContain("Unrelated");
    expect(value.components.securitySchemes).toEqual(document.components.securitySchemes);
  });

  test("is not in the text, also where a path item is in another file", async () => {
    const folder = await temporaryFolder();
    await folder.write("api.yaml", `${head}paths: { /a: { $ref: a.yaml, put: { tags: [public] } } }\n`);
    await folder.write("a.yaml", "get: { tags: [public], responses: {} }\npost: { description: internal }\n");
    const text = await textOf(folder, "api.yaml", { tags: ["public"] });
    expect(JSON.parse(text).paths).toEqual({
      "/a": { get: { tags: ["public"], responses: {} }, put: { tags: ["public"] } },
    });
    expect(text).not.toContain("internal");
  });
});

describe("what an operation that stays refers to", () => {
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const get = (schema: object) => operation({ responses: { 200: { description: "ok", ...json(schema) } } });

  /** The text of a description, of which only the path /a is selected. */
  async function selected(document: object, files: Record<string, string> = {}) {
    const folder = await temporaryFolder();
    await folder.write("api.json", JSON.stringify({ openapi: "3.1.0", ...document }));
    for (const [name, text] of Object.entries(files)) await folder.write(name, text);
    return JSON.parse(await textOf(folder, "api.json", { includePaths: ["/a"] }));
  }

  test.each([
    ["an anchor", { $ref: "#pet" }, { Pet: { $anchor: "pet", type: "object" } }],
    ["a dynamic anchor", { $dynamicRef: "#pet" }, { Pet: { $dynamicAnchor: "pet", type: "object" } }],
    ["an anchor below", { $ref: "#pet" }, { Pet: { items: { $anchor: "pet", type: "object" } } }],
    ["an id", { $ref: "pet.json" }, { Pet: { $id: "https://example.com/pet.json", type: "object" } }],
    [
      "an anchor of an id",
      { $ref: "https://example.com/pet#tag" },
      { Pet: { $id: "https://example.com/pet", $defs: { tag: { $anchor: "tag" } } } },
    ],
  ])("is in the text: a component by %s", async (_, schema, schemas) => {
    const components = { schemas: { ...schemas, Other: { $anchor: "other" } } };
    const value = await selected({ paths: { "/a": { get: get(schema) } }, components });
    expect(value.components.schemas).toEqual(schemas);
  });

  test("is in the text, also where it is in operations that are left out", async () => {
    const tag = { type: "string" };
    const pet = { properties: { tag: { $ref: "#/webhooks/changed/post/x-tag" } } };
    const schema = { $ref: "#/paths/~1b/get/responses/200/content/application~1json/schema" };
    const value = await selected({
      paths: {
        "/a": { get: get(schema), post: get({ $ref: "#/paths/~1a/get/responses/200/content/none" }) },
        "/b": { get: get(pet), put: { description: "internal" } },
      },
      webhooks: { changed: { post: { "x-tag": tag } } },
    });
    expect(Object.keys(value.paths)).toEqual(["/a"]);
    const found = value.paths["/a"].get.responses[200].content["application/json"].schema;
    expect(found).toEqual({ $ref: "#/x-bundled/schema" });
    expect(value["x-bundled"]).toEqual({
      schema: { properties: { tag: { $ref: "#/x-bundled/x-tag" } } },
      "x-tag": tag,
    });
    expect(JSON.stringify(value)).not.toContain("internal");
  });

  test("is in the text, also where another file refers to an operation that is left out", async () => {
    const value = await selected(
      {
        paths: {
          "/a": { get: get({ $ref: "parts.json#/Pet" }) },
          "/b": { get: get({ type: "object" }) },
        },
      },
      {
        "parts.json": JSON.stringify({
          Pet: { items: { $ref: "api.json#/paths/~1b/get/responses/200/content/application~1json/schema" } },
        }),
      },
    );
    expect(value["x-bundled"]).toEqual({
      Pet: { items: { $ref: "#/x-bundled/schema" } },
      schema: { type: "object" },
    });
  });

  test("is in the text, however long a list is", async () => {
    const names = Array.from({ length: 200_000 }, (_, n) => n);
    const value = await selected({ paths: { "/a": { get: operation() } }, "x-names": names });
    expect(value["x-names"]).toHaveLength(200_000);
  });
});

describe("a text is not sent", () => {
  test.each([
    [
      "servers: [{ url: 'https://u:p@example.com' }]",
      "servers[0].url is an address with a user, a password or a token",
    ],
    [`x-key: wmk_${"a".repeat(12)}_${"b".repeat(39)}`, "x-key has an API key or a token of Waymark"],
    [`# wmk_${"a".repeat(12)}_${"b".repeat(39)}`, "the file has an API key or a token of Waymark"],
  ])("with a credential: %s", async (line, message) => {
    const folder = await temporaryFolder();
    await folder.write("api.yaml", `${head}paths: {}\n${line}\n`);
    await expect(textOf(folder, "api.yaml")).rejects.toThrow(message);
  });

  test.each([{ files: "of one file" }, { files: "of several files", reference: "b.json" }])(
    "that nests too deeply: $files",
    async ({ reference }) => {
      const folder = await temporaryFolder();
      const $ref = reference ?? "#/x-a";
      const paths = JSON.stringify({ "/a": { get: operation(), $ref } });
      const deep = `${"[".repeat(6_000)}${"]".repeat(6_000)}`;
      await folder.write("api.json", `{"openapi":"3.1.0","x-a":{},"paths":${paths},"x-deep":${deep}}`);
      await folder.write("b.json", "{}");
      await expect(textOf(folder, "api.json", { includePaths: ["/a"] })).rejects.toThrow(
        "it has more than 500 objects and lists inside each other",
      );
    },
  );

  test("that has changed since it was scanned", async () => {
    const folder = await temporaryFolder();
    await folder.write("api.yaml", `${head}paths: {}\n`);
    const options = { path: "api.yaml", cwd: folder.path, openStdin: async function* () {} };
    await expect(readDescriptionText(options, "0".repeat(64))).rejects.toThrow(
      "has changed since it was scanned",
    );
  });
});
