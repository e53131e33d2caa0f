import { describe, expect, test } from "vitest";
import { compareValues, worstOf } from "./test-support/compare-texts.ts";
import type { Level } from "./verdict.ts";

/** Name, description before, description after, level, and the level of the change back. */
type Row = [string, object, object, Level, Level];

const done = { responses: { 200: { description: "d" } } };
const contract = (more: object) => ({
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths: { "/a": { get: done } },
  ...more,
});
const paths = (by: Record<string, object>) =>
  contract({
    paths: Object.fromEntries(
      Object.entries(by).map(([path, operation]) => [path, { get: { ...done, ...operation } }]),
    ),
  });
const pathParameter = (...names: string[]) => ({
  parameters: names.map((name, index) => ({
    name,
    in: "path",
    required: true,
    schema: { type: index === 0 ? "string" : "integer" },
  })),
});

const PATHS: Row[] = [
  ["an operation", paths({ "/a": {} }), paths({ "/a": {}, "/b": {} }), "safe", "breaking"],
  [
    "a deprecated operation without an end",
    paths({ "/a": {}, "/b": { deprecated: true } }),
    paths({ "/a": {} }),
    "breaking",
    "safe",
  ],
  [
    "an operation after its end",
    paths({ "/a": {}, "/b": { deprecated: true, "x-sunset": "2026-01-30" } }),
    paths({ "/a": {} }),
    "safe",
    "safe",
  ],
  [
    "an operation before its end",
    paths({ "/a": {}, "/b": { deprecated: true, "x-sunset": "2026-02-01" } }),
    paths({ "/a": {} }),
    "breaking",
    "safe",
  ],
  [
    "an operation with an unreadable end",
    paths({ "/a": {}, "/b": { deprecated: true, "x-sunset": "soon" } }),
    paths({ "/a": {} }),
    "breaking",
    "safe",
  ],
  [
    "the end of an operation",
    paths({ "/a": { deprecated: true, "x-sunset": "2099-02-01" } }),
    paths({ "/a": { deprecated: true, "x-sunset": "2099-01-01" } }),
    "safe",
    "safe",
  ],
  ["a slash at the end", paths({ "/a": {} }), paths({ "/a/": {} }), "breaking", "breaking"],
  [
    "the name of a path parameter",
    paths({ "/a/{x}": pathParameter("x") }),
    paths({ "/a/{y}": pathParameter("y") }),
    "safe",
    "safe",
  ],
  [
    "two names of path parameters exchanged",
    paths({ "/a/{x}/{y}": pathParameter("x", "y") }),
    paths({ "/a/{y}/{x}": pathParameter("y", "x") }),
    "safe",
    "safe",
  ],
];

const at = (...urls: string[]) => contract({ servers: urls.map((url) => ({ url })) });

const SERVERS: Row[] = [
  ["a server", at("https://a.example"), at("https://a.example", "https://b.example"), "safe", "maybe"],
  ["the path of the server", at("https://a.example/v1"), at("https://a.example/v2"), "breaking", "breaking"],
  ["the host of the server", at("https://a.example/v1"), at("https://b.example/v1"), "maybe", "maybe"],
  [
    "a base path that moves into the paths",
    contract({ servers: [{ url: "/v1" }] }),
    contract({ paths: { "/v1/a": { get: done } } }),
    "safe",
    "safe",
  ],
  [
    "a base path that moves from an absolute server into the paths",
    at("https://a.example/v1"),
    contract({ servers: [{ url: "https://a.example" }], paths: { "/v1/a": { get: done } } }),
    "safe",
    "safe",
  ],
  [
    "one of two base paths that moves into the paths",
    at("https://a.example/v1", "https://b.example/v1"),
    contract({ servers: [{ url: "https://a.example" }], paths: { "/v1/a": { get: done } } }),
    "maybe",
    "safe",
  ],
  ["a server written out", contract({}), at("/"), "safe", "safe"],
];

const schemes = {
  key: { type: "apiKey", in: "header", name: "X-Key" },
  oauth: {
    type: "oauth2",
    flows: { clientCredentials: { tokenUrl: "https://a.example/token", scopes: { read: "r", write: "w" } } },
  },
};
const secured = (security: object[] | undefined, securitySchemes: object = schemes) =>
  contract({ security, components: { securitySchemes } });
const renamed = contract({
  security: [{ other: [] }],
  components: { securitySchemes: { other: { ...schemes.key, name: "x-key" } } },
});
const moved = {
  ...schemes.oauth,
  flows: { clientCredentials: { tokenUrl: "https://b.example/token", scopes: { read: "r", write: "w" } } },
};

