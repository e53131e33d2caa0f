import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Description } from "./description.ts";

/** The rules that a schema is read by. */
export type Dialect = "2.0" | "3.0" | "3.1";

/** A schema at its place in a description. Two nodes with one id are the same schema. */
export interface SchemaNode {
  readonly id: number;
  readonly value: JsonValue;
  /** Undefined for a schema that stands in no file. */
  readonly owner: Description | undefined;
  /** Empty for the entry file, else the file relative to it. */
  readonly file: string;
  readonly pointer: string;
  readonly dialect: Dialect;
  /** The name of a component, such as `Pet`. */
  readonly name: string | undefined;
  /** A reference that leads nowhere: nothing is known about the values. */
  readonly unresolved?: string;
}

/** A conjunction: a value must satisfy each of the schemas. An empty list allows every value. */
export type Conjunction = readonly SchemaNode[];

/** A place in one of the descriptions. */
export interface Place {
  file: string;
  pointer: string;
}

let lastId = 0;

export function nextNodeId(): number {
  lastId += 1;
  return lastId;
}

/** Returns a schema that stands in no file. */
export function syntheticNode(value: JsonValue): SchemaNode {
  return {
    id: nextNodeId(),
    value,
    owner: undefined,
    file: "",
    pointer: "",
    dialect: "3.1",
    name: undefined,
  };
}

/** A schema that allows no value. */
export const NEVER = syntheticNode(false);
/** A schema of strings, such as the names of properties. */
export const STRING = syntheticNode({ type: "string" });

/** Returns the conjunction of two, each schema once. */
export function both(a: Conjunction, b: Conjunction): Conjunction {
  if (a.length === 0 || a === b) return b;
  if (b.length === 0) return a;
  const ids = new Set(a.map(({ id }) => id));
  const added = b.filter(({ id }) => !ids.has(id));
  return added.length === 0 ? a : [...a, ...added];
}

/** Returns a key that is equal for conjunctions of equal schemas. */
export function keyOf(conjunction: Conjunction): string {
  if (conjunction.length === 1) return String(conjunction[0]?.id);
  return conjunction
    .map(({ id }) => id)
    .toSorted((a, b) => a - b)
    .join("+");
}
