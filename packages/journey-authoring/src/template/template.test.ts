import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PUBLISHED_DESCRIPTIONS } from "@waymark/test-support/documents.ts";
import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { crudTemplates } from "./crud.ts";
import type { CrudTemplate } from "./crud.ts";
import { relocated, uniqueSlug, variableName } from "./names.ts";
import { blankJourney, isTemplate, journeyFromTemplate, overlayFor } from "./new-journey.ts";

function lint(text: string): Problem[] {
  return checkDocument(parseDocument(text, { file: "new.journey.yaml" }));
}

const parsed = new Map<string, JsonObject>();

function description(text: string): JsonObject {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const { value } = parseText(text, { file: "api.yaml", limits: { chars: 1e8, tokens: 1e8, nodes: 1e7 } });
  if (!isObject(value)) throw new Error("no object");
  parsed.set(text, value);
  return value;
}

function templatesOf(text: string): CrudTemplate[] {
  return crudTemplates(description(text), { source: "api", url: "./api.yaml" });
}

/** Faults of a template against the description it was made from. */
async function compileFaults(template: string, text: string): Promise<string[]> {
  const { model, sourceOf } = parseDocument(template, { file: "new.journey.yaml" });
  if (model === undefined) return ["no model"];
  const sources = { api: { type: "openapi" as const, url: "./api.yaml", document: description(text) } };
  const { problems } = await compileJourney({ document: { model, sourceOf }, sources });
  return problems.map((problem) => problem.message);
}

const API = `openapi: 3.0.3
info: { title: Books, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /shops/{shopId}/books:
    post:
      requestBody: { $ref: '#/components/requestBodies/Book' }
      responses:
        '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
    get: { operationId: listBooks, responses: { '200': { description: ok } } }
  /shops/{shopId}/books/{isbn}:
    get: { operationId: getBook, responses: { '200': { description: ok } } }
    patch:
      operationId: changeBook
      requestBody: { content: { application/merge-patch+json: { example: { pages: 3 } } } }
      responses: { '204': { description: ok } }
    delete: { operationId: removeBook, responses: { '202': { description: ok } } }
  /ping: { get: { responses: { '200': { description: ok } } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  requestBodies:
    Book: { content: { application/json: { schema: { $ref: '#/components/schemas/NewBook' } } } }
  schemas:
    NewBook:
      allOf:
        - { type: object, required: [title], properties: { title: { type: string, minLength: 8 } } }
        - { type: object, required: [pages, kind], properties: { pages: { type: integer, minimum: 5 }, kind: { enum: [a, b] } } }
    Book:
      type: object
      properties: { isbn: { type: string }, title: { type: string }, self: { $ref: '#/components/schemas/Book' } }
`;

describe("a CRUD template", () => {
  const [template] = templatesOf(API);

  test("has a step per operation of the resource, in the order of a life", () => {
    const { model } = parseDocument(template?.text ?? "", { file: "t" });
    expect(lint(template?.text ?? "")).toEqual([]);
    expect(template?.name).toBe("books");
    expect(model?.workflows[0]?.steps.map(({ stepId }) => stepId)).toEqual([
      "create",
      "read",
      "update",
      "list",
      "remove",
      "read-gone",
    ]);
  });

  test("compiles against the description it was made from", async () => {
    expect(await compileFaults(template?.text ?? "", API)).toEqual([]);
  });

  test("takes bodies, ids, statuses and credentials from the document", () => {
    const workflow = parseDocument(template?.text ?? "", { file: "t" }).model?.workflows[0];
    const [create, , update, , remove] = workflow?.steps ?? [];
    expect(create).toMatchObject({
      operationPath: "{$sourceDescriptions.api.url}#/paths/~1shops~1{shopId}~1books/post",
      parameters: [{ name: "shopId", in: "path", value: "$inputs.shopId" }],
      requestBody: { payload: { title: "samplexx", pages: 5, kind: "a" } },
      successCriteria: [
        { "x-id": "created", condition: "$statusCode == 201" },
        { "x-id": "kept", condition: "$response.body#/title == 'samplexx'" },
      ],
      outputs: { id: "$response.body#/isbn" },
    });
    expect(update?.requestBody).toEqual({
      contentType: "application/merge-patch+json",
      payload: { pages: 3 },
    });
    expect(remove?.successCriteria?.[0]?.condition).toBe("$statusCode == 202");
    expect(workflow?.parameters).toEqual([{ name: "X-Key", in: "header", value: "$inputs.apiKey" }]);
    expect(workflow?.["x-journey"]?.secrets).toEqual({ apiKey: { ref: "env:API_APIKEY" } });
  });

  test("is made for Swagger 2.0 as well", () => {
    const [swagger] = templatesOf(`swagger: '2.0'
securityDefinitions: { b: { type: basic } }
security: [{ b: [] }]
paths:
  /pets:
    post:
      parameters: [{ in: body, name: b, schema: { $ref: '#/definitions/Pet' } }]
      responses: { '200': { schema: { $ref: '#/definitions/Pet' } } }
  /pets/{petId}: { delete: { responses: { '204': {} } } }
definitions:
  Pet: { type: object, required: [name, pet_id], properties: { pet_id: { type: integer, readOnly: true }, name: { type: string } } }
`);
    expect(lint(swagger?.text ?? "")).toEqual([]);
    expect(swagger?.text).toContain("id: $response.body#/pet_id");
    expect(swagger?.text).toContain("Basic {$inputs.basic}");
  });
});

