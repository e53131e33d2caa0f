import { parseExpression } from "../expressions/parse.ts";
import { parseSelectorType, parseTemplate } from "../expressions/template.ts";
import type { Criterion } from "./ast.ts";
import { parseCondition } from "./parse-condition.ts";

/** A criterion as a document has it. */
export interface CriterionSource {
  "x-id"?: string | undefined;
  condition: string;
  context?: string | undefined;
  type?: unknown;
}

export type CriterionResult =
  | { ok: true; criterion: Criterion }
  | { ok: false; field: "condition" | "context" | "type"; message: string };

const REGEX: { type: "regex"; version?: string } = { type: "regex" };

/** Compiles a criterion. Everything that doesn't depend on values is parsed now. */
export function parseCriterion(source: CriterionSource): CriterionResult {
  const id = source["x-id"] === undefined ? {} : { id: source["x-id"] };
  const { type = "simple", condition: text } = source;
  const { context: contextText } = source;
  if (source.type !== undefined && contextText === undefined) {
    const name = typeof type === "string" ? type : "this";
    return problem("context", `a criterion with a type (${name}) needs a context, such as $response.body`);
  }
  if (type === "simple") {
    const parsed = parseCondition(text);
    if (!parsed.ok) return problem("condition", `${parsed.message} (at character ${parsed.offset + 1})`);
    return { ok: true, criterion: { ...id, type, text, condition: parsed.condition } };
  }
  const kind = type === "regex" ? REGEX : parseSelectorType(type);
  if (kind === undefined || kind.type === "jsonpointer") {
    return problem(
      "type",
      "a criterion's type is simple, regex, jsonpath or xpath, with a version they have",
    );
  }
  const context = parseExpression(contextText ?? "");
  if (!context.ok) return problem("context", context.problem.message);
  const pattern = parseTemplate(text);
  if (!pattern.ok) return problem("condition", pattern.problem.message);
  return {
    ok: true,
    criterion: {
      ...id,
      type: kind.type,
      text,
      context: context.value,
      contextText: contextText ?? "",
      pattern: pattern.value,
      ...(kind.version === undefined ? {} : { version: kind.version }),
    },
  };
}

function problem(field: "condition" | "context" | "type", message: string): CriterionResult {
  return { ok: false, field, message };
}
