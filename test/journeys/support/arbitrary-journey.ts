import type { FunctionName } from "@waymark/journeys/expressions/functions/declarations.ts";
import * as fc from "fast-check";

/** Workflows of one journey, as JSON, which is YAML too. Its input `pass` is the secret, `guess` a value of the author. */
export type ArbitraryJourney = Record<string, unknown>[];

const PIECES = ["kq7", "k", "m", "zw4", "Zx3", "8", "5", "admin", "ü"];
const literal = fc.constantFrom(...PIECES);

/** Expressions that have a value before a step's request, and those that have one behind it. */
const PLAIN = ["$inputs.pass", "$inputs.pass#/pass", "$inputs.guess", "$vars.pad", "$vars.list#/0"];

/** Each function, with a place for an expression in each argument that takes one. */
const CALLS: Record<FunctionName, readonly string[]> = {
  base64: ["{}"],
  base64url: ["{}"],
  hex: ["{}"],
  sha256: ["{}", "{}, 'base64'"],
  hmac: ["'sha256', {}, 'text'", "'sha1', 'key', {}, 'base64url'", "'sha512', {}, {}, 'hex', 'base64'"],
  uriEncode: ["{}"],
  lower: ["{}"],
  upper: ["{}"],
  join: ["'-', 'kq7', {}", "{}, 'k', 'm'"],
  json: ["{}"],
  length: ["{}"],
  add: ["{}, 1"],
  now: ["", "'date', '+1d'"],
  uuid: [""],
  randomInt: ["1, {}"],
  randomText: ["{}"],
  pick: ["'kq7', {}"],
  email: [""],
  firstName: [""],
  lastName: [""],
  requestBody: [""],
};

const calledWith = (expression: string) =>
  Object.entries(CALLS).flatMap(([name, all]) =>
    all.map((args) => `$fn.${name}(${args.replaceAll("{}", expression)})`),
  );
const INNER = calledWith("$inputs.pass");
const CALLED = [
  ...INNER,
  ...INNER.flatMap((inner) => ["sha256", "lower", "base64", "length"].map((name) => `$fn.${name}(${inner})`)),
];
const BEFORE = [...PLAIN, ...CALLED];
const BEHIND = [
  ...CALLED,
  ...calledWith("$response.body#/echo"),
  ...calledWith("$request.body"),
  "$url",
  "$method",
  "$statusCode",
  "$request.body",
  "$request.body#/a",
  "$request.body#/a/b",
  "$request.header.X-Key",
  "$request.query.q",
  "$request.path.p",
  "$response.body",
  "$response.body#/echo",
  "$response.body#/echo/a",
  "$response.body#/key",
  "$response.header.X-Echo",
];
const outputsOf = (step: string) => ["o", "p"].map((name) => `$steps.${step}.outputs.${name}`);

/** Selectors that tell of characters, lengths, order and presence, with a place for another expression. */
const SELECTORS: Record<string, readonly string[]> = {
  jsonpointer: ["/0", "/a", "/a/b", "/pass", "/echo", "/", "/{}"],
  jsonpath: [
    "$",
    "$.a",
    "$..*",
    "$[?match(@, 'k.*')]",
    "$..[?search(@, '[0-7]')]",
    "$[?length(@) > 14]",
    "$[?@ < 'm']",
    "$[?@ < '{}']",
    "$..[?@.a > $.key]",
    "$['{}']",
  ],
  xpath: [
    ".",
    "/a",
    "//*",
    "substring(., 1, 3)",
    "substring(/a, 2, 1)",
    "string-length(.)",
    "string-join(for $c in string-to-codepoints(string(.)) return string($c), ' ')",
    "translate(., 'kz', 'xx')",
    "contains(., 'kq')",
    "substring-after('{}', 'k')",
    "matches(., '^k')",
  ],
};
const PATTERNS: Record<string, readonly string[]> = {
  regex: ["^k", "[0-4]", "kq7", "p=k", "^.{15}$", "{}"],
  jsonpath: SELECTORS["jsonpath"] ?? [],
  xpath: ["contains(., 'k')", "starts-with(., 'k')", "string-length(.) > 14", ". < 'm'", ". = '{}'"],
};

const filled = (text: string, expression: string) => text.replaceAll("{}", `{${expression}}`);
const filledWith = (texts: fc.Arbitrary<string>, expression: fc.Arbitrary<string>) =>
  fc.tuple(texts, expression).map(([text, one]) => filled(text, one));

function selectorOf(expression: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc
    .record({ type: fc.constantFrom(...Object.keys(SELECTORS)), context: expression, embedded: expression })
    .chain(({ type, context, embedded }) =>
      fc
        .constantFrom(...(SELECTORS[type] ?? []))
        .map((selector) => ({ context, selector: filled(selector, embedded), type })),
    );
}

