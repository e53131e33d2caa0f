import { describe, expect, test } from "vitest";
import type { JsonValue } from "@waymark/openapi/json.ts";
import type { DescriptionIndex, OperationView, SchemaGroup, SchemaView } from "./messages.ts";
import { ReadableDescription } from "./read-description.ts";

const SHOP = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "2" },
  servers: [{ url: "https://shop.example/v2/" }],
  tags: [{ name: "books", description: "All books." }],
  paths: {
    "/books/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } }],
      get: {
        operationId: "getBook",
        tags: ["books", "reading"],
        deprecated: true,
        "x-sunset": "2027-01-01",
        parameters: [
          { name: "expand", in: "query", description: "What to add.", schema: { enum: ["author"] } },
        ],
        responses: {
          200: {
            description: "The book.",
            headers: { ETag: { schema: { type: "string" } } },
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/Book" }, example: { id: 1 } },
            },
          },
          default: { $ref: "#/components/responses/Fault" },
        },
      },
    },
  },
  components: {
    responses: { Fault: { description: "It failed." } },
    schemas: {
      Base: { type: "object", required: ["id"], properties: { id: { type: "integer", minimum: 1 } } },
      Book: {
        allOf: [
          { $ref: "#/components/schemas/Base" },
          {
            properties: {
              title: { type: ["string", "null"], maxLength: 200 },
              sequel: { $ref: "#/components/schemas/Book" },
              chapters: {
                type: "array",
                items: { type: "array", items: { $ref: "#/components/schemas/Base" } },
              },
            },
          },
        ],
      },
    },
  },
};

const operationOf = (root: unknown, method: string, path: string) =>
  new ReadableDescription(root as JsonValue).answer({
    ask: "operation",
    name: { method, path, kind: "operation" },
  }) as OperationView | null;

const unfold = (root: unknown, schema: SchemaView | null | undefined) =>
  new ReadableDescription(root as JsonValue).answer({
    ask: "schema",
    schema: schema?.opens ?? "nothing",
  }) as SchemaGroup[];

const linesOf = (groups: readonly SchemaGroup[]) =>
  groups.flatMap(({ title, entries }) =>
    entries.map(({ name, required, schema }) =>
      [title, `${name}${required ? "*" : ""}`, schema.type, ...schema.facts].filter(Boolean).join("; "),
    ),
  );

/** A description with one operation whose body is the schema. */
const withSchema = (schema: unknown, more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths: {
    "/a": { post: { requestBody: { content: { "application/json": { schema } } }, responses: {} } },
  },
  ...more,
});
const bodyOf = (root: unknown) => operationOf(root, "POST", "/a")?.body?.content[0]?.schema;

