import { readFileSync } from "node:fs";
import type { AnySchemaObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ARAZZO_DOCUMENTS, WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { journeyJsonSchema } from "./json-schema.ts";
import { parseDocument } from "./parse.ts";

const published = new URL("../../schema/journey.schema.json", import.meta.url);
const schema: AnySchemaObject = JSON.parse(readFileSync(published, "utf8"));
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);

const STEP = "operationId: getItem";
const SOUND = `arazzo: 1.1.0
info: { title: T, version: 1.0.0, x-anything: { of: [ours] } }
sourceDescriptions: [{ name: items, url: ./items.yaml, type: openapi }]
workflows:
  - workflowId: main
    steps:
      - stepId: read
        ${STEP}
        x-journey: { poll: { until: $statusCode == 200, everyMs: 10, maxMs: 100 } }
        outputs: { all: $response.body, one: { context: $response.body, selector: $.a, type: jsonpath } }
`;

test("the published schema is the one that the models make (else: node packages/journeys/write-schema.ts, then npx oxfmt)", () => {
  expect(schema).toEqual(journeyJsonSchema());
});

describe("the published schema and the parser agree", () => {
  test.each([
    ["a sound journey", "", ""],
    ["an unknown field", STEP, `${STEP}\n        operation: x`],
    ["an extension of one's own", STEP, `${STEP}\n        x-mine: 1`],
    ["a wrong type", "version: 1.0.0", "version: 1"],
    ["a missing field", "title: T, ", ""],
    ["a version that isn't read", "arazzo: 1.1.0", "arazzo: 2.0.0"],
    ["an unknown extension field", "everyMs: 10", "everyMs: 10, often: true"],
    ["a parameter", STEP, `${STEP}\n        parameters: [{ name: a, in: query, value: null }]`],
    ["a parameter without value", STEP, `${STEP}\n        parameters: [{ name: a, in: query }]`],
    ["a reference", STEP, `${STEP}\n        parameters: [{ reference: $components.parameters.a, value: 1 }]`],
    ["a negative delay", STEP, `${STEP}\n        onFailure: [{ name: a, type: retry, retryAfter: -1 }]`],
    ["an unknown action", STEP, `${STEP}\n        onSuccess: [{ name: a, type: retry }]`],
    ["a bad name of an output", "all: $response.body", "a b: $response.body"],
    ["no steps", /steps:[^]*/.exec(SOUND)?.[0] ?? "", "steps: []\n"],
  ])("on %s", (_, from, to) => {
    expect(SOUND).toContain(from);
    const text = from === "" ? SOUND : SOUND.replace(from, () => to);
    const { model } = parseDocument(text, { file: "t.yaml" });
    expect(validate(parse(text))).toBe(model !== undefined);
  });

  test("a step that calls two things is refused by the schema, and by lint where the parser reads it", () => {
    expect(validate(parse(SOUND.replace(STEP, `${STEP}\n        workflowId: main`)))).toBe(false);
  });
});

test.each([...ARAZZO_DOCUMENTS, WORKED_EXAMPLE.journey])("%s is valid", (file) => {
  const valid = validate(parse(readFileSync(file, "utf8")));
  expect([valid, validate.errors]).toEqual([true, null]);
});
