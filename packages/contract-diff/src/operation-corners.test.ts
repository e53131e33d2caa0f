import { describe as group, expect, test } from "vitest";
import { compareValues, describe, worstOf } from "./test-support/compare-texts.ts";
import { object, text, whole } from "./test-support/schema-rows.ts";
import type { Level } from "./verdict.ts";

/** Name, description before, description after, level, and the level of the change back. */
type Row = [string, object, object, Level, Level];

const list = { type: "array", items: text };
const query = (more: object) => describe({ parameters: [{ name: "q", in: "query", schema: text, ...more }] });
const body = (content: object) => describe({ requestBody: { content } });
const answer = (more: object) => describe({ responses: { 200: { description: "d", ...more } } });
const parts = (properties: object, encoding: object, type = "multipart/form-data") => ({
  [type]: { schema: object(properties), encoding },
});
const form = (encoding: object) => body(parts({ a: list }, encoding, "application/x-www-form-urlencoded"));
const json = (schema: object) => ({ "application/json": { schema } });
const header = (more: object) => answer({ headers: { "X-A": { schema: object({}), ...more } } });
const swagger = (operation: object, more: object = {}) => ({
  swagger: "2.0",
  info: { title: "T", version: "1" },
  paths: { "/things": { post: { responses: { 200: { description: "d" } }, ...operation } } },
  ...more,
});

const PARAMETERS: Row[] = [
  ...[{ anyOf: [list, { type: "null" }] }, { allOf: [list] }, { oneOf: [text, list] }, {}].map(
    (schema): Row => [
      `a style of ${JSON.stringify(schema)}`,
      query({ schema }),
      query({ schema, explode: false }),
      "breaking",
      "breaking",
    ],
  ),
  ["a list of at least two", query({}), query({ schema: { ...list, minItems: 2 } }), "breaking", "breaking"],
  [
    "a collection of a form in Swagger 2.0",
    swagger({ parameters: [{ in: "formData", name: "a", collectionFormat: "multi", ...list }] }),
    swagger({ parameters: [{ in: "formData", name: "a", ...list }] }),
    "breaking",
    "breaking",
  ],
  [
    "a collection inside another one",
    swagger({ parameters: [{ in: "query", name: "a", type: "array", items: list }] }),
    swagger({
      parameters: [{ in: "query", name: "a", type: "array", items: { ...list, collectionFormat: "pipes" } }],
    }),
    "breaking",
    "breaking",
  ],
];

const xml = (more: object) => body({ "application/xml": { schema: object({ a: { ...text, xml: more } }) } });
const versions = (...each: number[]) =>
  body(Object.fromEntries(each.map((version) => [`application/json;version=${version}`, { schema: text }])));

const partWith = (headers: object) => body(parts({ a: text }, { a: { headers } }));

const MEDIA: Row[] = [
  [
    "a header of a part that has content",
    partWith({ "X-A": { content: json(text) } }),
    partWith({ "X-A": { content: json({ ...text, maxLength: 5 }) } }),
    "breaking",
    "safe",
  ],
  [
    "the content type among the headers of a part, which says nothing",
    partWith({ "X-A": {} }),
    partWith({ "X-A": {}, "Content-Type": { required: true } }),
    "safe",
    "safe",
  ],
  ["one of two versions", versions(1, 2), versions(2), "breaking", "safe"],
  ["another version", versions(1), versions(2), "maybe", "maybe"],
  [
    "a type that a range covers, with fewer values",
    body({ "*/*": { schema: text } }),
    body({ "*/*": { schema: text }, ...json({ ...text, maxLength: 3 }) }),
    "breaking",
    "safe",
  ],
  [
    "a type that a range covers, in an answer",
    answer({ content: { "*/*": { schema: text } } }),
    answer({ content: { "*/*": { schema: text }, ...json(whole) } }),
    "breaking",
    "breaking",
  ],
  [
    "the schema of items beside that of the whole",
    body({ "application/jsonl": { schema: list, itemSchema: text } }),
    body({ "application/jsonl": { schema: list, itemSchema: whole } }),
    "breaking",
    "breaking",
  ],
  ["a style of a form written out", form({}), form({ a: { style: "form" } }), "safe", "safe"],
  ["a style of a form", form({}), form({ a: { explode: false } }), "breaking", "breaking"],
  ["reserved characters of a form", form({ a: { allowReserved: true } }), form({}), "breaking", "safe"],
  [
    "a value of a header of a part",
    body(parts({ a: text }, { a: { headers: { "X-A": { schema: text } } } })),
    body(parts({ a: text }, { a: { headers: { "X-A": { schema: { enum: ["a"] } } } } })),
    "breaking",
    "safe",
  ],
  [
    "the type of a part of an answer",
    answer({ content: parts({ a: text }, { a: { contentType: "text/plain" } }) }),
    answer({ content: parts({ a: text }, { a: { contentType: "text/csv" } }) }),
    "breaking",
    "breaking",
  ],
  [
    "the type of each item",
    body({ "multipart/mixed": { schema: list, itemEncoding: { contentType: "text/plain" } } }),
    body({ "multipart/mixed": { schema: list, itemEncoding: { contentType: "text/csv" } } }),
    "breaking",
    "breaking",
  ],
  ["an attribute in XML", xml({}), xml({ attribute: true }), "breaking", "breaking"],
  ["another name in XML", xml({ name: "b" }), xml({ name: "c" }), "breaking", "breaking"],
  ["a name in XML, which may be the property's", xml({}), xml({ name: "a" }), "maybe", "maybe"],
  ["another prefix in XML", xml({ prefix: "b" }), xml({ prefix: "c" }), "safe", "safe"],
];

