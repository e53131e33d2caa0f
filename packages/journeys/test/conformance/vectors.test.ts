import { describe, expect, test } from "vitest";
import { evaluate, renderTemplate } from "../../src/expressions/evaluate.ts";
import { parseExpression } from "../../src/expressions/parse.ts";
import type { Scope } from "../../src/expressions/scope.ts";
import { parseTemplate } from "../../src/expressions/template.ts";
import { evaluateCriterion } from "../../src/criteria/evaluate-criterion.ts";
import { createLocalEvaluator } from "../../src/evaluation/local-evaluator.ts";
import { parseCriterion } from "../../src/criteria/parse-criterion.ts";
import { VECTORS } from "./vectors.ts";
import type { Vector, World } from "./vectors.ts";

const evaluator = createLocalEvaluator();

const BODY = {
  name: "Rex",
  quote: "it's",
  greeting: "hello rex",
  count: 5,
  zero: 0,
  yes: true,
  no: false,
  nothing: null,
  tags: ["cute", "small"],
  owner: { name: "Ann", age: 40 },
  list: [
    { id: 1, label: "a" },
    { id: 2, label: "b" },
  ],
  "a/b": "slash",
  "m~n": "tilde",
  "": "empty key",
};

function world(changes: World = {}): Scope {
  return {
    self: "https://example.com/pets.arazzo.yaml",
    url: "https://api.example/pets/7?verbose=true",
    method: "POST",
    statusCode: changes.status ?? 200,
    request: {
      headers: { accept: "application/json" },
      path: { id: 7 },
      query: { verbose: true },
      body: { user: { uuid: "u-1" } },
    },
    response: {
      headers: { "x-rate": "42", "x-mode": "Strict" },
      body: "body" in changes ? changes.body : BODY,
    },
    inputs: {
      name: "Rex",
      label: "b",
      wanted: 2,
      threshold: 3,
      flag: true,
      "dotted.name": "d",
      xml: "<root><pets><pet age='5'>Rex</pet></pets><empty/></root>",
    },
    outputs: { bar: "b" },
    vars: {},
    steps: new Map([["find", { outputs: { pets: [{ id: 7 }] } }]]),
    workflows: new Map([
      ["login", { inputs: { user: "ann" }, outputs: { token: "t-1", session: { id: 3 } } }],
    ]),
    sources: new Map([["petstore", { url: "https://api.example/petstore.yaml", type: "openapi" }]]),
  };
}

describe("the Arazzo specification's verdicts", () => {
  test("there are at least 120 vectors and none twice", () => {
    expect(VECTORS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(VECTORS.map((vector) => JSON.stringify(vector))).size).toBe(VECTORS.length);
  });

  test.each(VECTORS.map((vector) => [vector.section, JSON.stringify(vector), vector] as const))(
    "%s: %s",
    async (_section, _text, vector) => {
      expect(await observed(vector)).toEqual(demanded(vector));
    },
  );
});

type Observed =
  | { valid: boolean }
  | { value: unknown }
  | { status: "passed" | "failed" | "error"; explained: boolean }
  | { problem: string };

function demanded(vector: Vector): Observed {
  if ("invalid" in vector) return { valid: false };
  if ("passes" in vector) return { status: vector.passes ? "passed" : "failed", explained: !vector.passes };
  return { value: vector.value };
}

async function observed(vector: Vector): Promise<Observed> {
  if ("invalid" in vector) {
    const inCondition = vector.section.startsWith("Criterion");
    const parse = inCondition
      ? parseCriterion({ condition: vector.invalid })
      : parseExpression(vector.invalid);
    return { valid: parse.ok };
  }
  const scope = world(vector.with);
  if ("expression" in vector) {
    const parsed = parseExpression(vector.expression);
    return parsed.ok ? { value: evaluate(parsed.value, scope) } : { problem: parsed.problem.message };
  }
  if ("text" in vector) {
    const parsed = parseTemplate(vector.text);
    return parsed.ok ? { value: renderTemplate(parsed.value, scope) } : { problem: parsed.problem.message };
  }
  const parsed = parseCriterion(vector);
  if (!parsed.ok) return { problem: parsed.message };
  const verdict = await evaluateCriterion(parsed.criterion, scope, evaluator);
  return { status: verdict.status, explained: verdict.explanation !== "" };
}