const TEMPLATE = `# the base of all
arazzo: 1.1.0
$self: journeys/items
info:
  title: Items      # shown in lists
  version: 3.1.0
  x-journey: { schema: 1, template: true }
sourceDescriptions: [{ name: items, url: ../apis/items.yaml }]
workflows: [{ workflowId: main, steps: [{ stepId: a, operationId: b }] }]
`;

describe("a journey from a template", () => {
  const template = parseDocument(TEMPLATE, { file: "templates/items.journey.yaml" });

  test("keeps comments and layout, knows its template, and finds its sources from where it stands", () => {
    const made = journeyFromTemplate(template, { title: "Red items", file: "teams/red/items.journey.yaml" });
    expect(made).toEqual({
      ok: true,
      text: TEMPLATE.replace("journeys/items", "journeys/red-items")
        .replace("title: Items ", "title: Red items ")
        .replace("3.1.0", "1.0.0")
        .replace("template: true }", "template: false, basedOn: journeys/items@3.1.0 }")
        .replace("../apis/items.yaml", "../../apis/items.yaml"),
    });
    expect(made.ok && lint(made.text)).toEqual([]);
  });

  test("a new overlay applies to its base", () => {
    const file = "teams/red/gone.overlay.yaml";
    const overlay = parseOverlay(overlayFor(template, { id: "items/gone", title: "Gone", file }), { file });
    const result = applyOverlays(template, [overlay]);
    expect(result.problems).toEqual([]);
    expect(result.model?.info.title).toBe("Gone");
  });

  test("templates are told from journeys", () => {
    expect(isTemplate(TEMPLATE, "t")).toBe(true);
    expect(isTemplate(blankJourney({ title: "T", url: "https://api.example.com/" }), "t")).toBe(false);
  });
});

test("a blank journey lints", () => {
  expect(
    lint(blankJourney({ title: "Yes: no # really", url: "https://api.example.com/{$inputs.id}" })),
  ).toEqual([]);
});

test.each([
  ["./a.yaml", "x/t.yaml", "y/j.yaml", "../x/a.yaml"],
  ["../a b.yaml", "x/t.yaml", "j.yaml", "./a b.yaml"],
  ["https://h/a.yaml", "x/t.yaml", "j.yaml", "https://h/a.yaml"],
  ["/abs/a.yaml", "x/t.yaml", "j.yaml", "/abs/a.yaml"],
])("%s in %s is from %s: %s", (reference, from, to, expected) => {
  expect(relocated(reference, from, to)).toBe(expected);
});

test("names are plain and unique", () => {
  const taken = new Set<string>();
  expect([
    uniqueSlug("Créer — un Été!", taken),
    uniqueSlug("creer un ete", taken),
    uniqueSlug("…", taken),
  ]).toEqual(["creer-un-ete", "creer-un-ete-2", "step"]);
  expect(variableName("2nd api-key")).toBe("_2ND_API_KEY");
});

describe("the descriptions that others published", () => {
  test("resources are found in several of them", () => {
    const counts = PUBLISHED_DESCRIPTIONS.map((file) => templatesOf(readFileSync(file, "utf8")).length);
    expect(counts.filter((found) => found > 0).length).toBeGreaterThanOrEqual(4);
  });

  test.each(PUBLISHED_DESCRIPTIONS)(
    "every template of %s lints and compiles without a problem",
    async (file) => {
      const text = readFileSync(file, "utf8");
      for (const template of templatesOf(text)) {
        expect([template.path, lint(template.text)]).toEqual([template.path, []]);
        expect([template.path, await compileFaults(template.text, text)]).toEqual([template.path, []]);
      }
    },
  );
});
