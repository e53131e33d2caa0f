import { isObject, type JsonValue, ownValue } from "@waymark/openapi/json.ts";
import type { SchemaNode } from "../read/node.ts";
import type { Parameter } from "../read/operation.ts";
import { listed } from "../schemas/listed.ts";
import { addChange, type OperationPair, placeOf } from "./change.ts";

/** Compares how a parameter is written: other bytes on the wire are another request. */
export function compareStyles(pair: OperationPair, old: Parameter, next: Parameter, part: string): void {
  // A value that becomes a list is judged by its schema.
  const alike = isScalar(old) === isScalar(next);
  const [before, after] = [describe(old, alike), describe(next, alike)];
  // In a callback, the provider sends by the new text and its receiver reads by the old one.
  const isClients = pair.sent === "request";
  const [sent, read] = isClients ? [old, next] : [next, old];
  const reasons = [
    before === after ? undefined : "style",
    sent.allowReserved && !read.allowReserved ? "allow-reserved" : undefined,
    sent.allowEmptyValue && !read.allowEmptyValue ? "allow-empty-value" : undefined,
  ].filter((reason) => reason !== undefined);
  for (const reason of reasons) {
    const isStyle = reason === "style";
    addChange(pair, {
      kind: isStyle ? "parameter-style-changed" : `parameter-${reason}-${isClients ? "removed" : "added"}`,
      level: "breaking",
      direction: pair.sent,
      part,
      message: isStyle
        ? `The ${part} is written in another way: what clients send no longer has its meaning.`
        : `The ${part} ${isClients ? "no longer allows" : "can now have"} ${reason === "allow-reserved" ? "reserved characters" : "an empty value"}.`,
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

/** True if no value has parts. What a schema doesn't say is a list or an object as well. */
function isScalar({ schema }: Parameter): boolean {
  return schema.length === 0 || !hasParts(schema);
}

/** True if a schema of the parameter names lists, by its type or by `items`. */
export function isListOf({ schema }: Parameter): boolean {
  return schema.some(({ value }) => {
    if (!isObject(value)) return false;
    const declared = ownValue(value, "type");
    return declared === undefined ? ownValue(value, "items") !== undefined : isIn(declared, "array");
  });
}

/** True if a value may be a list or an object. */
export function hasParts(schemas: readonly SchemaNode[], within: ReadonlySet<number> = new Set()): boolean {
  return schemas.some((node) => {
    const { value, id } = node;
    if (!isObject(value) || within.has(id)) return false;
    const declared = ownValue(value, "type");
    if (declared !== undefined) return isIn(declared, "array") || isIn(declared, "object");
    const inner = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => listed(node, keyword));
    if (inner.length > 0) return hasParts(inner, new Set([...within, id]));
    const values = ownValue(value, "enum") ?? (value["const"] === undefined ? undefined : [value["const"]]);
    return Array.isArray(values) ? values.some((each) => typeof each === "object" && each !== null) : true;
  });
}

function isIn(declared: JsonValue, type: string): boolean {
  return declared === type || (Array.isArray(declared) && declared.includes(type));
}
