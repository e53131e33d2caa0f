import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { isObject, ownArray } from "@waymark/openapi/json.ts";
import { valueAt } from "@waymark/openapi/pointer.ts";
import { describe, expect, test } from "vitest";
import { operationsOf } from "./openapi-shape.ts";
import { operationJourney } from "./operation.ts";

const API = `openapi: 3.0.3
info: { title: Books, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /shops/{shopId}/books:
    post:
      summary: A book is added
      parameters: [{ name: dry, in: query, required: true, schema: { type: boolean } }]
      requestBody: { content: { application/json: { schema: { type: object, required: [title], properties: { title: { type: string, example: Dune } } } } } }
      responses: { '201': { description: made } }
  /health:
    get: { operationId: health, security: [], responses: { default: { description: up } } }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
`;
const { value: root } = parseText(API, { file: "api.yaml" });
if (!isObject(root)) throw new Error("no object");

function journeyOf(index: number) {
  const operation = operationsOf(root as never)[index];
  if (operation === undefined) throw new Error("no such operation");
  const text = operationJourney(root as never, operation, { title: "One", source: "api", url: "./api.yaml" });
  return parseDocument(text, { file: "one.journey.yaml" });
}

describe("a journey of one operation", () => {
  test.each([0, 1])("compiles against its description without a problem (%i)", async (index) => {
    const document = journeyOf(index);
    const { model, sourceOf } = document;
    if (model === undefined) throw new Error("no model");
    expect(checkDocument(document)).toEqual([]);
    const sources = { api: { type: "openapi" as const, url: "./api.yaml", document: root } };
    const { problems } = await compileJourney({ document: { model, sourceOf }, sources });
    expect(problems).toEqual([]);
  });

  test("takes path parameters and credentials as inputs, other values from the description, and proves its status", () => {
    const { raw } = journeyOf(0);
    const step = valueAt(raw, "/workflows/0/steps/0");
    expect(ownArray(step, "parameters")).toMatchObject([
      { name: "shopId", in: "path", value: "$inputs.shopId" },
      { name: "X-Key", in: "header", value: "$inputs.apiKey" },
      { name: "dry", in: "query" },
    ]);
    expect(valueAt(step, "/requestBody/payload")).toEqual({ title: "Dune" });
    expect(valueAt(step, "/successCriteria/0/condition")).toBe("$statusCode == 201");
    expect(valueAt(raw, "/workflows/0/x-journey/acceptanceCriteria")).toEqual([
      { id: "AC-1", text: "A book is added", severity: "must", provenBy: ["call#answered"] },
    ]);
    const health = valueAt(journeyOf(1).raw, "/workflows/0/x-journey/acceptanceCriteria/0/text");
    expect(health).toBe("GET /health answers with 200");
  });
});
