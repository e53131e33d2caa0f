import { resolvePointer } from "@waymark/openapi/pointer.ts";
import { FunctionExpressionType, JSONPathEnvironment } from "json-p3";
import type { JSONPathQuery, JSONValue } from "json-p3";
import { mapBigInts } from "../expressions/exact-json.ts";
import { boundedCache } from "./bounded-cache.ts";
import { translateGoessner } from "./goessner.ts";
import { createRegexEngine, EngineError } from "./regex.ts";

const QUERY_LENGTH_MAX = 4000;
/** How many visits a query may cost at worst, as `queryCost` estimates them. */
const COST_MAX = 50_000_000;
/** The version of JSONPath before RFC 9535, as documents name it. */
const GOESSNER = "draft-goessner-dispatch-jsonpath-00";
const NODES_MAX = 1_000_000;

export interface JsonPathEngine {
  /** The values the query selects. @throws EngineError for an invalid query or one that is too costly */
  select: (query: string, value: unknown, version?: string) => unknown[];
  /** The places the query selects, each as keys from the root. @throws EngineError */
  locate: (query: string, value: unknown, version?: string) => (string | number)[][];
  problem: (query: string, version?: string) => string | undefined;
}

/** JSONPath as RFC 9535 has it, with `match()` and `search()` on RE2. */
export function createJsonPathEngine(): JsonPathEngine {
  const regex = createRegexEngine();
  const environment = new JSONPathEnvironment();
  for (const name of ["match", "search"]) {
    environment.functionRegister.set(name, {
      argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
      returnType: FunctionExpressionType.LogicalType,
      call: (text: unknown, pattern: unknown) => {
        if (typeof text !== "string" || typeof pattern !== "string") return false;
        const dotted = iRegexp(pattern);
        const whole = name === "match" ? `^(?:${dotted})$` : dotted;
        return regex.problem(whole) === undefined && regex.test(whole, text);
      },
    });
  }
  const compiled = boundedCache(200, (query) => compile(environment, query));
  const inVersion = (query: string, version: string | undefined) =>
    compiled(version === GOESSNER ? GOESSNER + query : query);
  const run = (query: string, value: unknown, version: string | undefined) => {
    const entry = inVersion(query, version);
    if (typeof entry === "string") throw new EngineError(entry);
    if (entry.exponent > 1 && countNodes(value) ** entry.exponent > COST_MAX) {
      throw new EngineError("the query would visit too many nodes of this value");
    }
    if (!isJson(value)) throw new EngineError("there is no value to query");
    return entry.query.query(value);
  };
  return {
    select: (query, value, version) => {
      // Filters compare numbers; what is selected keeps the integers as they were written.
      const plain = mapBigInts(value, Number);
      const nodes = run(query, plain, version);
      return plain === value
        ? nodes.values()
        : nodes.locations().map((place) => resolvePointer(value, place.map(String)));
    },
    locate: (query, value, version) => run(query, mapBigInts(value, Number), version).locations(),
    problem: (query, version) => {
      const entry = inVersion(query, version);
      return typeof entry === "string" ? entry : undefined;
    },
  };
}

/** RFC 9485, section 5: the dot of an I-Regexp, outside a class, is neither a line feed nor a carriage return. */
function iRegexp(pattern: string): string {
  return pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, (part) =>
    part === "." ? String.raw`[^\n\r]` : part,
  );
}

interface CompiledQuery {
  query: JSONPathQuery;
  exponent: number;
}

function compile(environment: JSONPathEnvironment, text: string): CompiledQuery | string {
  const isOld = text.startsWith(GOESSNER);
  const given = isOld ? text.slice(GOESSNER.length) : text;
  if (given.length > QUERY_LENGTH_MAX)
    return `the JSONPath query is longer than ${QUERY_LENGTH_MAX} characters`;
  try {
    const query = isOld ? translateGoessner(given) : given;
    return { query: environment.compile(query), exponent: costExponent(query) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return `the JSONPath query is not valid: ${reason}`;
  }
}

/**
 * The power of the value's size that the query may cost: each descendant segment and each query from the root within
 * a filter that is not singular multiplies the visits. Everything else visits a node at most once per level.
 */
export function costExponent(query: string): number {
  const bare = query.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gu, "''");
  let exponent = 0;
  for (let at = 0; at < bare.length; at++) {
    if (bare.startsWith("..", at)) exponent++;
    else if (at > 0 && bare[at] === "$") {
      const rest = bare.slice(at + 1).replace(/^(?:\.[\w\u0080-\u{10ffff}]+|\[(?:''|-?\d+)\])+/u, "");
      if (/^\s*[.[]/.test(rest)) exponent++;
    }
  }
  return Math.max(1, exponent);
}

function isJson(value: unknown): value is JSONValue {
  return value !== undefined;
}

function countNodes(value: unknown): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count < NODES_MAX) {
    const next = open.pop();
    count++;
    if (typeof next === "object" && next !== null) for (const item of Object.values(next)) open.push(item);
  }
  return count;
}
