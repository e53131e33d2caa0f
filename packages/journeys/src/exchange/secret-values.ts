import { isObject } from "../document/json.ts";
import type { JsonObject, JsonValue } from "../document/json.ts";
import { declareSecret, secretInput } from "./imported.ts";
import type { Importing } from "./imported.ts";
import { looksSecret, SHAPES } from "./secret-shapes.ts";

/** Shorter values are only taken for a secret where they are the whole text: they may be words like any other. */
const PART_LENGTH_MIN = 8;
const KNOWN_MOST = 500;
const WORDS = /[^\s"'<>&=,;:?{}()[\]]{8,4000}/g;

/**
 * A copy in which no secret is left: those that were found under a telling name anywhere in the file, and those that are
 * known by their look, are inputs now, or are gone where no expression can stand.
 */
export function withoutSecrets(importing: Importing, steps: readonly JsonObject[]): JsonObject[] {
  return steps.map((step) => {
    const cleaned = clean(importing, step, "step", 0);
    return isObject(cleaned) ? cleaned : {};
  });
}

/** Texts that are read by people, or stay as they are. */
const NO_EXPRESSION = new Set([
  "description",
  "stepId",
  "condition",
  "x-id",
  "name",
  "in",
  "contentType",
  "method",
]);

function clean(importing: Importing, value: JsonValue, key: string, depth: number): JsonValue {
  if (depth > 80) return null;
  if (typeof value === "string") return cleanText(importing, value, key);
  if (Array.isArray(value)) return value.map((item) => clean(importing, item, key, depth + 1));
  if (!isObject(value)) return value;
  // What a parameter is called says what its value is.
  const inner = (name: string): string =>
    name === "value" && typeof value["name"] === "string" ? value["name"] : name;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, clean(importing, member, inner(name), depth + 1)]),
  );
}

function cleanText(importing: Importing, text: string, key: string): string {
  const { known, given } = importing;
  importing.textLeft -= text.length;
  if (importing.textLeft < 0) {
    importing.notes.add("The file has more text than a journey may hold; what came last was left out.");
    return "";
  }
  const isText = NO_EXPRESSION.has(key);
  const put = (secret: string): string =>
    isText ? "[removed]" : secretInput(importing, nameFor(key), secret);
  const embedded = (secret: string): string => (isText ? put(secret) : `{${put(secret)}}`);
  if (!isText && (known.has(text) || given.has(text) || isWholeSecret(text))) return put(text);
  let result = text.replaceAll(WORDS, (word) => (known.has(word) || given.has(word) ? embedded(word) : word));
  // Those with odd characters in them are no words; thousands of them would be an attack.
  for (const secret of [...known.keys()].slice(0, KNOWN_MOST)) {
    if (secret.length >= PART_LENGTH_MIN && result.includes(secret))
      result = result.replaceAll(secret, () => embedded(secret));
  }
  return result.replaceAll(SHAPES, embedded);
}

function nameFor(key: string): string {
  return key === "url" || key === "payload" ? "secret" : key;
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
        .slice(0, KNOWN_MOST)
        .some((secret) => secret.length >= PART_LENGTH_MIN && text.includes(secret));
    if (!isSecret) continue;
    importing.vars.set(name, "[removed]");
    importing.notes.add(`The constant ${name} held a secret, which was removed.`);
  }
}
