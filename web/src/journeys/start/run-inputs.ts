import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { fieldValue } from "../build/visual/value-text.ts";

/** An input of a journey, as its schema says. */
export interface RunInput {
  name: string;
  description: string;
  isRequired: boolean;
  isSecret: boolean;
  /** The secret of the environment that has its value, which nobody enters; undefined if the journey names none there. */
  secretName: string | undefined;
  isText: boolean;
  /** Undefined: any value. */
  choices: JsonValue[] | undefined;
  defaultValue: JsonValue | undefined;
}

/** The inputs of the workflow that runs: `main`, else the first. */
export function runInputs(text: string): RunInput[] {
  const { value } = parseText(text, { file: "composed" });
  const workflows = ownArray(value, "workflows");
  const workflow = workflows.find((one) => ownString(one, "workflowId") === "main") ?? workflows[0];
  const inputs = ownObject(workflow, "inputs");
  const secrets = ownObject(ownObject(workflow, "x-journey"), "secrets") ?? {};
  const required = ownArray(inputs, "required");
  return Object.entries(ownObject(inputs, "properties") ?? {}).map(([name, given]): RunInput => {
    const schema: JsonObject = isObject(given) ? given : {};
    const isBoolean = ownString(schema, "type") === "boolean";
    return {
      name,
      description: ownString(schema, "description") ?? ownString(schema, "title") ?? "",
      isRequired: required.includes(name),
      isSecret: Object.hasOwn(secrets, name),
      secretName: /^env:(.+)$/.exec(ownString(secrets[name], "ref") ?? "")?.[1],
      isText: ownString(schema, "type") === "string",
      choices: isBoolean ? [true, false] : Array.isArray(schema["enum"]) ? schema["enum"] : undefined,
      defaultValue: ownValue(schema, "default"),
    };
  });
}

/** The values that were entered. An empty field is left to the environment and the default. */
export function inputValues(
  inputs: readonly RunInput[],
  entered: Readonly<Record<string, string>>,
): JsonObject {
  return Object.fromEntries(
    inputs.flatMap(({ name, isSecret, isText, choices }): [string, JsonValue][] => {
      const text = entered[name] ?? "";
      if (text === "" || isSecret) return [];
      const choice = choices?.find((one) => choiceText(one) === text);
      if (choice !== undefined) return [[name, choice]];
      return [[name, isText ? text : fieldValue(text)]];
    }),
  );
}

/** A choice as a list shows it. */
export function choiceText(choice: JsonValue): string {
  return typeof choice === "string" ? choice : JSON.stringify(choice);
}
