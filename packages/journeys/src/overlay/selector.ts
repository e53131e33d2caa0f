import { jsonpath, JSONPathError } from "json-p3";
import type { JSONPathQuery } from "json-p3";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { countVisits } from "../evaluation/count-visits.ts";
import { JSONPATH } from "../evaluation/jsonpath-environment.ts";
import type { Visits } from "../evaluation/visits.ts";

const { IndexSelector, SliceSelector, FilterSelector, WildcardSelector, NameSelector } = jsonpath.selectors;
const { FilterQuery, RootQuery, FunctionExtension, InfixExpression, PrefixExpression, LogicalExpression } =
  jsonpath.expressions;

type Expression = InstanceType<typeof LogicalExpression>["expression"];
type Segment = JSONPathQuery["segments"][number];

const TARGET_CHARS = 2000;

/** A target that the strict profile accepts, or the reason why it doesn't. */
export type Selection =
  | { ok: true; locate: (root: JsonValue, visits: Visits) => (string | number)[][] }
  | { ok: false; code: "overlay-target" | "overlay-index"; message: string };

/**
 * Compiles a target. The strict profile selects by identity, never by position, and keeps out what makes a query's
 * cost grow faster than the document: several selectors in one bracket, descent, `$` and patterns inside filters.
 */
export function compileTarget(target: string): Selection {
  if (target.length > TARGET_CHARS) return wrong(`The target is longer than ${TARGET_CHARS} characters.`);
  let query: JSONPathQuery;
  try {
    query = JSONPATH.compile(target);
  } catch (error) {
    if (error instanceof JSONPathError)
      return wrong(`The target is no JSONPath that is accepted: ${error.message}.`);
    throw error;
  }
  const fault = faultOf(query.segments, false);
  if (fault !== undefined) return fault;
  let counter: Visits = { left: 0 };
  countVisits(query, () => counter);
  return {
    ok: true,
    locate: (root, visits) => {
      counter = visits;
      return [...query.lazyQuery(root)].map(({ location }) => location);
    },
  };
}

function wrong(message: string): Selection {
  return { ok: false, code: "overlay-target", message };
}

function faultOf(segments: readonly Segment[], inFilter: boolean): Selection | undefined {
  const descents = segments.filter((segment) => segment.constructor.name === "DescendantSegment").length;
  if (descents > (inFilter ? 0 : 1)) {
    return wrong("The target descends (..) more than once or inside a filter; name the way to the field.");
  }
  for (const { selectors } of segments) {
    const [selector] = selectors;
    if (selector === undefined || selectors.length > 1)
      return wrong("The target selects several things in one bracket.");
    if (selector instanceof IndexSelector || selector instanceof SliceSelector) {
      return {
        ok: false,
        code: "overlay-index",
        message: "The target selects by position; select by identity, as in [?@.stepId=='create'].",
      };
    }
    if (selector instanceof FilterSelector) {
      const fault = faultInFilter(selector.expression);
      if (fault !== undefined) return fault;
    } else if (!(selector instanceof NameSelector || selector instanceof WildcardSelector)) {
      return wrong("The target uses a selector that RFC 9535 doesn't have.");
    }
  }
  return undefined;
}

function faultInFilter(expression: Expression): Selection | undefined {
  if (expression instanceof LogicalExpression) return faultInFilter(expression.expression);
  if (expression instanceof PrefixExpression) return faultInFilter(expression.right);
  if (expression instanceof InfixExpression)
    return faultInFilter(expression.left) ?? faultInFilter(expression.right);
  if (expression instanceof FunctionExtension) {
    // The document would choose the regular expression.
    if (["match", "search"].includes(expression.name)) return wrong("A target has no regular expressions.");
    return expression.args.map(faultInFilter).find((fault) => fault !== undefined);
  }
  if (expression instanceof RootQuery)
    return wrong("A filter looks at its own item (@), not at the whole document ($).");
  return expression instanceof FilterQuery ? faultOf(expression.path.segments, true) : undefined;
}
