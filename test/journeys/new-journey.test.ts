import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { crudTemplates } from "@waymark/journey-authoring/template/crud.ts";
import type { CrudTemplate } from "@waymark/journey-authoring/template/crud.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { PUBLISHED_DESCRIPTIONS } from "@waymark/test-support/documents.ts";
import { buildText } from "./support/build.ts";
import { fakeTransport, virtualClock } from "./support/fake.ts";
import { mockApi } from "./support/mock-api.ts";
import type { MockApi } from "./support/mock-api.ts";
import { run } from "./support/run.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");

function description(file: string): JsonObject {
  const value: JsonValue = parse(readFileSync(file, "utf8"));
  return isObject(value) ? value : {};
}

/** Runs a journey against a mock that is made from the same file as the journey. */
async function runAgainstMock(
  template: CrudTemplate,
  root: JsonObject,
): Promise<{ result: JourneyResult; mock: MockApi }> {
  const source = { type: "openapi" as const, url: "./api.yaml", document: root };
  const built = await buildText(template.text, {
    file: `${template.name}.journey.yaml`,
    sources: { api: source },
  });
  if (!built.ok) throw new Error(built.problems.map(({ message }) => message).join("\n"));
  const mock = mockApi(root);
  const required = built.artifact.program.workflows["main"]?.inputs?.["properties"];
  const inputs = Object.fromEntries(
    Object.entries(isObject(required) ? required : {})
      .filter(([, schema]) => !isObject(schema) || schema["format"] !== "password")
      // Other path parameters can have any value; an item whose id is in no response is the first that the mock creates.
      .map(([name]) => [name, template.path.includes(`{${name}}`) ? "outer-1" : "id-1"]),
  );
  const { transport } = fakeTransport((request) => mock.answer(request));
  const deps = { transport, clock: virtualClock() };
  const result = await run(built.artifact, {
    inputs,
    secret: "s3cret-of-the-test",
    servers: { api: "https://mock.example" },
    deps,
  });
  return { result, mock };
}

const real = [
  ...readdirSync(EXAMPLES)
    .filter((name) => /\.(openapi|swagger)\./.test(name))
    .map((name) => join(EXAMPLES, name)),
  ...PUBLISHED_DESCRIPTIONS,
];

/** Paths whose templates an author must complete: a body has variants, or the response wraps the resource. */
const NEEDS_AN_AUTHOR = ["/docs", "/branches/{branch}/apis"];

describe("a journey made from a real OpenAPI file", () => {
  test.each(real)("passes for every resource of %s against a mock", async (file) => {
    const root = description(file);
    for (const template of crudTemplates(root, { source: "api", url: "./api.yaml" })) {
      if (NEEDS_AN_AUTHOR.includes(template.path)) continue;
      const { result, mock } = await runAgainstMock(template, root);
      const failed = result.steps.filter(({ status }) => !["passed", "skipped"].includes(status));
      expect([
        template.path,
        result.error,
        mock.refusals,
        failed.map(({ id, assertions }) => [id, assertions]),
      ]).toEqual([template.path, undefined, [], []]);
      expect(result.status).toBe("passed");
    }
  });
});