const SECURITY: Row[] = [
  ["a requirement", secured(undefined), secured([{ key: [] }]), "breaking", "safe"],
  ["an alternative", secured([{ key: [] }]), secured([{ key: [] }, { oauth: [] }]), "safe", "breaking"],
  ["no need of credentials", secured([{ key: [] }]), secured([{ key: [] }, {}]), "safe", "breaking"],
  [
    "a scheme that is needed as well",
    secured([{ key: [] }]),
    secured([{ key: [], oauth: [] }]),
    "breaking",
    "safe",
  ],
  ["a scope", secured([{ oauth: ["read"] }]), secured([{ oauth: ["read", "write"] }]), "breaking", "safe"],
  ["another name of a scheme", secured([{ key: [] }]), renamed, "safe", "safe"],
  [
    "another key",
    secured([{ key: [] }]),
    secured([{ key: [] }], { key: { ...schemes.key, in: "query" } }),
    "breaking",
    "breaking",
  ],
  [
    "the address of tokens",
    secured([{ oauth: ["read"] }]),
    secured([{ oauth: ["read"] }], { oauth: moved }),
    "maybe",
    "maybe",
  ],
  [
    "a scope that is no longer defined",
    secured([{ oauth: ["read"] }]),
    secured([{ oauth: ["read"] }], {
      oauth: {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: "https://a.example/token", scopes: {} } },
      },
    }),
    "maybe",
    "safe",
  ],
  ["a scheme that nothing uses", secured(undefined), contract({}), "safe", "safe"],
  [
    "the same requirement at the operation",
    secured([{ key: [] }]),
    contract({
      components: { securitySchemes: schemes },
      paths: { "/a": { get: { ...done, security: [{ key: [] }] } } },
    }),
    "safe",
    "safe",
  ],
];

const hook = (body: object | undefined, more: object = {}) =>
  contract({
    webhooks:
      body === undefined
        ? {}
        : {
            event: {
              post: { ...done, requestBody: { content: { "application/json": { schema: body } }, ...more } },
            },
          },
  });
const payload = (type: string, required: string[] = []) => ({
  type: "object",
  properties: { a: { type } },
  required,
});

const WEBHOOKS: Row[] = [
  ["a webhook", hook(undefined), hook(payload("string")), "safe", "breaking"],
  [
    "a property that always comes",
    hook(payload("string")),
    hook(payload("string", ["a"])),
    "safe",
    "breaking",
  ],
  ["a type of the payload", hook(payload("string")), hook(payload("integer")), "breaking", "breaking"],
  [
    "a payload that always comes",
    hook(payload("string")),
    hook(payload("string"), { required: true }),
    "safe",
    "breaking",
  ],
];

describe.each([
  ["paths", PATHS],
  ["servers", SERVERS],
  ["security", SECURITY],
  ["webhooks", WEBHOOKS],
] as const)("changes of %s", (_, rows) => {
  test.each(rows)("%s", async (_name, before, after, level, back) => {
    expect([
      worstOf(await compareValues(before, after)),
      worstOf(await compareValues(after, before)),
    ]).toEqual([level, back]);
  });
});

test("an end that comes sooner than the days of notice is a finding, by the level of stability", async () => {
  const ending = (day: string, level?: string) =>
    paths({ "/a": { deprecated: true, "x-sunset": day, "x-stability-level": level } });
  const judge = async (head: object, base: object = paths({ "/a": {} })) => {
    const verdicts = await compareValues(base, head, { noticeDays: { default: 90, beta: 30 } });
    return verdicts.filter(({ level }) => level !== "safe").map(({ id }) => id);
  };
  expect(await judge(ending("2026-04-30"))).toEqual(["sunset-too-near"]);
  expect(await judge(ending("2026-05-01"))).toEqual([]);
  expect(await judge(ending("2026-03-02", "beta"), paths({ "/a": { "x-stability-level": "beta" } }))).toEqual(
    [],
  );
  expect(await judge(ending("2026-03-01"), ending("2026-03-01"))).toEqual([]);
  expect(await judge(ending("2026-03-01"), ending("2026-06-01"))).toEqual(["sunset-too-near"]);
});

test("an end that is moved to a later day is not too near, however near it is", async () => {
  const ending = (day: string) => paths({ "/a": { deprecated: true, "x-sunset": day } });
  const judge = async (from: string, to: string) => {
    const verdicts = await compareValues(ending(from), ending(to), { noticeDays: { default: 90 } });
    return verdicts.map(({ id }) => id);
  };
  expect(await judge("2026-02-10", "2026-02-20")).toEqual([]);
  expect(await judge("soon", "2026-02-20")).toEqual(["sunset-too-near"]);
});

test.each([
  ["2026-02-01", "Days until the operation ends: 1. Days of notice by the rule: 90."],
  ["2026-01-31", "The operation's end is not in the future. Days of notice by the rule: 90."],
  ["2020-01-01", "The operation's end is not in the future. Days of notice by the rule: 90."],
])("the end %s is too near, with the days that are left", async (day, message) => {
  const head = paths({ "/a": { deprecated: true, "x-sunset": day } });
  const verdicts = await compareValues(paths({ "/a": {} }), head, { noticeDays: { default: 90 } });
  expect(verdicts).toContainEqual(
    expect.objectContaining({ id: "sunset-too-near", message: expect.stringContaining(message) }),
  );
});

test("a moved operation is one change", async () => {
  const verdicts = await compareValues(
    paths({ "/a": { operationId: "a" } }),
    paths({ "/b": { operationId: "a" } }),
  );
  expect(verdicts).toMatchObject([
    { id: "operation-moved", level: "breaking", before: "GET /a", after: "GET /b" },
  ]);
});

test("another base path is one change of all operations", async () => {
  const two = { "/a": { get: done }, "/b": { get: done } };
  const verdicts = await compareValues(
    contract({ paths: two, servers: [{ url: "/v1" }] }),
    contract({ paths: two, servers: [{ url: "/v2" }] }),
  );
  expect(verdicts).toMatchObject([{ id: "base-path-changed", operations: [{ path: "/a" }, { path: "/b" }] }]);
});
