import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { keywordOf, propertiesOf } from "@waymark/journeys/document/input-schema.ts";
import { parseJson } from "@waymark/journeys/expressions/exact-json.ts";
import { inputNames, takesAnyInput } from "@waymark/journeys/compile/input-names.ts";
import type { Program } from "@waymark/journeys/program/program.ts";

export type Inputs = Record<string, unknown>;

type Schema = Readonly<Record<string, unknown>> | undefined;

/** The JSON Schema of the inputs of a program's workflow. */
function inputSchema(program: Program): Schema {
  return program.workflows[program.entry]?.inputs;
}

/** True if a program has an input with this name: it describes it, refers to it, or allows any. */
export function isKnown(program: Program, name: string): boolean {
  return inputNames(program).includes(name) || takesAnyInput(program);
}

/** The given values that are inputs of a program, with texts converted to the type of the schema. */
export function inputsFor(program: Program, texts: ReadonlyMap<string, string>): Inputs {
  const schema = inputSchema(program);
  const properties = propertiesOf(schema) ?? {};
  const inputs: Inputs = {};
  for (const [name, text] of texts) {
    if (isKnown(program, name)) inputs[name] = typed(text, schema, ownValue(properties, name));
  }
  return inputs;
}

/** True if the value is a text such as `3,5` or `1.234,50`, and the schema of the input takes numbers and no texts. */
export function isCommaNumber(program: Program, name: string, value: unknown): boolean {
  if (typeof value !== "string" || !/^\s*[-+]?[\d.' ]*,\d+\s*$/.test(value)) return false;
  const schema = inputSchema(program);
  const types = typesOf(schema, ownValue(propertiesOf(schema) ?? {}, name));
  return !types.includes("string") && types.some((type) => type === "number" || type === "integer");
}

/** The members of a record that are inputs of a program, unchanged. */
export function knownInputs(program: Program, values: Readonly<Inputs>): Inputs {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isKnown(program, name)));
}

/**
 * Converts a text to the type of a schema. A text that can't be converted stays: the check against the schema then reports its
 * name without the value.
 */
function typed(text: string, root: Schema, schema: unknown): unknown {
  const types = typesOf(root, schema);
  const json = parsed(text);
  const fits = (type: string): boolean => {
    switch (type) {
      case "integer":
      case "number":
        return typeof json === "number" || typeof json === "bigint";
      case "boolean":
        return typeof json === "boolean";
      case "null":
        return json === null;
      case "array":
        return Array.isArray(json);
      case "object":
        return isObject(json);
      default:
        return false;
    }
  };
  if (types.length > 0) return types.some(fits) ? json : text;
  // The schema does not say the type: a text that is valid JSON is taken as JSON.
  return json === undefined ? text : json;
}

function typesOf(root: Schema, schema: unknown): string[] {
  const type = keywordOf(root, schema, "type");
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((item): item is string => typeof item === "string");
  const choices = [keywordOf(root, schema, "enum"), keywordOf(root, schema, "const")].flat();
  return choices.some((choice) => typeof choice === "string") ? ["string"] : [];
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
