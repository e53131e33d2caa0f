import { expect, test } from "vitest";
import { createSchemaTable } from "../openapi/schemas.ts";
import { comparePrograms } from "./compare-programs.ts";
import type { Program } from "../program/program.ts";

/** A program of one step, whose operation answers with the schema `Order` of these components. */
function programWith(components: Record<string, unknown>): Program {
  const document = { openapi: "3.1.0", components: { schemas: components } };
  const source = { name: "api", url: "https://a.example/openapi.json", document };
  const { add, schemas } = createSchemaTable();
  const pointer = "/components/schemas/Order";
  const key = add(source, { value: components["Order"], file: "", pointer });
  const step = { id: "a", parameters: [], credentials: [], criteria: [], onSuccess: [], onFailure: [] };
  const workflow = {
    id: "w",
    secrets: [],
    vars: {},
    dependsOn: [],
    outputs: {},
    teardown: [],
    acceptance: [],
  };
  const target = { kind: "operation" as const, operation: "get" };
  return {
    format: "journey-program/1",
    journey: { id: "j", title: "J", version: "1" },
    entry: "w",
    workflows: { w: { ...workflow, steps: [{ ...step, target, outputs: {}, dependsOn: [] }] } },
    operations: {
      get: {
        source: "api",
        method: "get",
        path: "/orders",
        parameters: {},
        request: [],
        responses: { 200: { content: { "application/json": key } } },
        security: [],
      },
    },
    schemas,
    sources: {},
  };
}

function partsOf(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  return comparePrograms(programWith(before), programWith(after)).steps.flatMap(({ parts }) => parts);
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const ORDERS = {
  Order: { type: "array", items: ref("Line~1Item") },
  "Line/Item": { type: "object", properties: { price: ref("Price"), parent: ref("Line~1Item") } },
  Price: { type: "number" },
};

test.each([
  ["that a response names", { Order: { type: "array" } }],
  ["that it refers to", { "Line/Item": { type: "object", properties: { price: ref("Price") } } }],
  ["that it refers to through another one", { Price: { type: "string" } }],
])("a changed schema %s is a change of the responses", (_, changed) => {
  expect(partsOf(ORDERS, { ...ORDERS, ...changed })).toEqual(["responses"]);
  expect(partsOf({ ...ORDERS, ...changed }, ORDERS)).toEqual(["responses"]);
});

test("equal programs have no changes, nor has one with a schema that no response reaches", () => {
  expect(comparePrograms(programWith(ORDERS), programWith(ORDERS))).toEqual({ steps: [], workflows: [] });
  expect(partsOf(ORDERS, { ...ORDERS, Other: { type: "string" } })).toEqual([]);
});
