import { describe, expect, test } from "vitest";
import { describeOperation } from "./describe-operation.ts";
import { findByPointer, operationsOf } from "./find-operation.ts";
import { createSchemaTable } from "./schemas.ts";
import { ownValue } from "@waymark/openapi/json.ts";
import type { OpenApiSource } from "@waymark/openapi/references.ts";

function describeById(source: OpenApiSource, id: string) {
  const table = createSchemaTable();
  const found = operationsOf(source).find(({ operation }) => ownValue(operation.value, "operationId") === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return { operation: describeOperation(source, found, { table }), schemas: table.schemas };
}

const V30: OpenApiSource = {
  name: "pets",
  url: "https://docs.example/api/pets.json",
  document: {
    openapi: "3.0.3",
    servers: [
      { url: "https://{region}.example/{v}/", variables: { region: { default: "eu" }, v: { default: 2 } } },
    ],
    security: [{ key: [] }],
    paths: {
      "/pets/{id}": {
        parameters: [
          { $ref: "#/components/parameters/Id" },
          { name: "tags", in: "query", style: "pipeDelimited", schema: { type: "array" } },
        ],
        put: {
          operationId: "putPet",
          security: [{ basic: [], oauth: [] }, {}],
          parameters: [{ name: "X-Trace", in: "header", schema: { type: "string" } }],
          requestBody: { $ref: "bodies.json#/Pet" },
          responses: {
            200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
            "4xx": { $ref: "#/components/responses/Problem" },
            default: { description: "none" },
          },
        },
      },
    },
    components: {
      parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "string" } } },
      responses: { Problem: { content: { "application/problem+json": {} } } },
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "X-Key" },
        basic: { type: "http", scheme: "Basic" },
        oauth: { type: "oauth2" },
      },
      schemas: {
        Pet: {
          type: "object",
          description: "gone",
          required: ["name", "secret"],
          properties: {
            name: { type: "string", nullable: true },
            age: { type: "integer", minimum: 0, exclusiveMinimum: true },
            secret: { type: "string", writeOnly: true },
            children: { type: "array", items: { $ref: "#/components/schemas/Pet" } },
            description: { type: "string" },
          },
        },
      },
    },
  },
  documents: {
    "https://docs.example/api/bodies.json": {
      Pet: { content: { "application/json": {}, "text/plain": {} } },
    },
  },
};

describe("what a description says of serialization, by its version", () => {
  const described = (openapi: string, operation: object) =>
    describeById(
      {
        name: "a",
        url: "https://docs.example/a.json",
        document: { openapi, paths: { "/a": { post: { operationId: "a", ...operation } } } },
      },
      "a",
    ).operation;

  test.each([
    ["3.1.1", undefined],
    ["3.2.0", true],
  ])("allowReserved in %s applies to paths and cookies: %s", (version, allowed) => {
    const parameters = ["path", "query", "cookie"].map((place) => ({
      name: "p",
      in: place,
      allowReserved: true,
      schema: {},
    }));
    const rules = described(version, { parameters }).parameters;
    expect(Object.entries(rules).map(([name, rule]) => [name, rule.allowReserved])).toEqual([
      ["path:p", allowed],
      ["query:p", true],
      ["cookie:p", allowed],
    ]);
  });

  test("the style cookie is exploded unless the description says otherwise", () => {
    const cookie = (more: object) =>
      described("3.2.0", { parameters: [{ name: "c", in: "cookie", style: "cookie", schema: {}, ...more }] })
        .parameters["cookie:c"];
    expect(cookie({})).toEqual({ style: "cookie", explode: true });
    expect(cookie({ explode: false })).toEqual({ style: "cookie", explode: false });
  });

  const BINARY = { contentType: "application/octet-stream", binary: true };
  const PROPERTIES = {
    untyped: {},
    described: { description: "bytes" },
    encoded: { type: "string", contentEncoding: "base64" },
    list: { type: "array", items: { type: "string", contentEncoding: "base64" } },
    media: { type: "string", contentMediaType: "image/png" },
    format: { type: "string", format: "binary" },
    text: { type: "string" },
    choice: { enum: ["a"] },
    composed: { allOf: [{ type: "string" }] },
  };

  test.each([
    ["3.1.0", { untyped: BINARY, described: BINARY, encoded: BINARY, list: BINARY }],
    ["3.0.3", {}],
  ])("the parts of a form have the default types of %s", (version, more) => {
    const schema = { type: "object", properties: PROPERTIES };
    const { request } = described(version, {
      requestBody: { content: { "multipart/form-data": { schema } } },
    });
    expect(request[0]?.rule.properties).toEqual({
      ...more,
      media: { contentType: "image/png", binary: true },
      format: BINARY,
    });
  });

  test("parts without names have the encodings of their places", () => {
    const media = {
      prefixEncoding: [{ contentType: "text/csv" }, {}],
      itemEncoding: { contentType: "image/png" },
    };
    const { request } = described("3.2.0", { requestBody: { content: { "multipart/mixed": media } } });
    expect(request).toEqual([
      {
        mediaType: "multipart/mixed",
        rule: { prefix: [{ contentType: "text/csv" }, {}], item: { contentType: "image/png" } },
      },
    ]);
  });
});

