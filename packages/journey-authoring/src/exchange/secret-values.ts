import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { declareSecret, secretInput } from "./imported.ts";
import type { Importing } from "./imported.ts";
import { looksSecret, SHAPES } from "./secret-shapes.ts";

/** Shorter values count as secrets only if they are the whole text, because they may be ordinary words. */
const PART_LENGTH_MIN = 8;
const KNOWN_MAX = 500;
const WORDS = /[^\s"'<>&=,;:?{}()[\]]{8,4000}/g;

/**
 * Copies without secrets: those with a secret's name anywhere in the file, and those with a known format, are replaced by
 * inputs, or removed where no expression is possible.
 */
export function withoutSecrets(importing: Importing, steps: readonly JsonObject[]): JsonObject[] {
  return steps.map((step, index) => {
    importing.at = index;
    return Object.fromEntries(
      Object.entries(step).map(([key, value]) => [key, cleanField(importing, key, value)]),
    );
  });
}

/** The fields of a step with texts of the file; the other fields are created here, without free text of the file. */
function cleanField(importing: Importing, key: string, value: JsonValue): JsonValue {
  if (key === "description") return clean(importing, value, undefined, 0);
  if (key === "parameters" && Array.isArray(value))
    return value.map((parameter) => (isObject(parameter) ? cleanParameter(importing, parameter) : parameter));
  if (!isObject(value)) return value;
  if (key === "x-operation") return { ...value, url: clean(importing, value["url"] ?? "", "secret", 0) };
  if (key === "requestBody" && value["payload"] !== undefined)
    return { ...value, payload: clean(importing, value["payload"], "secret", 0) };
  return value;
}

/** A parameter's name tells whether its value is a secret. */
function cleanParameter(importing: Importing, parameter: JsonObject): JsonObject {
  const name = clean(importing, parameter["name"] ?? "", undefined, 0);
  const value = clean(importing, parameter["value"] ?? "", typeof name === "string" ? name : "secret", 0);
  return { ...parameter, name, value };
}

/** Existing expressions were created here, too. */
const EXPRESSION = /^\$(?:inputs|vars|steps)\.[\w.-]+$/;
const EMBEDDED = /(\{\$(?:inputs|vars|steps)\.[\w.-]+\})/;

/** `key` names the input for a secret; without one, the text is for people, and secrets are removed. */
function clean(importing: Importing, value: JsonValue, key: string | undefined, depth: number): JsonValue {
  if (depth > 80) return null;
  if (typeof value === "string") return cleanText(importing, value, key);
  if (Array.isArray(value)) return value.map((item) => clean(importing, item, key, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, clean(importing, member, name, depth + 1)]),
  );
}

function cleanText(importing: Importing, text: string, key: string | undefined): string {
  const { known, given } = importing;
  importing.textLeft -= text.length;
  if (importing.textLeft < 0) {
    importing.notes.add("The file has more text than a journey may hold; what came last was left out.");
    return "";
  }
  if (EXPRESSION.test(text)) return text;
  const put = (secret: string): string =>
    key === undefined ? "[removed]" : secretInput(importing, key || "secret", secret);
  const embedded = (secret: string): string => (key === undefined ? put(secret) : `{${put(secret)}}`);
  if (key !== undefined && (known.has(text) || given.has(text) || isWholeSecret(text))) return put(text);
  const pieces = text.split(EMBEDDED);
  return pieces
    .map((piece) => (EMBEDDED.test(piece) ? piece : cleanPiece(importing, piece, embedded)))
    .join("");
}

function cleanPiece({ known, given }: Importing, text: string, embedded: (secret: string) => string): string {
  let result = text.replaceAll(WORDS, (word) => (known.has(word) || given.has(word) ? embedded(word) : word));
  // Values with unusual characters are not words; thousands of them would be an attack.
  for (const secret of [...known.keys()].slice(0, KNOWN_MAX)) {
    if (secret.length >= PART_LENGTH_MIN && result.includes(secret))
      result = result.replaceAll(secret, () => embedded(secret));
  }
  return result.replaceAll(SHAPES, embedded);
}

function isWholeSecret(text: string): boolean {
  SHAPES.lastIndex = 0;
  return SHAPES.exec(text)?.[0] === text;
}

/** Defaults and constants can't contain an expression, so a secret is removed. */
export function dropSecretDefaults(importing: Importing): void {
  for (const [name, schema] of importing.inputs) {
    const value = schema["default"];
    if (typeof value !== "string" || !(looksSecret(value) || importing.known.has(value))) continue;
    declareSecret(importing, name);
    importing.notes.add(`${name} looks like a secret: it is now read from ${importing.secrets.get(name)}.`);
  }
  for (const [name, value] of importing.vars) {
    const text = JSON.stringify(value);
    const isSecret =
      looksSecret(text) ||
      [...importing.known.keys()]
        .slice(0, KNOWN_MAX)
        .some((secret) => secret.length >= PART_LENGTH_MIN && text.includes(secret));
    if (!isSecret) continue;
    importing.vars.set(name, "[removed]");
    importing.notes.add(`The constant ${name} held a secret, which was removed.`);
  }
}