const responses = (by: Record<string, object>) =>
  describe({
    responses: Object.fromEntries(
      Object.entries(by).map(([status, more]) => [status, { description: "d", ...more }]),
    ),
  });
const callback = (more: object) =>
  describe({
    callbacks: {
      done: { "{$request.body#/url}": { post: { responses: { 200: { description: "d" } }, ...more } } },
    },
  });
const reserved = (more: object) =>
  callback({ parameters: [{ name: "q", in: "query", schema: text, ...more }] });

const ANSWERS: Row[] = [
  [
    "a success beside a default that stays for errors",
    responses({ 200: {}, default: { content: json(text) } }),
    responses({ default: { content: json(text) } }),
    "breaking",
    "maybe",
  ],
  ["the only redirect", responses({ 302: {} }), responses({ 303: {} }), "breaking", "breaking"],
  ["a redirect beside a success", responses({ 200: {}, 302: {} }), responses({ 200: {} }), "safe", "safe"],
  ["a header that is exploded", header({}), header({ explode: true }), "breaking", "breaking"],
  [
    "a header as JSON",
    header({}),
    header({ schema: undefined, content: json(object({})) }),
    "breaking",
    "breaking",
  ],
  [
    "content in the answer to a callback",
    callback({}),
    callback({ responses: { 200: { description: "d", content: json(object({})) } } }),
    "maybe",
    "maybe",
  ],
  ["reserved characters in a callback", reserved({}), reserved({ allowReserved: true }), "breaking", "safe"],
];

const servers = (...each: object[]) => ({ ...describe({}), servers: each });
const region = (first: string, ...values: string[]) =>
  servers({
    url: "https://{region}.example.com",
    variables: { region: { default: first, ...(values.length > 0 ? { enum: values } : {}) } },
  });
const item = { get: { responses: {} } };
const paths = (more: object) => ({
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths: { "/a": { $ref: "#/components/pathItems/A", ...more } },
  components: { pathItems: { A: item } },
});

const ADDRESSES: Row[] = [
  ["a value of a variable", region("eu", "eu", "us"), region("eu", "eu"), "maybe", "safe"],
  ["another default of the same values", region("eu", "eu", "us"), region("us", "eu", "us"), "safe", "safe"],
  [
    "the host in other case",
    servers({ url: "https://API.example.com" }),
    servers({ url: "https://api.example.com" }),
    "safe",
    "safe",
  ],
  ["the host", servers({ url: "https://api.example.com" }), describe({}), "maybe", "safe"],
  [
    "a protocol of an operation",
    swagger({ schemes: ["https", "http"] }, { host: "a.example" }),
    swagger({ schemes: ["https"] }, { host: "a.example" }),
    "maybe",
    "safe",
  ],
  ["an operation beside a reference", paths({ put: { responses: {} } }), paths({}), "breaking", "safe"],
];

group.each([
  ["parameters", PARAMETERS],
  ["media types", MEDIA],
  ["answers", ANSWERS],
  ["addresses", ADDRESSES],
] as const)("rare changes of %s", (_, rows) => {
  test.each(rows)("%s", async (_name, before, after, level, back) => {
    const levels = [worstOf(await compareValues(before, after)), worstOf(await compareValues(after, before))];
    expect(levels).toEqual([level, back]);
  });
});
