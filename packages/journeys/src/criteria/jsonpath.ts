import { resolvePointer } from "@waymark/openapi/pointer.ts";
import { FunctionExpressionType, JSONPathEnvironment, JSONPathError } from "json-p3";
import type { JSONPathNode, JSONPathQuery, JSONValue } from "json-p3";
import { EngineError, EvaluationLimit } from "../evaluation/engine-error.ts";
import { mapBigInts } from "../expressions/exact-json.ts";
import { valueSize } from "../expressions/value-size.ts";
import { boundedCache } from "./bounded-cache.ts";
import { countVisits } from "./count-visits.ts";
import type { Visits } from "./count-visits.ts";
import { translateGoessner } from "./goessner.ts";
import { createRegexEngine } from "./regex.ts";
import { VISITS_MAX } from "./visits.ts";

const QUERY_LENGTH_MAX = 4000;
/** The version of JSONPath before RFC 9535, as documents name it. */
const GOESSNER = "draft-goessner-dispatch-jsonpath-00";
/** Deeper than any body that is read. */
const DEPTH_MAX = 600;
/** All that is selected as one text: values that overlap are counted as often as they are selected. */
const SELECTED_CHARS_MAX = 10 * 1024 * 1024;

export interface JsonPathEngine {
  /** The values the query selects. @throws EngineError for an invalid query or one that is too costly */
  select: (query: string, value: unknown, version?: string) => unknown[];
  /** The places the query selects, each as keys from the root. @throws EngineError */
  locate: (query: string, value: unknown, version?: string) => (string | number)[][];
  problem: (query: string, version?: string) => string | undefined;
}

/** JSONPath as RFC 9535 has it, or as Goessner's draft. */
export function createJsonPathEngine(): JsonPathEngine {
  const environment = createEnvironment();
  let visits: Visits = { left: 0 };
  const compiled = boundedCache(200, (query) => compile(environment, query, () => visits));
  const inVersion = (query: string, version: string | undefined) =>
    compiled(version === GOESSNER ? GOESSNER + query : query);
  const run = (query: string, value: unknown, version: string | undefined): JSONPathNode[] => {
    const entry = inVersion(query, version);
    if (typeof entry === "string") throw new EngineError(entry);
    if (!isJson(value)) throw new EngineError("there is no value to query");
    visits = { left: VISITS_MAX };
    try {
      return [...entry.lazyQuery(value)];
    } catch (error) {
      if (error instanceof JSONPathError) throw new EngineError(`the query fails: ${error.message}`);
      throw error;
    }
  };
  return {
    select: (query, value, version) => {
      // Filters compare numbers; what is selected keeps the integers as they were written.
      const plain = mapBigInts(value, Number);
      const nodes = run(query, plain, version);
      const selected = nodes.map((node) =>
        plain === value ? node.value : resolvePointer(value, node.location.map(String)),
      );
      checkSize(selected);
      return selected;
    },
    locate: (query, value, version) =>
      run(query, mapBigInts(value, Number), version).map(({ location }) => location),
    problem: (query, version) => {
      const entry = inVersion(query, version);
      return typeof entry === "string" ? entry : undefined;
    },
  };
}

function createEnvironment(): JSONPathEnvironment {
  const regex = createRegexEngine();
  const environment = new JSONPathEnvironment({ maxRecursionDepth: DEPTH_MAX });
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
  return environment;
}

/** RFC 9485, section 5: the dot of an I-Regexp, outside a class, is neither a line feed nor a carriage return. */
function iRegexp(pattern: string): string {
  return pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, (part) =>
    part === "." ? String.raw`[^\n\r]` : part,
  );
}

function compile(
  environment: JSONPathEnvironment,
  text: string,
  visits: () => Visits,
): JSONPathQuery | string {
  const isOld = text.startsWith(GOESSNER);
  const given = isOld ? text.slice(GOESSNER.length) : text;
  if (given.length > QUERY_LENGTH_MAX)
    return `the JSONPath query is longer than ${QUERY_LENGTH_MAX} characters`;
  try {
    const query = environment.compile(isOld ? translateGoessner(given) : given);
    countVisits(query, visits);
    return query;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return `the JSONPath query is not valid: ${reason}`;
  }
}

function isJson(value: unknown): value is JSONValue {
  return value !== undefined;
}

function checkSize(selected: readonly unknown[]): void {
  if (valueSize(selected, SELECTED_CHARS_MAX) <= SELECTED_CHARS_MAX) return;
  throw new EvaluationLimit(`the query selects more than ${SELECTED_CHARS_MAX / 1024 / 1024} MiB`);
}
