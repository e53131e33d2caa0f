import { describe as group, expect, test } from "vitest";
import { compareValues, describe, worstOf } from "./test-support/compare-texts.ts";
import type { Level } from "./verdict.ts";

/** Name, operation before, operation after, level, and the level of the change back. */
type Row = [string, object, object, Level, Level];

const text = { type: "string" };
const query = (more: object = {}) => ({ parameters: [{ name: "q", in: "query", schema: text, ...more }] });
const header = (name: string, more: object = {}) => ({
  parameters: [{ name, in: "header", schema: text, ...more }],
});
const list = { type: "array", items: text };

const PARAMETERS: Row[] = [
  ["an optional parameter", {}, query(), "safe", "maybe"],
  ["a required parameter", {}, query({ required: true }), "breaking", "maybe"],
  [
    "a required parameter with a default",
    {},
    query({ required: true, schema: { ...text, default: "a" } }),
    "breaking",
    "maybe",
  ],
  ["a parameter that is now required", query(), query({ required: true }), "breaking", "safe"],
  [
    "a parameter in another place",
    query({ required: true }),
    header("q", { required: true }),
    "breaking",
    "breaking",
  ],
  ["a header in other case", header("X-Trace"), header("x-trace"), "safe", "safe"],
  ["a query parameter in other case", query(), query({ name: "Q" }), "maybe", "maybe"],
  ["headers that the standard ignores", {}, header("Authorization", { required: true }), "safe", "safe"],
  [
    "a style",
    query({ schema: list }),
    query({ schema: list, style: "pipeDelimited", explode: false }),
    "breaking",
    "breaking",
  ],
  [
    "a list that is no longer exploded",
    query({ schema: list }),
    query({ schema: list, explode: false }),
    "breaking",
    "breaking",
  ],
  ["a style of a scalar written out", query(), query({ style: "form", explode: true }), "safe", "safe"],
  [
    "content instead of a schema",
    query(),
    query({ schema: undefined, content: { "application/json": { schema: text } } }),
    "breaking",
    "breaking",
  ],
  ["reserved characters", query({ allowReserved: true }), query(), "breaking", "safe"],
  ["an empty value", query({ allowEmptyValue: true }), query(), "breaking", "safe"],
  ["a number that is now any text", query({ schema: { type: "number" } }), query(), "safe", "breaking"],
  ["a scalar that is now an exploded list", query(), query({ schema: list }), "safe", "breaking"],
  ["a limit", query(), query({ schema: { ...text, maxLength: 3 } }), "breaking", "safe"],
  [
    "a limit inside content",
    query({ content: { "application/json": { schema: { type: "object" } } } }),
    query({ content: { "application/json": { schema: { type: "object", required: ["a"] } } } }),
    "breaking",
    "safe",
  ],
  [
    "a default",
    query({ schema: { ...text, default: "a" } }),
    query({ schema: { ...text, default: "b" } }),
    "maybe",
    "maybe",
  ],
  [
    "a default of a required parameter",
    query({ required: true, schema: { ...text, default: "a" } }),
    query({ required: true, schema: { ...text, default: "b" } }),
    "safe",
    "safe",
  ],
  ["a deprecated parameter that goes", query({ deprecated: true }), {}, "safe", "safe"],
  [
    "a parameter that goes before its end",
    query({ deprecated: true, "x-sunset": "2099-01-01" }),
    {},
    "maybe",
    "safe",
  ],
  [
    "two parameters as one exploded object",
    {
      parameters: [
        { name: "a", in: "query", schema: text },
        { name: "b", in: "query", schema: text },
      ],
    },
    query({ schema: { type: "object", properties: { a: text, b: text } } }),
    "safe",
    "safe",
  ],
];

const body = (content: object, more: object = {}) => ({ requestBody: { content, ...more } });
const json = { "application/json": { schema: text } };
const multipart = (encoding: object) =>
  body({ "multipart/form-data": { schema: { type: "object", properties: { a: text } }, encoding } });

const BODIES: Row[] = [
  ["an optional body", {}, body(json), "safe", "breaking"],
  ["a required body", {}, body(json, { required: true }), "breaking", "breaking"],
  ["a body that is now required", body(json), body(json, { required: true }), "breaking", "safe"],
  ["a media type", body(json), body({ ...json, "text/csv": { schema: text } }), "safe", "breaking"],
  ["a range that covers the type", body(json), body({ "*/*": { schema: text } }), "safe", "breaking"],
  [
    "a parameter of the type",
    body(json),
    body({ "application/json; charset=utf-8": { schema: text } }),
    "safe",
    "safe",
  ],
  ["a schema where there was none", body({ "application/json": {} }), body(json), "breaking", "safe"],
  [
    "the content type of a part",
    multipart({ a: { contentType: "text/plain, text/csv" } }),
    multipart({ a: { contentType: "text/csv" } }),
    "breaking",
    "safe",
  ],
  [
    "the style of a part",
    multipart({ a: { style: "form" } }),
    multipart({ a: { style: "deepObject" } }),
    "breaking",
    "breaking",
  ],
  [
    "a header of a part",
    multipart({ a: {} }),
    multipart({ a: { headers: { "X-A": { required: true, schema: text } } } }),
    "breaking",
    "safe",
  ],
];

