import { journey, oneStep } from "./case.ts";
import type { HostileCase } from "./case.ts";

/** A step whose response is checked with a schema of its description. */
function contract(
  what: string,
  schema: unknown,
  body: () => unknown,
  schemas: Record<string, unknown> = {},
): HostileCase {
  const responses = { 200: { description: "", content: { "application/json": { schema } } } };
  const source = {
    openapi: "3.1.0",
    servers: [{ url: "https://api.example" }],
    components: { schemas },
    paths: { "/a": { get: { operationId: "a", responses } } },
  };
  const answer = () => ({ status: 200, body: body() });
  const end = journey({ workflows: oneStep("timeout: 5000"), source, answer });
  return { what: `JSON Schema, ${what}`, end };
}

function inputs(what: string, schema: unknown, given: Record<string, unknown>): HostileCase {
  const workflows = `\n  - workflowId: main\n    inputs: ${JSON.stringify(schema)}\n    steps: [{ stepId: one, operationId: a }]\ncomponents: { inputs: ${JSON.stringify(doubledInputs)} }`;
  const answer = () => ({ status: 200 });
  return { what: `inputs, ${what}`, end: journey({ workflows, answer, options: { inputs: given } }) };
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Schemas L0, L1, …, each of which is made from the next one. */
function levels(count: number, make: (next: object) => unknown, last: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`L${n}`, n === count - 1 ? last : make(ref(`L${n + 1}`))]),
  );
}

const doubled = (next: object) => ({ anyOf: [next, next] });
/** Components of a document: inputs D0, D1, …, each of which is made from the next one twice. */
const doubledInputs = Object.fromEntries(
  Array.from({ length: 24 }, (_, n) => {
    const next = n === 23 ? { type: "integer" } : { $ref: `#/components/inputs/D${n + 1}` };
    return [`D${n}`, { anyOf: [next, next] }];
  }),
);
const tree = {
  anyOf: [{ properties: { a: ref("T") } }, { properties: { a: ref("T") } }, false],
  required: ["b"],
};

function deep(levelCount: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levelCount; level++) value = { a: value };
  return value;
}

const objects = () => Array.from({ length: 20_000 }, (_, n) => ({ n, name: `item ${n}`, list: [n] }));

export const SCHEMAS: HostileCase[] = [
  contract("20 levels of doubling anyOf", ref("L0"), () => "x", levels(20, doubled, { type: "integer" })),
  contract(
    "60 levels of doubling allOf",
    ref("L0"),
    () => 1,
    levels(60, (next) => ({ allOf: [next, next] }), { type: "integer" }),
  ),
  contract(
    "15 levels of doubling oneOf",
    ref("L0"),
    () => "x",
    levels(15, (next) => ({ oneOf: [next, next] }), { type: "integer" }),
  ),
  contract(
    "a chain of 1,000 references",
    ref("L0"),
    () => "x",
    levels(1_000, (next) => ({ allOf: [next] }), { type: "integer" }),
  ),
  contract(
    "a chain of 30 bare references",
    ref("L0"),
    () => "x",
    levels(30, (next) => next, { type: "integer" }),
  ),
  contract("a reference to itself", ref("L"), () => "x", { L: ref("L") }),
  contract("allOf with itself", ref("L"), () => "x", { L: { allOf: [ref("L")] } }),
  contract("a tree in two ways, 400 levels", ref("T"), () => deep(400), { T: tree }),
  contract("unique items among 20,000 objects", { type: "array", uniqueItems: true }, objects),
  contract("a pattern", { pattern: "^(a+)+$" }, () => `${"a".repeat(5_000)}!`),
  contract("a pattern for names", { patternProperties: { "^(a+)+$": true } }, () => ({
    [`${"a".repeat(5_000)}!`]: 1,
  })),
  contract("a format", { format: "uri" }, () => `http://${"a.".repeat(100_000)}`),
  contract(
    "30,000 alternatives",
    { anyOf: Array.from({ length: 30_000 }, (_, n) => ({ const: n })) },
    () => "x",
  ),
  contract("150,000 alternatives", { enum: Array.from({ length: 150_000 }, (_, n) => n) }, () => "x"),
  contract("a valid body of 3 MB", { type: "array", items: { type: "object", required: ["n"] } }, () => [
    ...objects(),
    ...objects(),
    ...objects(),
  ]),
  contract("contains among 20,000 items", { contains: { contains: { contains: false } } }, objects),
  contract(
    "unevaluatedProperties in 300 allOf",
    { allOf: Array.from({ length: 300 }, () => ({ unevaluatedProperties: { pattern: "(a|a)*$" } })) },
    () => ({ a: `${"a".repeat(40)}!` }),
  ),
  inputs(
    "24 levels of doubling anyOf",
    { properties: { x: { $ref: "#/components/inputs/D0" } } },
    { x: "x" },
  ),
  inputs("a pattern", { properties: { x: { pattern: "^(a+)+$" } } }, { x: `${"a".repeat(5_000)}!` }),
];
