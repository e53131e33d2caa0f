import { isObject, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { Random } from "./random-schemas.ts";

type Members = Record<string, unknown>;

export function clone<T>(value: T): T {
  return structuredClone(value);
}

/** Returns the value with each object replaced, the inner ones first. */
export function mapDeep(value: unknown, replace: (value: Members) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, replace));
  if (!isMembers(value)) return value;
  // A schema that is collected must be the one that stays in its place.
  for (const [key, item] of Object.entries(value)) value[key] = mapDeep(item, replace);
  return replace(value);
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Puts keys, and lists without order, in another one. */
export function shuffled(value: object, random: Random): unknown {
  return mapDeep(clone(value), (members) => {
    const entries = mixed(Object.entries(members), random);
    return Object.fromEntries(
      entries.map(([key, item]) => [
        key,
        Array.isArray(item) && ["required", "enum", "allOf", "oneOf"].includes(key)
          ? mixed(item, random)
          : item,
      ]),
    );
  });
}

function mixed<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, rank: random.below(1000) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Replaces each reference to a component by what it leads to, one level deep: circles stay. */
export function inlined(value: object): unknown {
  const copy = clone(value);
  if (!isMembers(copy) || !isObject(value)) return copy;
  const schemas = ownObject(value["components"], "schemas") ?? {};
  const paths = mapDeep(copy["paths"], (members) => {
    const name = ownString(members, "$ref")?.split("/").at(-1) ?? "";
    return Object.hasOwn(schemas, name) ? clone(schemas[name]) : members;
  });
  return { ...copy, paths };
}

/** Gives every component another name. */
export function renamed(value: object): unknown {
  const text = JSON.stringify(value).replaceAll(/(schemas\/|")(Alpha|Beta|Gamma)"/g, '$1New$2"');
  return JSON.parse(text) as unknown;
}

/** Writes `nullable` as a list of types. */
export function toLists(value: object): unknown {
  return mapDeep(clone(value), ({ nullable, ...members }) =>
    nullable === true ? { ...members, type: [members["type"], "null"] } : members,
  );
}

/** Returns the value as YAML in blocks. */
export function toYaml(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0)
    return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => `${indent}- ${nested(item, inner)}`)
    : Object.entries(value).map(([key, item]) => `${indent}${JSON.stringify(key)}: ${nested(item, inner)}`);
  return lines.join("\n");
}

function nested(value: unknown, indent: string): string {
  const text = toYaml(value, indent);
  return typeof value === "object" && value !== null && Object.keys(value).length > 0 ? `\n${text}` : text;
}
