import type { Config, LocationObject } from "@redocly/openapi-core";
import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { Watch } from "./watch.ts";

/** A rule that failed, at the position where it did so first. */
export interface FailedRule {
  rule: string;
  location: LocationObject | undefined;
  error: unknown;
}

type Call = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Reports the running rule to a watch, and isolates the failure of one rule from the others. Applies to rules that are
 * created from now on.
 * @returns the rules that have failed so far
 */
export function watchRules(config: Config, watch: Watch): () => FailedRule[] {
  const failed = new Map<string, FailedRule>();
  const guarded = (rule: string, call: Call): Call =>
    function (this: unknown, ...args) {
      try {
        return watch.inRule(rule, () => call.apply(this, args));
      } catch (error) {
        if (!failed.has(rule)) failed.set(rule, { rule, location: locationOf(args[1]), error });
        return undefined;
      }
    };
  const watched = (rule: string, visitor: unknown): unknown => {
    if (isCall(visitor)) return guarded(rule, visitor);
    if (Array.isArray(visitor)) return visitor.map((each) => watched(rule, each));
    if (!isObject(visitor)) return visitor;
    return Object.fromEntries(Object.entries(visitor).map(([name, each]) => [name, watched(rule, each)]));
  };
  const rulesOf = config.getRulesForSpecVersion.bind(config);
  const rulesets = (...args: Parameters<typeof rulesOf>): unknown[] =>
    rulesOf(...args).map((ruleset) =>
      Object.fromEntries(
        Object.entries(ruleset).map(([id, create]) => [
          id,
          // The settings of a rule are a ruleset's, so that a wrong one makes the rule fail here.
          (settings: unknown) =>
            isCall(create) ? (watched(id, guarded(id, create)(settings)) ?? {}) : create,
        ]),
      ),
    );
  Object.defineProperty(config, "getRulesForSpecVersion", { value: rulesets });
  return () => [...failed.values()];
}

function isCall(value: unknown): value is Call {
  return typeof value === "function";
}

/** The position that the engine gives a rule besides the value. */
function locationOf(context: unknown): LocationObject | undefined {
  const location: unknown = ownValue(context, "location");
  return isLocation(location) ? location : undefined;
}

function isLocation(value: unknown): value is LocationObject {
  return ownValue(value, "source") !== undefined;
}
