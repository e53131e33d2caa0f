import { isObject } from "@waymark/openapi/json.ts";

/**
 * The canonical JSON of RFC 8785: no white space, keys sorted by UTF-16 code units, numbers and strings as ECMAScript
 * writes them. Members that are undefined are left out.
 *
 * @throws TypeError for values that are not I-JSON: NaN, infinity, a lone surrogate, a function
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
    return JSON.stringify(value);
  }
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new TypeError("a string with a lone surrogate has no canonical form");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (!isObject(value)) throw new TypeError(`a ${typeof value} has no canonical form`);
  const members: string[] = [];
  for (const key of Object.keys(value).toSorted()) {
    if (value[key] !== undefined) members.push(`${canonicalJson(key)}:${canonicalJson(value[key])}`);
  }
  return `{${members.join(",")}}`;
}
