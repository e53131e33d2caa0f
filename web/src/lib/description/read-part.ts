import { type JsonValue, isObject } from "@waymark/openapi/json.ts";
import { decodePointer, encodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";
import type { DescriptionPart } from "./messages.ts";

/** More is cut, from the inside outwards. */
const LINES_MAX = 200;
const DEPTH_MAX = 12;
const LEFT_OUT = "…";

/** Members of these have names of the author's: alone, such a map doesn't say what it is of. */
const MAPS = new Set([
  "properties",
  "patternProperties",
  "dependentRequired",
  "dependentSchemas",
  "responses",
  "headers",
  "content",
]);

/**
 * Returns the part of a description that a pointer leads into: the object with the keyword, or the schema with the property. Null if that
 * would be the whole description.
 *
 * @param root the canonical description, parsed
 * @param part.depth the levels to show at most, so that two parts are cut alike
 */
export function readPart(
  root: JsonValue,
  { pointer, depth: depthMax = DEPTH_MAX }: { pointer: string; depth?: number },
): DescriptionPart | null {
  const place = decodePointer(pointer) ?? [];
  while (place.length > 0 && !isWhole(root, place)) place.pop();
  if (place.length === 0) return null;
  const value = resolvePointer(root, place);
  for (let depth = depthMax; ; depth--) {
    const cut = cutBelow(value, depth);
    const lines = JSON.stringify(cut.value, undefined, 2).split("\n");
    if (lines.length > LINES_MAX && depth > 1) continue;
    const isCut = cut.isCut || lines.length > LINES_MAX;
    return { pointer: encodePointer(place), text: lines.slice(0, LINES_MAX).join("\n"), depth, isCut };
  }
}

function isWhole(root: JsonValue, place: readonly string[]): boolean {
  const value = resolvePointer(root, place);
  return isObject(value) && !MAPS.has(place.at(-1) ?? "");
}

function cutBelow(value: unknown, depth: number): { value: unknown; isCut: boolean } {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0)
    return { value, isCut: false };
  if (depth === 0) return { value: LEFT_OUT, isCut: true };
  let isCut = false;
  const inner = (one: unknown) => {
    const cut = cutBelow(one, depth - 1);
    isCut ||= cut.isCut;
    return cut.value;
  };
  const copy: unknown = Array.isArray(value)
    ? value.map(inner)
    : Object.fromEntries(Object.entries(value).map(([name, one]): [string, unknown] => [name, inner(one)]));
  return { value: copy, isCut };
}