const responses = (by: Record<string, object>) => ({
  responses: Object.fromEntries(
    Object.entries(by).map(([status, more]) => [status, { description: "d", ...more }]),
  ),
});
const ok = (more: object) => responses({ 200: more });
const headers = (more: object | undefined) =>
  ok(more === undefined ? {} : { headers: { "X-Rate": { schema: text, ...more } } });

const RESPONSES: Row[] = [
  ["a success status", ok({}), responses({ 200: {}, 201: {} }), "safe", "breaking"],
  ["another success status", ok({}), responses({ 202: {} }), "breaking", "breaking"],
  ["an error status", ok({}), responses({ 200: {}, 404: {} }), "safe", "safe"],
  [
    "a range that covers the code",
    ok({ content: json }),
    responses({ "2XX": { content: json } }),
    "safe",
    "safe",
  ],
  [
    "an error with a schema of its own",
    responses({ 200: {}, default: { content: json } }),
    responses({
      200: {},
      404: { content: { "application/json": { schema: { type: "integer" } } } },
      default: { content: json },
    }),
    "maybe",
    "maybe",
  ],
  ["a media type", ok({ content: json }), ok({ content: { ...json, "text/csv": {} } }), "safe", "breaking"],
  ["any media type", ok({ content: json }), ok({ content: { "*/*": { schema: text } } }), "breaking", "safe"],
  [
    "a relative of the media type",
    ok({ content: json }),
    ok({ content: { "application/problem+json": { schema: text } } }),
    "breaking",
    "breaking",
  ],
  ["no content", ok({ content: json }), ok({}), "breaking", "safe"],
  ["no schema", ok({ content: json }), ok({ content: { "application/json": {} } }), "maybe", "safe"],
  ["an optional header", headers({}), headers(undefined), "maybe", "safe"],
  ["a required header", headers({ required: true }), headers(undefined), "breaking", "safe"],
  ["a header that is now optional", headers({ required: true }), headers({}), "breaking", "safe"],
  [
    "a value of a header",
    headers({ schema: { enum: ["a"] } }),
    headers({ schema: { enum: ["a", "b"] } }),
    "breaking",
    "safe",
  ],
  [
    "a header that can be null",
    headers({}),
    headers({ schema: { type: ["string", "null"] } }),
    "breaking",
    "safe",
  ],
];

const LIFECYCLE: Row[] = [
  ["deprecated", {}, { deprecated: true }, "safe", "safe"],
  ["another operationId", { operationId: "a" }, { operationId: "b" }, "maybe", "maybe"],
  ["a new operationId", {}, { operationId: "b" }, "safe", "maybe"],
  [
    "texts for readers",
    { summary: "a", tags: ["a"], description: "a" },
    { tags: ["b"], externalDocs: { url: "https://a.example" } },
    "safe",
    "safe",
  ],
];

const onEvent = (more: object) => ({
  callbacks: {
    done: { "{$request.body#/url}": { post: { responses: { 200: { description: "d" } }, ...more } } },
  },
});
const event = (schema: object, more: object = {}) =>
  onEvent({ requestBody: { content: { "application/json": { schema } }, ...more } });
const answer = (schema: object) => onEvent(ok({ content: { "application/json": { schema } } }));

const CALLBACKS: Row[] = [
  ["a callback", {}, onEvent({}), "safe", "breaking"],
  [
    "a payload that is shorter",
    event({ ...text, maxLength: 9 }),
    event({ ...text, maxLength: 8 }),
    "safe",
    "breaking",
  ],
  ["a payload that always comes", event(text), event(text, { required: true }), "safe", "breaking"],
  [
    "an answer that needs a property",
    answer({ type: "object" }),
    answer({ type: "object", required: ["a"] }),
    "breaking",
    "safe",
  ],
  [
    "a type of the answer",
    onEvent(ok({ content: { ...json, "text/csv": {} } })),
    onEvent(ok({ content: json })),
    "breaking",
    "safe",
  ],
];

group.each([
  ["parameters", PARAMETERS],
  ["bodies", BODIES],
  ["responses", RESPONSES],
  ["the life of an operation", LIFECYCLE],
  ["callbacks", CALLBACKS],
] as const)("changes of %s", (_, rows) => {
  test.each(rows)("%s", async (_name, before, after, level, back) => {
    const [base, head] = [describe(before), describe(after)];
    expect([worstOf(await compareValues(base, head)), worstOf(await compareValues(head, base))]).toEqual([
      level,
      back,
    ]);
  });
});
