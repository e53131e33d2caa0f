import { expect, test } from "vitest";
import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { randomFrom } from "../../test/support/random.ts";
import type { Random } from "../../test/support/random.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { crudTemplates } from "../template/crud.ts";
import { importHar } from "./har.ts";
import type { ImportResult } from "./imported.ts";
import { importPostman } from "./postman.ts";

const ODD: [JsonValue, ...JsonValue[]] = [
  null,
  "",
  "x y",
  "{{",
  "{{a b}}",
  "{$inputs.x}",
  "$statusCode",
  "$steps.a.outputs.b",
  "$response.body#/a b",
  "https://[::1]:99999/",
  "{}",
  "__proto__",
  "ü/%zz?&=#",
  0,
  -1.5,
  1e300,
  true,
  [],
  {},
  [[]],
  { a: null },
  { context: "a", selector: "b", type: "jsonpath" },
  { $ref: "#" },
  { $ref: "#/components/schemas/Thing" },
];

function damaged(random: Random, value: JsonValue): JsonValue {
  if (random.chance(0.04)) return structuredClone(random.pick(ODD));
  if (Array.isArray(value)) return value.map((item) => damaged(random, item));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (random.chance(0.03)) continue;
    const odd = random.pick(ODD);
    copy[random.chance(0.02) && typeof odd === "string" && odd !== "__proto__" ? odd : key] = damaged(
      random,
      member,
    );
  }
  return copy;
}

const COLLECTION: JsonObject = {
  info: { name: "C" },
  auth: {
    type: "apikey",
    apikey: [
      { key: "key", value: "X-Key" },
      { key: "value", value: "{{key}}" },
    ],
  },
  variable: [
    { key: "base", value: "https://a.example" },
    { key: "key", value: "k", type: "secret" },
  ],
  item: [
    {
      name: "one",
      event: [
        {
          listen: "test",
          script: { exec: ["pm.response.to.have.status(200)", "pm.environment.set('id', j.a[0].b)"] },
        },
      ],
      request: {
        method: "POST",
        header: [{ key: "X-A", value: "{{$guid}}" }],
        url: {
          raw: "{{base}}/a/:id?b=1",
          query: [{ key: "b", value: "1" }],
          variable: [{ key: "id", value: "7" }],
        },
        body: { mode: "raw", raw: '{"a":"{{x}}","password":"p"}', options: { raw: { language: "json" } } },
      },
    },
    {
      name: "two",
      item: [
        { name: "three", request: { method: "GET", url: "{{base}}/{{id}}" } },
        {
          name: "four",
          request: {
            method: "POST",
            url: "{{base}}",
            body: { mode: "graphql", graphql: { query: "q", variables: '{"a":1}' } },
          },
        },
      ],
    },
  ],
};

const HAR: JsonObject = {
  log: {
    entries: ["login", "orders/88217?api_key=s", "orders/88217"].map((path, index) => ({
      request: {
        method: index === 2 ? "PUT" : "POST",
        url: `https://a.example/${path}`,
        headers: [
          { name: "Authorization", value: "Bearer t0ken-t0ken" },
          { name: "X-A", value: "b" },
        ],
        postData: {
          mimeType: index === 1 ? "application/x-www-form-urlencoded" : "application/json",
          text: '{"id":"88217","q":["a"]}',
          params: [{ name: "a", value: "b" }],
        },
      },
      response: {
        status: 200,
        content: { mimeType: "application/json", text: '{"id":"88217","token":"t0ken-t0ken"}' },
      },
    })),
  },
};

const API: JsonObject = {
  openapi: "3.1.0",
  security: [{ k: [] }],
  paths: {
    "/shops/{shop}/things": {
      parameters: [
        { name: "X-A", in: "header", required: true, schema: { type: "string", pattern: "^[A-Z]{3}\\d+$" } },
      ],
      post: {
        operationId: "make",
        parameters: [
          { name: "q", in: "query", required: true, schema: { type: "array", items: { type: "integer" } } },
        ],
        requestBody: {
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/Thing" }, example: { name: "n" } },
          },
        },
        responses: {
          "201": { content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
        },
      },
      get: { responses: { "200": {} } },
    },
    "/shops/{shop}/things/{thing}": {
      get: { operationId: "get" },
      patch: { requestBody: { content: { "application/json": {} } } },
      delete: { operationId: "drop" },
    },
  },
  components: {
    schemas: {
      Thing: {
        allOf: [
          {
            type: "object",
            required: ["name", "of"],
            properties: { id: { type: "string", readOnly: true }, name: { type: "string" } },
          },
          { properties: { of: { $ref: "#/components/schemas/Thing" } } },
        ],
      },
    },
    securitySchemes: { k: { type: "apiKey", in: "query", name: "key" } },
  },
};

async function faults(text: string): Promise<string[]> {
  const { model, sourceOf, ...document } = parseDocument(text, { file: "t" });
  const lint = checkDocument({ ...document, model, sourceOf });
  const compiled =
    model === undefined ? undefined : await compileJourney({ document: { model, sourceOf }, sources: {} });
  return [...lint, ...(compiled?.problems ?? [])]
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
}

test.each<[string, JsonObject, (text: string) => ImportResult]>([
  ["a collection", COLLECTION, (text) => importPostman(text)],
  ["a recording", HAR, (text) => importHar(text, { title: "T" })],
])(
  "%s with anything wrong in it is refused with a reason, or becomes a journey that lints and compiles",
  async (_, whole, convert) => {
    expect(await faults((convert(JSON.stringify(whole)) as { text: string }).text)).toEqual([]);
    let made = 0;
    for (let seed = 0; seed < 120; seed += 1) {
      const text = JSON.stringify(damaged(randomFrom(seed), whole));
      const result = convert(text);
      if (!result.ok && result.message !== "") continue;
      if (!result.ok) throw new Error(`refused without a reason: ${text}`);
      made += 1;
      expect([seed, text, await faults(result.text)]).toEqual([seed, text, []]);
    }
    expect(made).toBeGreaterThan(50);
  },
);

test("a description with anything wrong in it makes journeys that lint, or none", () => {
  let made = 0;
  for (let seed = 0; seed < 250; seed += 1) {
    const root = damaged(randomFrom(seed), API);
    if (!isObject(root)) continue;
    for (const template of crudTemplates(root, { source: "api", url: "./api.yaml" })) {
      const problems = checkDocument(parseDocument(template.text, { file: "t" }));
      expect([seed, JSON.stringify(root), problems]).toEqual([seed, JSON.stringify(root), []]);
      made += 1;
    }
  }
  expect(made).toBeGreaterThan(90);
});
