import { isObject } from "@waymark/openapi/json.ts";
import type { Expression } from "../expressions/ast.ts";

/** The keys of constants in compiled nodes: nothing below them is an expression. */
const CONSTANTS = new Set(["const", "literal", "inputs", "vars", "rule"]);

/** Maps whose keys the document chooses. */
const NAMED = new Set(["object", "keys", "outputs"]);

/** Visits every expression in a compiled node, and then those in the arguments of functions. */
export function walkExpressions(node: unknown, visit: (expression: Expression) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) walkExpressions(item, visit);
    return;
  }
  if (!isObject(node)) return;
  if (isExpression(node)) {
    visit(node);
    if (node.kind === "call") walkExpressions(node.args, visit);
    return;
  }
  for (const [key, value] of Object.entries(node)) {
    // The document chooses their members' names: a payload may have one named "const".
    if (NAMED.has(key) && isObject(value)) walkExpressions(Object.values(value), visit);
    else if (!CONSTANTS.has(key)) walkExpressions(value, visit);
  }
}

const KINDS = new Set([
  "url",
  "method",
  "statusCode",
  "self",
  "header",
  "query",
  "path",
  "body",
  "inputs",
  "outputs",
  "vars",
  "step",
  "workflow",
  "source",
  "component",
  "call",
]);

/** Targets and credentials have a `kind` as well, so the other members decide. */
function isExpression(node: Record<string, unknown>): node is Record<string, unknown> & Expression {
  if (typeof node["kind"] !== "string" || !KINDS.has(node["kind"])) return false;
  switch (node["kind"]) {
    case "header":
    case "query":
    case "path":
    case "body":
      return "of" in node;
    case "workflow":
      return "field" in node;
    default:
      return true;
  }
}