describe("an OpenAPI operation", () => {
  const { operation, schemas } = describeById(V30, "putPet");

  test("has its server with variables, its parameters with styles, and its media types across files", () => {
    expect(operation.server).toBe("https://eu.example/2");
    expect(operation.parameters).toEqual({
      "path:id": { style: "simple", explode: false, required: true },
      "query:tags": { style: "pipeDelimited", explode: false },
      "header:x-trace": { style: "simple", explode: false },
    });
    expect(operation.request.map(({ mediaType }) => mediaType)).toEqual(["application/json", "text/plain"]);
    expect(Object.keys(operation.responses)).toEqual(["200", "4XX", "default"]);
    expect(operation.security).toEqual([
      [
        { name: "basic", kind: "basic" },
        { name: "oauth", kind: "bearer" },
      ],
      [],
    ]);
  });

  test("has response schemas in JSON Schema 2020-12, recursion by reference, annotations left out", () => {
    const key = "pets:#/components/schemas/Pet";
    expect(schemas).toEqual({
      [key]: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: ["string", "null"] },
          age: { type: "integer", exclusiveMinimum: 0 },
          secret: { type: "string" },
          children: {
            type: "array",
            items: { $ref: `#/$defs/${encodeURIComponent(key.replaceAll("/", "~1"))}` },
          },
          description: { type: "string" },
        },
      },
    });
  });

  test("is found by pointer, a path item standing for its only operation", () => {
    expect(findByPointer(V30, "/paths/~1pets~1{id}/put")).toMatchObject({ found: { method: "PUT" } });
    expect(findByPointer(V30, "/paths/~1pets~1{id}")).toMatchObject({
      found: { method: "PUT" },
      assumed: true,
    });
    expect(findByPointer(V30, "/paths/~1pets~1{id}/get")).toEqual({
      problem: "/pets/{id} has no operation get",
    });
  });

  test("a reference in a circle or to a file that is missing is an error, not a hang", () => {
    const circle = {
      openapi: "3.1.0",
      paths: { "/a": { $ref: "#/paths/~1b" }, "/b": { $ref: "#/paths/~1a" } },
    };
    const missing = { openapi: "3.1.0", paths: { "/a": { $ref: "other.yaml#/x" } } };
    for (const document of [circle, missing]) {
      const source = { name: "s", url: "s.yaml", document };
      expect(() => operationsOf(source)).toThrow(ReferenceError);
    }
  });
});

describe("a path item with fields beside its $ref", () => {
  const source: OpenApiSource = {
    name: "s",
    url: "https://docs.example/api/s.json",
    document: {
      openapi: "3.1.0",
      paths: {
        "/a": {
          $ref: "items.json#/first",
          parameters: [{ name: "own", in: "query", style: "pipeDelimited", explode: false }],
          servers: [{ url: "https://own.example" }],
        },
      },
    },
    documents: {
      "https://docs.example/api/items.json": {
        first: {
          $ref: "#/second",
          parameters: [{ $ref: "#/shared" }, { name: "own", in: "query" }],
          put: { operationId: "put" },
        },
        second: {
          parameters: [{ name: "deep", in: "query", explode: true }],
          servers: [{ url: "https://deep.example" }],
          put: { operationId: "hidden" },
          get: { operationId: "get" },
        },
        shared: { name: "shared", in: "query", explode: false },
      },
    },
  };

  test("has the fields of all, and those nearer to the path have precedence", () => {
    const ids = operationsOf(source).map(({ operation }) => ownValue(operation.value, "operationId"));
    expect(ids).toEqual(["get", "put"]);
    const { operation } = describeById(source, "get");
    expect(operation.server).toBe("https://own.example");
    expect(operation.parameters).toEqual({
      "query:own": { style: "pipeDelimited", explode: false },
      "query:shared": { style: "form", explode: false },
      "query:deep": { style: "form", explode: true },
    });
  });

  test("is the same when it is found by a pointer", () => {
    const [found] = operationsOf(source);
    expect(findByPointer(source, "/paths/~1a/get")).toEqual({ found });
  });
});

describe("a Swagger 2.0 operation", () => {
  const source: OpenApiSource = {
    name: "old",
    url: "old.json",
    document: {
      swagger: "2.0",
      host: "api.example",
      basePath: "/v1",
      schemes: ["http"],
      consumes: ["application/x-www-form-urlencoded"],
      produces: ["application/json"],
      securityDefinitions: { q: { type: "apiKey", in: "query", name: "key" } },
      security: [{ q: [] }],
      paths: {
        "/a": {
          post: {
            operationId: "post",
            parameters: [
              { name: "ids", in: "query", type: "array", collectionFormat: "multi" },
              { name: "csv", in: "query", type: "array" },
              { name: "f", in: "formData", type: "string" },
            ],
            responses: { 200: { schema: { $ref: "#/definitions/A" } } },
          },
        },
      },
      definitions: { A: { type: "object" } },
    },
  };

  test("has the same form as one of OpenAPI 3", () => {
    const { operation, schemas } = describeById(source, "post");
    expect(operation).toMatchObject({
      server: "http://api.example/v1",
      parameters: {
        "query:ids": { style: "form", explode: true },
        "query:csv": { style: "form", explode: false },
      },
      request: [{ mediaType: "application/x-www-form-urlencoded" }],
      responses: { 200: { content: { "application/json": "old:#/definitions/A" } } },
      security: [[{ name: "q", kind: "query", parameter: "key" }]],
    });
    expect(Object.keys(schemas)).toEqual(["old:#/definitions/A"]);
  });
});