function templateOf(expression: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const embedded = expression.map((one) => `{${one}}`);
  const sign = fc.constantFrom("<a>", "</a>", " ", "…", "%", '"');
  const mixture = fc
    .tuple(fc.array(fc.oneof(literal, sign, embedded), { maxLength: 4 }), embedded)
    .map(([parts, last]) => [...parts, last].join(""));
  return fc.oneof(mixture, filledWith(XML, expression));
}

const XML = fc.constantFrom("<a>{}</a>", "<a b='{}'/>", "<a><![CDATA[{}]]></a>");
const JSON_TEXT = fc.constantFrom('{"a": {}}', '{"a": "{}"}', "[{}, 1]", '{"a": {"b": "{}"}}', "{}");

/** Texts, a selector, or a structure of them. */
function valueOf(expression: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const text = fc.oneof({ weight: 3, arbitrary: expression }, templateOf(expression), selectorOf(expression));
  return fc.oneof(
    { weight: 4, arbitrary: text },
    fc.record({ a: text, name: literal }),
    fc.record({ a: fc.record({ b: text }) }),
    fc.array(text, { minLength: 1, maxLength: 2 }),
  );
}

function conditionOf(expression: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const comparison = fc
    .tuple(
      expression,
      fc.constantFrom("==", "!=", "<", "<=", ">", ">="),
      fc.oneof(
        literal.map((one) => `'${one}'`),
        expression,
        fc.constantFrom("15", "null"),
      ),
    )
    .map((parts) => parts.join(" "));
  return fc.oneof(
    { weight: 4, arbitrary: comparison },
    expression,
    comparison.map((one) => `!(${one})`),
    fc.tuple(comparison, fc.constantFrom("&&", "||"), comparison).map((parts) => parts.join(" ")),
  );
}

function criterionOf(expression: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const pattern = fc
    .record({ type: fc.constantFrom(...Object.keys(PATTERNS)), context: expression, embedded: expression })
    .chain(({ type, context, embedded }) =>
      fc
        .constantFrom(...(PATTERNS[type] ?? []))
        .map((condition) => ({ context, type, condition: filled(condition, embedded) })),
    );
  return fc.oneof(
    conditionOf(expression).map((condition) => ({ condition })),
    pattern,
  );
}

const maybe = <T>(name: string, arbitrary: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<Record<string, T>> =>
  fc
    .option(arbitrary, { freq, nil: undefined })
    .map((value) => (value === undefined ? {} : { [name]: value }));

const merged = (...parts: fc.Arbitrary<Record<string, unknown>>[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Record<string, unknown>);

const PLACES = [
  { name: "X-Key", in: "header" },
  { name: "X-Authorization", in: "header" },
  { name: "X-Host", in: "header" },
  { name: "q", in: "query" },
  { name: "X-Cookie", in: "header" },
];

function parametersOf(before: fc.Arbitrary<string>, places: readonly object[]): fc.Arbitrary<unknown[]> {
  return fc
    .subarray([...places], { minLength: 1 })
    .chain((chosen) =>
      fc.tuple(...chosen.map((place) => valueOf(before).map((value) => ({ ...place, value })))),
    );
}

function bodyOf(before: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> {
  const content = fc.oneof(
    fc.record({
      contentType: fc.constant("application/json"),
      payload: fc.oneof(valueOf(before), filledWith(JSON_TEXT, before)),
    }),
    fc.record({ contentType: fc.constant("text/xml"), payload: filledWith(XML, before) }),
    fc.record({ contentType: fc.constant("text/plain"), payload: templateOf(before) }),
    fc.record({
      contentType: fc.constant("application/x-www-form-urlencoded"),
      payload: fc.record({ a: before, b: templateOf(before) }),
    }),
  );
  const target = fc.oneof(
    fc.constantFrom("/a", "/a/b", "/name").map((one) => ({ target: one })),
    fc.tuple(fc.constantFrom(...(SELECTORS["jsonpath"] ?? [])), before).map(([one, it]) => ({
      target: filled(one, it),
      targetSelectorType: "jsonpath",
    })),
    fc.tuple(fc.constantFrom("/a", "//a[. > 'm']", "//*[contains(., 'k')]"), before).map(([one]) => ({
      target: one,
      targetSelectorType: "xpath",
    })),
  );
  const replacement = fc.tuple(target, valueOf(before)).map(([one, value]) => ({ ...one, value }));
  return merged(content, maybe("replacements", fc.array(replacement, { minLength: 1, maxLength: 2 }), 3));
}

/** Own and foreign addresses, with an expression in each part of one. */
const ADDRESSES = [
  "https://api.example/x/{}",
  "https://api.example/x?p={}",
  "https://{}.example/",
  "https://a{}",
  "https://{}@other.example/",
  "https://other.example/{}",
  "https://other.example/?p={}",
  "{}/x",
  "https://other.example:{}/",
];

function requestOf(before: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> {
  const external = fc
    .tuple(fc.constantFrom(...ADDRESSES), before, fc.constantFrom("GET", "POST"))
    .map(([url, it, method]) => ({ "x-operation": { method, url: filled(url, it) } }));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({ operationId: "aPost" }) },
    { weight: 1, arbitrary: external },
  );
}

function actionsOf(expression: fc.Arbitrary<string>, types: readonly object[]): fc.Arbitrary<unknown[]> {
  return fc
    .tuple(fc.constantFrom(...types), fc.array(criterionOf(expression), { minLength: 1, maxLength: 2 }))
    .map(([type, criteria]) => [{ name: "act", ...type, criteria }]);
}

/** Secrets, what was made of them, and what has a structure that a query goes into are the most frequent. */
function stepOf(stepId: string, earlier: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const before = fc.oneof(
    { weight: 3, arbitrary: fc.constant("$inputs.pass") },
    fc.constantFrom(...PLAIN),
    { weight: 2, arbitrary: fc.constantFrom(...CALLED) },
    ...(earlier.length === 0 ? [] : [fc.constantFrom(...earlier.flatMap(outputsOf))]),
  );
  const behind = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("$request.body", "$response.body", "$response.body#/echo") },
    fc.constantFrom(...BEHIND),
    { weight: 2, arbitrary: before },
  );
  const outputs = fc.record({
    o: fc.oneof(behind, selectorOf(behind), templateOf(behind)),
    p: fc.oneof(behind, selectorOf(behind)),
  });
  return merged(
    fc.constant({ stepId }),
    requestOf(before),
    maybe("parameters", parametersOf(before, PLACES), 4),
    maybe("requestBody", bodyOf(before), 8),
    maybe("successCriteria", fc.array(criterionOf(behind), { minLength: 1, maxLength: 3 }), 4),
    maybe("onSuccess", actionsOf(behind, [{ type: "end" }, { type: "goto", stepId: "three" }]), 1),
    maybe(
      "onFailure",
      actionsOf(behind, [{ type: "end" }, { type: "retry", retryLimit: 1, retryAfter: 0 }]),
      1,
    ),
    maybe(
      "x-journey",
      conditionOf(behind).map((until) => ({ poll: { until, everyMs: 1, maxMs: 3 } })),
      1,
    ),
    fc.record({ outputs }),
  );
}

