import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

/** The parts of an OpenAPI document that name models. */
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: z.unknown() }))),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});
type Document = z.infer<typeof Document>;

const REFERENCE = "#/components/schemas/";
const INPUT = "Input";

/**
 * Merges the two forms in which the library writes every model: `X` as responses have it, and `XInput` as requests have it. A
 * field with a default is required in the one and optional in the other. A model with one form, or with one use, gets one name;
 * both names stay for a model whose forms differ and are both used.
 */
export function mergeModels(openapi: object): Document {
  const document = Document.parse(openapi);
  const { schemas } = document.components;
  const split = splitModels(schemas);
  const inResponses = new Set<string>();
  const inRequests = new Set<string>();
  for (const { responses, ...request } of Object.values(document.paths).flatMap(
    Object.values<Document["paths"][string][string]>,
  )) {
    collect(responses, schemas, inResponses);
    collect(request, schemas, inRequests);
  }
  const names = new Map<string, string>();
  const merged: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const output = outputOf(name, schemas);
    if (output === undefined) merged[name] ??= schema;
    else if (!split.has(output) || !inRequests.has(name)) names.set(name, output);
    else if (inResponses.has(output)) merged[name] = schema;
    else {
      names.set(name, output);
      merged[output] = schema;
    }
  }
  return Document.parse(
    renamed({ ...document, components: { ...document.components, schemas: merged } }, names),
  );
}

/** The models whose forms differ, themselves or in a model that they refer to. */
function splitModels(schemas: Record<string, unknown>): Set<string> {
  const outputs = Object.keys(schemas).filter((name) => `${name}${INPUT}` in schemas);
  const names = new Map(outputs.map((name) => [`${name}${INPUT}`, name]));
  const differs = (name: string) =>
    !isDeepStrictEqual(comparable(schemas[name]), comparable(renamed(schemas[`${name}${INPUT}`], names)));
  const split = new Set(outputs.filter(differs));
  for (let size = -1; size !== split.size;) {
    size = split.size;
    for (const name of outputs)
      if (referencesOf(schemas[name]).some((other) => split.has(other))) split.add(name);
  }
  return split;
}

/** Without the marks by which the library closes every object of a response. */
function comparable(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "additionalProperties" && value === false ? undefined : value,
  );
}

function outputOf(name: string, schemas: Record<string, unknown>): string | undefined {
  const output = name.endsWith(INPUT) ? name.slice(0, -INPUT.length) : "";
  return output in schemas ? output : undefined;
}

/** Adds the models that a part of the document refers to, also through other models. */
function collect(part: unknown, schemas: Record<string, unknown>, found: Set<string>): void {
  for (const name of referencesOf(part)) {
    if (found.has(name)) continue;
    found.add(name);
    collect(schemas[name], schemas, found);
  }
}

function referencesOf(part: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(part, (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string") found.push(value.slice(REFERENCE.length));
    return value;
  });
  return found;
}

function renamed(part: unknown, names: ReadonlyMap<string, string>): unknown {
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (key !== "$ref" || typeof value !== "string") return value;
    const name = value.slice(REFERENCE.length);
    return `${REFERENCE}${names.get(name) ?? name}`;
  });
}
