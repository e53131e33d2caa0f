import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { looksLikeExpression } from "@waymark/journeys/expressions/parse.ts";
import type { Importing } from "./imported.ts";

/**
 * A text of a foreign file as a literal: what would be read as an expression becomes a constant, because a file must not refer
 * to the inputs, and so the secrets, of the person who imports it.
 */
export function literal(importing: Importing, text: string): string {
  if (!isExpression(text)) return text;
  const known = [...importing.vars].find(([, value]) => value === text)?.[0];
  return `$vars.${known ?? declareLiteral(importing, text)}`;
}

/** Every text of a value as `literal`; an object that would be read as a selector becomes a constant as a whole. */
export function literalValue(importing: Importing, value: JsonValue, depth = 0): JsonValue {
  if (depth > 60) return null;
  if (typeof value === "string") return literal(importing, value);
  if (Array.isArray(value)) return value.map((item) => literalValue(importing, item, depth + 1));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key !== "__proto__") copy[key] = literalValue(importing, member, depth + 1);
  }
  if (!["context", "selector", "type"].every((key) => Object.hasOwn(copy, key))) return copy;
  // A constant with such a member would be read as a generator.
  if (Object.hasOwn(copy, "generate")) return null;
  return `$vars.${declareLiteral(importing, copy)}`;
}

/** For texts in which foreign variables are replaced later: splits what looks like an expression. */
export function withoutExpressions(importing: Importing, text: string): string {
  if (!isExpression(text)) return text;
  importing.notes.add("A text that looks like an expression was changed: { $ stands in it with a space now.");
  return text.replaceAll("{$", "{ $").replace(/^\$/, " $");
}

function isExpression(text: string): boolean {
  if (looksLikeExpression(text)) return true;
  for (let at = text.indexOf("{$"); at >= 0; at = text.indexOf("{$", at + 1)) {
    if (looksLikeExpression(text.slice(at + 1, at + 60))) return true;
  }
  return false;
}

function declareLiteral(importing: Importing, value: JsonValue): string {
  const name = `literal${importing.vars.size + 1}`;
  importing.vars.set(name, value);
  return name;
}
