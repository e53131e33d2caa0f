import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { Parameter } from "../read/operation.ts";
import { addChange, type OperationPair, placeOf } from "./change.ts";

/** Compares how a parameter is written: other bytes on the wire are another request. */
export function compareStyles(pair: OperationPair, old: Parameter, next: Parameter, part: string): void {
  // A value that becomes a list is judged by its schema.
  const alike = isScalar(old) === isScalar(next);
  const [before, after] = [describe(old, alike), describe(next, alike)];
  const reasons = [
    before === after ? undefined : "style",
    old.allowReserved && !next.allowReserved ? "allow-reserved" : undefined,
    old.allowEmptyValue && !next.allowEmptyValue ? "allow-empty-value" : undefined,
  ].filter((reason) => reason !== undefined);
  for (const reason of reasons) {
    const isStyle = reason === "style";
    addChange(pair, {
      kind: isStyle ? "parameter-style-changed" : `parameter-${reason}-removed`,
      level: "breaking",
      direction: pair.sent,
      part,
      message: isStyle
        ? `The ${part} is written in another way: what clients send no longer has its meaning.`
        : `The ${part} no longer allows ${reason === "allow-reserved" ? "reserved characters" : "an empty value"}.`,
      before: isStyle ? before : undefined,
      after: isStyle ? after : undefined,
      base: placeOf(old.at),
      head: placeOf(next.at),
    });
  }
}

/** Scalars are written equally in many styles. */
function describe(parameter: Parameter, alike: boolean): string {
  const { style, explode, mediaType, in: place } = parameter;
  if (mediaType !== undefined) return `content ${mediaType}`;
  const plain = place === "query" || place === "cookie" ? "form" : "simple";
  if (isScalar(parameter)) return style === "label" || style === "matrix" ? style : plain;
  if (!alike) return style;
  return `${style}${explode ? ", exploded" : ""}`;
}

function isScalar(parameter: Parameter): boolean {
  return !isListOf(parameter) && !isMapOf(parameter);
}

export function isListOf(parameter: Parameter): boolean {
  return hasType(parameter, "array", "items");
}

function isMapOf(parameter: Parameter): boolean {
  return hasType(parameter, "object", "properties");
}

function hasType({ schema }: Parameter, type: string, keyword: string): boolean {
  return schema.some(({ value }) => {
    if (!isObject(value)) return false;
    const declared = ownValue(value, "type");
    if (declared === undefined) return ownValue(value, keyword) !== undefined;
    return declared === type || (Array.isArray(declared) && declared.includes(type));
  });
}
