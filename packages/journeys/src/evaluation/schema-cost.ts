import { isObject } from "@waymark/openapi/json.ts";
import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";
import { EngineError } from "../expressions/engine-error.ts";

/** A self-contained schema, and the cost of checking one value. */
export interface CheckableSchema {
  text: string;
  /**
   * The maximum number of schemas and constants that apply to one value. A referenced schema counts each time it is reached.
   */
  cost: number;
  /** Whether the cost times the size of the value bounds the check: no recursion, no pattern, no comparison of items. */
  isBounded: boolean;
}

/** Above it, a schema is not used: doubling references reach a million with twenty of them. */
const COST_MAX = 100_000;
/** Schemas within schemas, references followed. */
const DEPTH_MAX = 2_000;
/** The cost of these keywords depends on more than the number of values. */
const UNBOUNDED = new Set([
  "pattern",
  "patternProperties",
  "uniqueItems",
  "format",
  "contains",
  "$dynamicRef",
]);

interface Pass {
  root: unknown;
  /** The costs counted so far; undefined while a schema is being counted. */
  known: Map<object, number | undefined>;
  /** The names in the root's `$defs` that are used. */
  reached: Set<string>;
  isBounded: boolean;
}

/**
 * Counts the cost of a schema in one pass over everything that it refers to, and makes it self-contained.
 *
 * @param root holds the `$defs` that the schema refers to
 * @throws EngineError if it costs too much
 */
export function checkableSchema(root: unknown, schema: unknown): CheckableSchema {
  const pass: Pass = { root, known: new Map(), reached: new Set(), isBounded: true };
  const cost = costOf(pass, schema, 0);
  if (cost > COST_MAX) {
    const size = cost > 1e15 ? "more than 10^15" : cost.toLocaleString("en");
    throw new EngineError(
      `checking one value could take ${size} comparisons, more than ${COST_MAX.toLocaleString("en")}`,
    );
  }
  return { text: standAlone(pass, schema), cost, isBounded: pass.isBounded };
}

function costOf(pass: Pass, node: unknown, depth: number): number {
  if (typeof node !== "object" || node === null) return 1;
  if (depth > DEPTH_MAX) throw new EngineError(`its schemas are nested more than ${DEPTH_MAX} deep`);
  if (pass.known.has(node)) {
    const cost = pass.known.get(node);
    if (cost !== undefined) return cost;
    pass.isBounded = false;
    return 1;
  }
  pass.known.set(node, undefined);
  let cost = 1;
  for (const [keyword, value] of Object.entries(node)) {
    if (UNBOUNDED.has(keyword)) pass.isBounded = false;
    if (keyword === "$ref" && typeof value === "string") {
      cost += costOf(pass, referred(pass, value), depth + 1);
    } else if (keyword !== "$defs") cost += costOf(pass, value, depth + 1);
  }
  pass.known.set(node, cost);
  return cost;
}

function referred(pass: Pass, reference: string): unknown {
  if (reference === "#") return pass.root;
  const tokens = reference.startsWith("#/") ? decodePointer(decoded(reference.slice(1))) : undefined;
  if (tokens === undefined) {
    pass.isBounded = false;
    return undefined;
  }
  if (tokens[0] === "$defs" && tokens[1] !== undefined) pass.reached.add(tokens[1]);
  return resolvePointer(pass.root, tokens);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A schema with its own definitions is already self-contained. Any other gets those of the root's definitions that it uses. */
function standAlone({ root, reached }: Pass, schema: unknown): string {
  if (!isObject(schema)) return JSON.stringify(schema !== false);
  if (schema === root || reached.size === 0) return JSON.stringify(schema);
  const all = isObject(root) && isObject(root["$defs"]) ? root["$defs"] : {};
  const $defs = Object.fromEntries([...reached].map((name) => [name, all[name]]));
  return JSON.stringify({ ...schema, $defs });
}
