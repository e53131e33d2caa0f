import { ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { inputName } from "../template/names.ts";
import { literal, withoutExpressions } from "./literals.ts";
import { declareSecret, isSensitive, secretHeader } from "./imported.ts";
import type { Importing } from "./imported.ts";

/** Postman's dynamic variables that have a generator here. */
const GENERATORS: Record<string, JsonValue> = {
  $guid: { generate: "uuid" },
  $randomUUID: { generate: "uuid" },
  $randomInt: { generate: "integer", min: 0, max: 1000 },
  $randomEmail: { generate: "email" },
  $isoTimestamp: { generate: "date-time" },
  $randomAlphaNumeric: { generate: "string", length: 1 },
};

const VARIABLE = /\{\{([^{}]{1,200})\}\}/g;

/** Collection variables become inputs, once they are used, with their value as default; secrets get no default. */
export function declareVariables(importing: Importing, root: JsonValue | undefined): void {
  for (const variable of ownArray(root, "variable")) {
    const key = ownString(variable, "key") ?? ownString(variable, "id");
    if (key === undefined || ownValue(variable, "disabled") === true) continue;
    const value = ownValue(variable, "value");
    if (ownString(variable, "type") === "secret")
      importing.defaults.set(key, { type: "string", format: "password" });
    else if (typeof value === "string" && value !== "" && !value.includes("{{") && !isSensitive(key)) {
      importing.defaults.set(key, { type: "string", default: value });
    }
  }
}

/**
 * A text with its `{{variables}}` as expressions. A text that is one variable becomes the expression itself, unless it
 * must stay embedded. With `secretName`, a literal text is replaced by a secret.
 */
export function substituted(
  importing: Importing,
  text: string,
  embedded: boolean,
  secretName?: string,
): string {
  if (secretName !== undefined && text !== "" && !text.includes("{{"))
    return secretHeader(importing, secretName, text);
  const whole = /^\{\{([^{}]{1,200})\}\}$/.exec(text);
  if (whole?.[1] !== undefined && !embedded) return expressionFor(importing, whole[1].trim());
  if (!text.includes("{{")) return embedded ? withoutExpressions(importing, text) : literal(importing, text);
  return withoutExpressions(importing, text).replaceAll(
    VARIABLE,
    (_, key: string) => `{${expressionFor(importing, key.trim())}}`,
  );
}

function expressionFor(importing: Importing, key: string): string {
  const generator = GENERATORS[key];
  if (generator !== undefined) {
    const variable = key.slice(1);
    importing.vars.set(variable, generator);
    return `$vars.${variable}`;
  }
  const link = importing.links.get(key);
  if (link !== undefined) return link;
  const name = inputName(key);
  if (!importing.inputs.has(name)) {
    const schema = importing.defaults.get(key) ?? { type: "string" };
    if (isSensitive(key) || Object.hasOwn(schema, "format")) declareSecret(importing, name);
    else importing.inputs.set(name, schema);
    if (key.startsWith("$"))
      importing.notes.add(`{{${key}}} has no generator here; it is now the input ${name}.`);
  }
  return `$inputs.${name}`;
}
