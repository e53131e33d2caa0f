import { JSONPathError, TokenKind } from "json-p3";
import type { JSONPathNode, JSONPathQuery, JSONValue } from "json-p3";
import { EngineError, EvaluationLimit } from "../expressions/engine-error.ts";
import { valueSize } from "../expressions/value-size.ts";
import { boundedCache } from "./bounded-cache.ts";
import { countVisits } from "./count-visits.ts";
import { compareExactly } from "./exact-comparisons.ts";
import { translateGoessner } from "./goessner.ts";
import { compileQuery } from "./jsonpath-environment.ts";
import { VISITS_MAX } from "./visits.ts";
import type { Visits } from "./visits.ts";
import { walkQuery } from "./walk-query.ts";

const QUERY_LENGTH_MAX = 4000;
/** The version of JSONPath before RFC 9535, as documents name it. */
const GOESSNER = "draft-goessner-dispatch-jsonpath-00";
/** The size of all selected values as text. Overlapping values count as often as they are selected. */
const SELECTED_CHARS_MAX = 10 * 1024 * 1024;

export interface JsonPathEngine {
  /** The values the query selects. @throws EngineError for an invalid query or one that is too costly */
  select: (query: string, value: unknown, version?: string) => unknown[];
  /** The positions that the query selects, each as keys from the root. @throws EngineError */
  locate: (query: string, value: unknown, version?: string) => (string | number)[][];
  problem: (query: string, version?: string) => string | undefined;
}

/** JSONPath as RFC 9535 has it, or as Goessner's draft. */
export function createJsonPathEngine(): JsonPathEngine {
  let visits: Visits = { left: 0 };
  const compiled = boundedCache(200, (query) => compile(query, () => visits));
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
      const selected = run(query, value, version).map((node): unknown => node.value);
      checkSize(selected);
      return selected;
    },
    locate: (query, value, version) => run(query, value, version).map(({ location }) => location),
    problem: (query, version) => {
      const entry = inVersion(query, version);
      return typeof entry === "string" ? entry : undefined;
    },
  };
}

function compile(text: string, visits: () => Visits): JSONPathQuery | string {
  const isOld = text.startsWith(GOESSNER);
  const given = isOld ? text.slice(GOESSNER.length) : text;
  if (given.length > QUERY_LENGTH_MAX)
    return `the JSONPath query is longer than ${QUERY_LENGTH_MAX} characters`;
  try {
    const query = compileQuery(isOld ? translateGoessner(given) : given);
    const name = dashedName(query);
    if (name !== undefined)
      return `the JSONPath query is not valid: a name with "-" is written ['${name}'], not .${name}`;
    countVisits(query, visits);
    compareExactly(query);
    return query;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return `the JSONPath query is not valid: ${reason}`;
  }
}

/** A name behind a dot that RFC 9535 does not allow there, and the library does. */
function dashedName(query: JSONPathQuery): string | undefined {
  let dashed: string | undefined;
  walkQuery(query, {
    selector: ({ token }) => {
      if (token.kind === TokenKind.NAME && token.value.includes("-")) dashed ??= token.value;
    },
  });
  return dashed;
}

function isJson(value: unknown): value is JSONValue {
  return value !== undefined;
}

function checkSize(selected: readonly unknown[]): void {
  if (valueSize(selected, SELECTED_CHARS_MAX) <= SELECTED_CHARS_MAX) return;
  throw new EvaluationLimit(`the query selects more than ${SELECTED_CHARS_MAX / 1024 / 1024} MiB`);
}
