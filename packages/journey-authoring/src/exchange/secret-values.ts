import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { declareSecret, secretInput } from "./imported.ts";
import type { Importing } from "./imported.ts";
import { looksSecret, SHAPES } from "./secret-shapes.ts";

/** Shorter values are only taken for a secret where they are the whole text: they may be words like any other. */
const PART_LENGTH_MIN = 8;
const KNOWN_MAX = 500;
const WORDS = /[^\s"'<>&=,;:?{}()[\]]{8,4000}/g;

/**
 * Copies in which no secret is left: those that were found under a telling name anywhere in the file, and those that are
 * known by their look, are inputs now, or are gone where no expression can stand.
 */
export function withoutSecrets(importing: Importing, steps: readonly JsonObject[]): JsonObject[] {
  return steps.map((step, index) => {
    importing.at = index;
    return Object.fromEntries(
      Object.entries(step).map(([key, value]) => [key, cleanField(importing, key, value)]),
    );
  });
}

/** The fields of a step that hold what the file says; the others are made here, of nothing that it says freely. */
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

/** What a parameter is called says what its value is. */
function cleanParameter(importing: Importing, parameter: JsonObject): JsonObject {
  const name = clean(importing, parameter["name"] ?? "", undefined, 0);
  const value = clean(importing, parameter["value"] ?? "", typeof name === "string" ? name : "secret", 0);
  return { ...parameter, name, value };
}

/** What is an expression by now is one of ours, too. */
const EXPRESSION = /^\$(?:inputs|vars|steps)\.[\w.-]+$/;
const EMBEDDED = /(\{\$(?:inputs|vars|steps)\.[\w.-]+\})/;

/** `key` names the input that a secret becomes; without one the text is for people, and a secret is removed. */
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
  // Those with odd characters in them are no words; thousands of them would be an attack.
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

/** Defaults and constants can't hold an expression: one that is a secret goes. */
export function dropSecretDefaults(importing: Importing): void {
  for (const [name, schema] of importing.inputs) {
    const value = schema["default"];
    if (typeof value !== "string" || !(looksSecret(value) || importing.known.has(value))) continue;
    declareSecret(importing, name);
    importing.notes.add(
      `${name} is a secret by its look: it is read from ${importing.secrets.get(name)} now.`,
    );
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