/** A step that gives what it has to another workflow. */
function callOf(earlier: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const before = fc.constantFrom(...BEFORE, ...earlier.flatMap(outputsOf));
  const behind = fc.oneof(
    before,
    fc.constantFrom("$url", "$request.body", "$response.body#/echo", "$outputs.o"),
  );
  return merged(
    fc.constant({ stepId: "two", workflowId: "sub" }),
    fc.record({ parameters: valueOf(before).map((value) => [{ name: "word", value }]) }),
    maybe("successCriteria", fc.array(criterionOf(behind), { minLength: 1, maxLength: 2 })),
    fc.record({
      outputs: fc.record({ o: fc.constant("$outputs.o"), p: selectorOf(fc.constant("$outputs.o")) }),
    }),
  );
}

/** Schemas of an input that tell of its value. */
const SCHEMAS: readonly unknown[] = [
  true,
  { type: "string", pattern: "^k" },
  { enum: ["kq7", 5] },
  { not: { minLength: 15 } },
  { type: "object", properties: { a: { pattern: "k" } } },
  { type: "integer" },
  { format: "email" },
];

const inputsOf = (name: string, schema: unknown, more: object = {}) => ({
  type: "object",
  properties: { [name]: schema, ...more },
});

/** Journeys whose steps use expressions of each kind in each place that the documents have for one. */
export const arbitraryJourney: fc.Arbitrary<ArbitraryJourney> = fc
  .record({
    one: stepOf("one", []),
    two: fc.oneof({ weight: 3, arbitrary: stepOf("two", ["one"]) }, callOf(["one"])),
    three: stepOf("three", ["one", "two"]),
    sub: merged(
      fc.constant({ stepId: "in-sub", operationId: "bPost" }),
      fc.record({ requestBody: bodyOf(fc.constantFrom("$inputs.word", "$inputs.word#/a")) }),
      fc.record({
        outputs: fc.record({
          o: selectorOf(fc.constantFrom("$request.body", "$inputs.word", "$response.body")),
        }),
      }),
    ),
    pass: fc.constantFrom(...SCHEMAS.filter((schema) => schema === true), { type: "string" }, ...SCHEMAS),
    word: fc.constantFrom(...SCHEMAS),
    all: valueOf(fc.constantFrom("$inputs.pass", "$steps.three.outputs.o", "$steps.one.outputs.p")),
  })
  .map(({ one, two, three, sub, pass, word, all }) => [
    {
      workflowId: "main",
      inputs: inputsOf("pass", pass, { guess: { type: "string", default: "kq7" } }),
      steps: [one, two, three],
      outputs: { all: typeof all === "string" ? all : "$steps.one.outputs.o" },
      "x-journey": { vars: { pad: "x".repeat(4_090), list: ["https://other.example"] } },
    },
    {
      workflowId: "sub",
      inputs: inputsOf("word", word),
      steps: [sub],
      outputs: { o: "$steps.in-sub.outputs.o" },
    },
  ]);
