import { jsonpath, JSONPathError } from "json-p3";
import type { JSONPathQuery } from "json-p3";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { countVisits } from "../evaluation/count-visits.ts";
import { compileQuery } from "../evaluation/jsonpath-environment.ts";
import type { Visits } from "../evaluation/visits.ts";
import type { OverlayProfile } from "./model.ts";

const { IndexSelector, SliceSelector, FilterSelector, WildcardSelector, NameSelector } = jsonpath.selectors;
const { FilterQuery, RootQuery, FunctionExtension, InfixExpression, PrefixExpression, LogicalExpression } =
  jsonpath.expressions;

type Expression = InstanceType<typeof LogicalExpression>["expression"];
type Segment = JSONPathQuery["segments"][number];

const TARGET_CHARS = 2000;

/** A target that the profile accepts, or the reason why it doesn't. */
export type Selection =
  | { ok: true; locate: (root: JsonValue, visits: Visits) => (string | number)[][] }
  | { ok: false; code: "overlay-target" | "overlay-index"; message: string };

/**
 * Compiles a target. The strict profile selects by identity, never by position, one thing in a bracket, and descends once.
 * Both keep `$` and patterns out of filters: what these cost is not in the visits that are counted.
 */
export function compileTarget(target: string, profile: OverlayProfile): Selection {
  if (target.length > TARGET_CHARS) return wrong(`The target is longer than ${TARGET_CHARS} characters.`);
  let query: JSONPathQuery;
  try {
    query = compileQuery(target);
  } catch (error) {
    if (error instanceof JSONPathError)
      return wrong(`The target is no JSONPath that is accepted: ${error.message}.`);
    throw error;
  }
  const fault = faultOf(query.segments, profile, false);
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

function faultOf(
  segments: readonly Segment[],
  profile: OverlayProfile,
  inFilter: boolean,
): Selection | undefined {
  const strict = profile === "strict";
  const descents = segments.filter((segment) => segment.constructor.name === "DescendantSegment").length;
  if (strict && descents > (inFilter ? 0 : 1)) {
    return wrong("The target descends (..) more than once or inside a filter; name the way to the field.");
  }
  for (const { selectors } of segments) {
    if (strict && selectors.length > 1) return wrong("The target selects several things in one bracket.");
    for (const selector of selectors) {
      const fault = faultOfSelector(selector, profile);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function faultOfSelector(
  selector: Segment["selectors"][number],
  profile: OverlayProfile,
): Selection | undefined {
  if (selector instanceof FilterSelector) return faultInFilter(selector.expression, profile);
  if (selector instanceof IndexSelector || selector instanceof SliceSelector) {
    if (profile === "standard") return undefined;
    return {
      ok: false,
      code: "overlay-index",
      message: "The target selects by position; select by identity, as in [?@.stepId=='create'].",
    };
  }
  const isKnown = selector instanceof NameSelector || selector instanceof WildcardSelector;
  return isKnown ? undefined : wrong("The target uses a selector that RFC 9535 doesn't have.");
}

function faultInFilter(expression: Expression, profile: OverlayProfile): Selection | undefined {
  if (expression instanceof LogicalExpression) return faultInFilter(expression.expression, profile);
  if (expression instanceof PrefixExpression) return faultInFilter(expression.right, profile);
  if (expression instanceof InfixExpression)
    return faultInFilter(expression.left, profile) ?? faultInFilter(expression.right, profile);
  if (expression instanceof FunctionExtension) {
    // The document would choose the regular expression.
    if (["match", "search"].includes(expression.name)) return wrong("A target has no regular expressions.");
    return expression.args
      .map((argument) => faultInFilter(argument, profile))
      .find((fault) => fault !== undefined);
  }
  if (expression instanceof RootQuery)
    return wrong("A filter looks at its own item (@), not at the whole document ($).");
  return expression instanceof FilterQuery ? faultOf(expression.path.segments, profile, true) : undefined;
}