describe("a description", () => {
  test("lists its operations, tags, servers and schemas", () => {
    const index = new ReadableDescription(SHOP).answer({ ask: "index" }) as DescriptionIndex;
    expect(index).toMatchObject({
      title: "Shop",
      language: "OpenAPI 3.1.0",
      servers: ["https://shop.example/v2"],
      operations: [{ method: "GET", path: "/books/{id}", operationId: "getBook", deprecated: true }],
    });
    expect(index.tags.map(({ name }) => name)).toEqual(["books", "reading"]);
    expect(index.schemas.map(({ name }) => name)).toEqual(["Base", "Book"]);
  });

  test("says all of an operation, also what its path and components have", () => {
    const operation = operationOf(SHOP, "GET", "/books/{id}");
    expect(operation).toMatchObject({ deprecated: true, sunset: "2027-01-01", tags: ["books", "reading"] });
    expect(operation?.parameters).toMatchObject([
      { in: "path", name: "id", required: true, schema: { type: "string", facts: ["uuid"] } },
      { in: "query", name: "expand", description: "What to add.", schema: { facts: ['one of "author"'] } },
    ]);
    expect(operation?.responses).toMatchObject([
      { status: "200", headers: [{ name: "ETag" }], content: [{ schema: { type: "Book" } }] },
      { status: "default", description: "It failed.", content: [] },
    ]);
    expect(operation?.responses[0]?.content[0]?.example).toBe('{\n  "id": 1\n}');
  });

  test("has no operation of another path", () => {
    expect(operationOf(SHOP, "GET", "/authors")).toBeNull();
  });

  test("unfolds schemas with what allOf adds, and names recursion by its place", () => {
    const book = operationOf(SHOP, "GET", "/books/{id}")?.responses[0]?.content[0]?.schema;
    const groups = unfold(SHOP, book);
    expect(linesOf(groups)).toEqual([
      "Properties; id*; integer; at least 1",
      "Properties; title; string or null; at most 200 characters",
      "Properties; sequel; Book",
      "Properties; chapters; array of array of Base",
    ]);
    const sequel = groups[0]?.entries.find(({ name }) => name === "sequel")?.schema;
    expect(sequel?.opens).toBe(book?.opens);
    const chapters = groups[0]?.entries.find(({ name }) => name === "chapters")?.schema;
    expect(linesOf(unfold(SHOP, chapters))).toEqual(["Properties; id*; integer; at least 1"]);
  });

  test("of Swagger 2.0 unfolds bodies and forms, also after it was read again", () => {
    const field = (name: string, more: object) => ({ name, in: "formData", type: "string", ...more });
    const root = {
      swagger: "2.0",
      host: "a.example",
      paths: {
        "/a": {
          post: {
            parameters: [field("file", { type: "file", required: true }), field("note", { maxLength: 1 })],
            responses: { 200: { description: "ok", schema: { type: "array", items: { type: "integer" } } } },
          },
        },
      },
    };
    const form = bodyOf(root);
    expect(operationOf(root, "POST", "/a")?.body?.content[0]?.name).toBe("multipart/form-data");
    expect(operationOf(root, "POST", "/a")?.responses[0]?.content[0]?.schema?.type).toBe("array of integer");
    expect(linesOf(unfold(root, form))).toEqual([
      "Properties; file*; file",
      "Properties; note; string; at most 1 character",
    ]);
  });
});

describe("schemas that stopped other tools", () => {
  test.each<[string, unknown, object?]>([
    [
      "is a part of itself",
      { $ref: "#/components/schemas/A" },
      { A: { allOf: [{ $ref: "#/components/schemas/A" }] } },
    ],
    ["refers to itself", { $ref: "#/components/schemas/A" }, { A: { $ref: "#/components/schemas/A" } }],
    [
      "lists itself",
      { $ref: "#/components/schemas/A" },
      { A: { type: "array", items: { $ref: "#/components/schemas/A" } } },
    ],
    [
      "is one of itself",
      { $ref: "#/components/schemas/A" },
      { A: { oneOf: [{ $ref: "#/components/schemas/A" }] } },
    ],
    ["leads nowhere", { $ref: "#/components/schemas/Gone" }],
    ["leads into another file", { $ref: "other.yaml#/A" }],
    ["is no schema", 7],
    [
      "has keywords of wrong types",
      { type: 7, properties: [1], items: "x", enum: {}, allOf: 3, required: "a" },
    ],
    [
      "has the name of a prototype",
      { properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{}}') },
    ],
  ])("a schema that %s is shown, and ends", (_name, schema, schemas = {}) => {
    const root = withSchema(schema, { components: { schemas } });
    const view = bodyOf(root);
    expect(view?.type).not.toBe("");
    expect(unfold(root, view).length).toBeLessThan(3);
  });

  test("unfold one level of a thousand that are all connected", () => {
    const names = Array.from({ length: 1000 }, (_, n) => `S${n}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
    );
    const schemas = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    const root = withSchema({ $ref: "#/components/schemas/S0" }, { components: { schemas } });
    const [group] = unfold(root, bodyOf(root));
    expect(group).toMatchObject({ title: "Properties", more: 500 });
    expect(group?.entries).toHaveLength(500);
  });

  test("say values in words, and cut those that are long", () => {
    const long = "x".repeat(1000);
    const root = withSchema({
      type: ["integer", "null"],
      exclusiveMinimum: 0,
      maximum: 9,
      default: long,
      enum: Array.from({ length: 30 }, (_, n) => n),
    });
    const facts = bodyOf(root)?.facts ?? [];
    expect(facts).toContain("more than 0, at most 9");
    expect(facts.join().length).toBeLessThan(700);
    expect(facts.some((fact) => fact.endsWith("and 10 more"))).toBe(true);
    expect(bodyOf(withSchema({ type: "string", nullable: true }))?.type).toBe("string or null");
  });
});
