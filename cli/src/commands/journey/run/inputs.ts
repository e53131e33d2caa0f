import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { keywordOf, openness, propertiesOf } from "@waymark/journeys/compile/input-schema.ts";
import { parseJson } from "@waymark/journeys/expressions/exact-json.ts";
import { walkExpressions } from "@waymark/journeys/compile/walk.ts";
import type { Program } from "@waymark/journeys/compile/program.ts";

export type Inputs = Record<string, unknown>;

type Schema = Readonly<Record<string, unknown>> | undefined;

/** The JSON Schema of the inputs of a program's workflow. */
function inputSchema(program: Program): Schema {
  return program.workflows[program.entry]?.inputs;
}

/** Names of the inputs that a program describes or refers to: a schema need not name them. */
export function inputNames(program: Program): string[] {
  const schema = inputSchema(program);
  const names = new Set(Object.keys(propertiesOf(schema) ?? {}));
  if (openness(schema) === "closed") return [...names];
  walkExpressions(program.workflows[program.entry], (expression) => {
    if (expression.kind === "inputs") names.add(expression.name);
  });
  return [...names];
}

/** Whether a program has an input of this name: it describes it, refers to it, or says that there may be others. */
export function isKnown(program: Program, name: string): boolean {
  return inputNames(program).includes(name) || openness(inputSchema(program)) === "open";
}

/** The inputs among the given values that a program has, texts made what its schema asks for. */
export function inputsFor(program: Program, texts: ReadonlyMap<string, string>): Inputs {
  const schema = inputSchema(program);
  const properties = propertiesOf(schema) ?? {};
  const inputs: Inputs = {};
  for (const [name, text] of texts) {
    if (isKnown(program, name)) inputs[name] = typed(text, schema, ownValue(properties, name));
  }
  return inputs;
}

/** The members of a record that are inputs of a program, as they are. */
export function knownInputs(program: Program, values: Readonly<Inputs>): Inputs {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isKnown(program, name)));
}

/**
 * A text as the value that a schema asks for. What can't be made that value stays text: the check against the schema then
 * says what is wrong, with the name and without the value.
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
  // Nothing says what it is: JSON where it can only be meant as such, and text otherwise.
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
