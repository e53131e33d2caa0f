import type { NormalizedProblem } from "@redocly/openapi-core";
import type { Severity } from "@waymark/shared/scans/schema.ts";

/** The rule engine's two levels. */
type Level = NormalizedProblem["severity"];

/** The severity of a rule that is not in the table, or whose level a ruleset has changed. */
const BY_LEVEL: Record<Level, Severity> = { error: "high", warn: "medium" };

export interface RuleSeverity {
  /** The level that the engine's recommended rules give it. */
  level: Level;
  severity: Severity;
  /** Why it has that severity. */
  why: string;
}

const rule = (level: Level, severity: Severity, why: string): RuleSeverity => ({ level, severity, why });

/**
 * The severities of the engine's recommended rules. High: clients fail, or an operation is unprotected. Medium: clients can misunderstand it.
 * Low: the documentation is wrong or incomplete. Info: a text is missing. `docs/rules.md` has the same list.
 */
export const RULE_SEVERITIES: ReadonlyMap<string, RuleSeverity> = new Map(
  Object.entries({
    "no-enum-type-mismatch": rule(
      "error",
      "high",
      "No value is valid that the type and the enum both allow.",
    ),
    "no-identical-paths": rule("error", "high", "Two operations have one address, and tools drop one."),
    "no-schema-type-mismatch": rule(
      "error",
      "high",
      "The schema's keywords are not those of its type, so validators ignore them.",
    ),
    "no-undefined-server-variable": rule("error", "high", "The server's address can't be built."),
    "no-unresolved-refs": rule("error", "high", "A part of the description is missing, and tools fail."),
    "nullable-type-sibling": rule(
      "error",
      "high",
      "Without a type, nullable has no effect, and null is refused.",
    ),
    "operation-operationId-unique": rule(
      "error",
      "high",
      "Generated clients overwrite one operation with another.",
    ),
    "operation-parameters-unique": rule("error", "high", "Which parameter counts is not defined."),
    "path-declaration-must-exist": rule("error", "high", "The address can't be built."),
    "path-not-include-query": rule("error", "high", "No request matches a path with a query."),
    "path-parameters-defined": rule("error", "high", "Clients can't fill in the path."),
    "security-defined": rule("error", "high", "The operation is open, or nobody knows how to call it."),
    "spec-components-invalid-map-name": rule("error", "high", "References to the component fail."),
    struct: rule("error", "high", "It is no valid OpenAPI description, so each tool reads it its own way."),

    "no-ambiguous-paths": rule("warn", "medium", "Which operation a request reaches depends on the router."),
    "no-empty-servers": rule("error", "medium", "Clients don't know where the API is."),
    "no-illogical-composition-keywords": rule(
      "warn",
      "medium",
      "The composed schemas don't do what they say.",
    ),
    "no-mixed-number-range-constraints": rule(
      "warn",
      "medium",
      "Which of two bounds counts depends on the validator.",
    ),
    "no-path-trailing-slash": rule(
      "error",
      "medium",
      "Servers differ in whether the slash is part of the path.",
    ),
    "no-required-schema-properties-undefined": rule(
      "warn",
      "medium",
      "A required property has no definition.",
    ),
    "no-server-trailing-slash": rule("error", "medium", "Addresses get two slashes."),
    "no-server-variables-empty-enum": rule("error", "medium", "No value of the variable is allowed."),
    "no-unsafe-markdown": rule("warn", "medium", "Documentation that shows it may run a script."),
    "operation-2xx-response": rule("warn", "medium", "Clients don't know what success is."),
    "operation-operationId": rule(
      "warn",
      "medium",
      "Generated clients invent a name that changes with the path.",
    ),
    "operation-operationId-url-safe": rule(
      "error",
      "medium",
      "Tools that put the name into an address fail.",
    ),
    "security-scopes-defined": rule(
      "warn",
      "medium",
      "The operation asks for a scope that the scheme doesn't have.",
    ),
    "spec-discriminator-defaultMapping": rule(
      "warn",
      "medium",
      "Values without the discriminator have no schema.",
    ),
    "spec-no-invalid-encoding-combinations": rule("error", "medium", "Tools ignore one of the encodings."),
    "spec-querystring-parameters": rule("error", "medium", "How the query is written is not defined."),
    "spec-ref-siblings": rule("warn", "medium", "What stands beside a reference is ignored."),

    "no-duplicated-enum-values": rule("warn", "low", "The repeated value has no effect."),
    "no-duplicated-tag-names": rule("warn", "low", "One of the tags is ignored."),
    "no-example-value-and-externalValue": rule("error", "low", "One of the two examples is ignored."),
    "no-invalid-media-type-examples": rule("warn", "low", "The example is wrong; the schema counts."),
    "no-invalid-parameter-examples": rule("warn", "low", "The example is wrong; the schema counts."),
    "no-invalid-schema-examples": rule("warn", "low", "The example is wrong; the schema counts."),
    "no-server-example.com": rule("warn", "low", "The server is a placeholder."),
    "no-unused-components": rule("warn", "low", "Nothing uses the component."),
    "operation-4xx-response": rule("warn", "low", "Errors are not documented."),
    "spec-example-values": rule("error", "low", "The example's fields exclude each other."),
    "spec-no-invalid-tag-parents": rule("error", "low", "The tag is shown at the wrong place."),

    "info-license": rule("warn", "info", "A text is missing."),
    "info-license-strict": rule("warn", "info", "The license has no link."),
    "operation-summary": rule("error", "info", "A text is missing."),
    "tag-description": rule("warn", "info", "A text is missing."),
  }),
);

/**
 * Returns the severity of a rule's findings. That is the table's where the rule has the level that the engine recommends, unless the team's
 * ruleset names the rule: then its `error` is high, and its `warn` medium.
 */
export function severityOf(ruleId: string, { level, isNamed }: { level: Level; isNamed: boolean }): Severity {
  const known = RULE_SEVERITIES.get(ruleId);
  return known?.level === level && !isNamed ? known.severity : BY_LEVEL[level];
}
