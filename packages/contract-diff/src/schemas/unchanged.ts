import { isObject, type JsonObject, type JsonValue, ownObject, ownValue } from "@waymark/openapi/json.ts";
import type { Description } from "../read/description.ts";
import { type Conjunction, keyOf, type SchemaNode } from "../read/node.ts";
import { REFERENCES } from "./in-place-keywords.ts";

/** Answers quickly whether two values are the same text, references included. */
export interface Unchanged {
  schemas: (old: Conjunction, next: Conjunction) => boolean;
  values: (old: Located, next: Located) => boolean;
}

interface Located {
  value: JsonValue;
  file: string;
}

/** A reference that both sides have, and those that it leads to. */
interface Reference {
  same: boolean;
  leadsTo: Set<string>;
}

/**
 * Compares the texts of both descriptions. A reference is unchanged if its target is and all that the target refers to: the
 * changed ones are found once, then what refers to them.
 */
export function createUnchanged(old: Description, next: Description): Unchanged {
  if (old.dialect !== next.dialect) return { schemas: () => false, values: () => false };
  const settled = new Map<string, boolean>();
  const isSettled = (key: string): boolean => {
    const known = settled.get(key);
    if (known !== undefined) return known;
    settle(old, next, { key, settled });
    return settled.get(key) ?? false;
  };
  const pairs = new Map<string, boolean>();
  const values = (a: Located, b: Located): boolean => {
    const references = new Set<string>();
    return (
      a.file === b.file && isSameText({ old, next, references }, a, b) && [...references].every(isSettled)
    );
  };
  const nodes = (a: SchemaNode, b: SchemaNode): boolean => {
    if (a.id === b.id) return true;
    if (a.owner === undefined || b.owner === undefined) return a.owner === b.owner && a.value === b.value;
    const key = `${a.id}/${b.id}`;
    const known = pairs.get(key);
    if (known !== undefined) return known;
    const same = a.unresolved === b.unresolved && a.name === b.name && values(a, b);
    pairs.set(key, same);
    return same;
  };
  return {
    values,
    schemas: (a, b) => {
      if (a.length !== b.length) return false;
      return keyOf(a) === keyOf(b) || a.every((node, index) => nodes(node, b[index] ?? node));
    },
  };
}

/** Settles all references that the given one reaches. */
function settle(
  old: Description,
  next: Description,
  { key, settled }: { key: string; settled: Map<string, boolean> },
): void {
  const found = new Map<string, Reference>();
  const queue = [key];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (found.has(at) || settled.has(at)) continue;
    const [file, reference] = splitKey(at);
    const [a, b] = [old.target(reference, file), next.target(reference, file)];
    const leadsTo = new Set<string>();
    if (b === undefined) next.missing.add(reference);
    // Equal references that lead nowhere say equally little.
    const same =
      a === undefined || b === undefined
        ? a === b
        : a.file === b.file && isSameText({ old, next, references: leadsTo }, a, b);
    found.set(at, { same, leadsTo });
    if (same) queue.push(...leadsTo);
  }
  propagate(found, settled);
}

/** A reference that leads to a changed one is changed. */
function propagate(found: Map<string, Reference>, settled: Map<string, boolean>): void {
  const users = new Map<string, string[]>();
  for (const [key, { leadsTo }] of found) {
    for (const target of leadsTo) users.set(target, [...(users.get(target) ?? []), key]);
  }
  const changed = new Set<string>();
  const queue = [...found].filter(([, { same }]) => !same).map(([key]) => key);
  for (const [key, same] of settled) if (!same && users.has(key)) queue.push(...(users.get(key) ?? []));
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (changed.has(at)) continue;
    changed.add(at);
    queue.push(...(users.get(at) ?? []));
  }
  for (const key of found.keys()) settled.set(key, !changed.has(key));
}

interface TextSides {
  old: Description;
  next: Description;
  /** Collects the references that both have. */
  references: Set<string>;
}

/** Compares without recursion, because the depth of a file is its author's. */
function isSameText(sides: TextSides, a: Located, b: Located): boolean {
  const stack: [JsonValue, JsonValue][] = [[a.value, b.value]];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [left, right] = pair;
    if (typeof left !== "object" || left === null) {
      if (left !== right) return false;
      continue;
    }
    if (typeof right !== "object" || right === null || Array.isArray(left) !== Array.isArray(right))
      return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    for (const key of keys) {
      const [from, to] = [ownValue(left, key), ownValue(right, key)];
      if (from === undefined || to === undefined) return false;
      if (typeof from === "object" && from !== null) stack.push([from, to]);
      else if (from !== to) return false;
    }
    if (isObject(left) && !addReferences(sides, left, { value: right, file: a.file })) return false;
  }
  return true;
}

/** Adds what an object refers to; false if the sides mean different schemas by it. */
function addReferences(
  { old, next, references }: TextSides,
  left: JsonObject,
  right: Located & { value: object },
) {
  const { file } = right;
  for (const key of REFERENCES) {
    const reference = left[key];
    if (typeof reference === "string") references.add(`${file}\n${reference}`);
  }
  const discriminator = left["discriminator"];
  if (discriminator === undefined) return true;
  const mapping = [
    ...Object.values(ownObject(discriminator, "mapping") ?? {}),
    ownValue(discriminator, "defaultMapping"),
  ];
  for (const target of mapping) {
    if (typeof target !== "string") continue;
    const reference = old.mappedReference(target);
    if (reference !== next.mappedReference(target)) return false;
    references.add(`${reference === target ? file : ""}\n${reference}`);
  }
  // Without a list, the schemas that extend this one are its kinds.
  const extensions = old.extensionReferences(left);
  if (extensions.join() !== next.extensionReferences(right.value).join()) return false;
  for (const reference of extensions) references.add(`\n${reference}`);
  return true;
}

function splitKey(key: string): [string, string] {
  const line = key.indexOf("\n");
  return [key.slice(0, line), key.slice(line + 1)];
}
