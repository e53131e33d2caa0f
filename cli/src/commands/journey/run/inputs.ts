import { propertiesOf, resolveOwn } from "@waymark/journeys/compile/inputs.ts";
import type { Program } from "@waymark/journeys/compile/program.ts";
import { isObject, ownValue } from "@waymark/openapi/json.ts";

export type Inputs = Record<string, unknown>;

type Schema = Readonly<Record<string, unknown>> | undefined;

/** The JSON Schema of the inputs of a program's workflow. */
function inputSchema(program: Program): Schema {
  return program.workflows[program.entry]?.inputs;
}

/** Names of the inputs that a program describes. */
export function inputNames(program: Program): string[] {
  return Object.keys(propertiesOf(inputSchema(program)) ?? {});
}

/** The inputs among the given values that a program has, texts made what its schema asks for. */
export function inputsFor(program: Program, texts: ReadonlyMap<string, string>): Inputs {
  const schema = inputSchema(program);
  const properties = propertiesOf(schema) ?? {};
  const inputs: Inputs = {};
  for (const [name, text] of texts) {
    if (Object.hasOwn(properties, name)) inputs[name] = typed(text, resolveOwn(schema, properties[name]));
  }
  return inputs;
}

/** The members of a record that are inputs of a program, as they are. */
export function knownInputs(program: Program, values: Readonly<Inputs>): Inputs {
  const names = new Set(inputNames(program));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/**
 * A text as the value that a schema asks for. What can't be made that value stays text: the check against the schema then
 * says what is wrong, with the name and without the value.
 */
function typed(text: string, schema: unknown): unknown {
  const types = typesOf(schema);
  const json = parsed(text);
  const fits = (type: string): boolean => {
    switch (type) {
      case "integer":
      case "number":
        return typeof json === "number";
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

function typesOf(schema: unknown): string[] {
  const type = ownValue(schema, "type");
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((item): item is string => typeof item === "string");
  const choices = [ownValue(schema, "enum"), ownValue(schema, "const")].flat();
  return choices.some((choice) => typeof choice === "string") ? ["string"] : [];
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
