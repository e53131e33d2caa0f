import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { looksLikeExpression } from "../expressions/parse.ts";
import { isFunctionName } from "../expressions/functions/declarations.ts";
import { placedItems } from "./context.ts";
import type { Placed, RuleContext } from "./context.ts";

/** A whole text with a member, such as `$input.id`; without one it may be a price or a password. */
const WHOLE = /^\$[A-Za-z]\w*\.[\w.#/[\]-]+$/;
const EMBEDDED = /\{(\$[A-Za-z][\w.#/[\]-]*)\}/g;

/** Warns of texts in the values of parameters and bodies that look like expressions and are sent as they are. */
export function expressionTextRules(context: RuleContext, { value, pointer }: Placed): void {
  for (const parameter of placedItems(value, "parameters", pointer)) valueRule(context, parameter, "value");
  const body = ownValue(value, "requestBody");
  if (!isObject(body)) return;
  const placed = { value: body, pointer: childPointer(pointer, "requestBody") };
  valueRule(context, placed, "payload");
  for (const replacement of placedItems(body, "replacements", placed.pointer)) {
    valueRule(context, replacement, "value");
  }
}

function valueRule(context: RuleContext, { value, pointer }: Placed, key: string): void {
  visit(context, ownValue(value, key), childPointer(pointer, key));
}

function visit(context: RuleContext, value: JsonValue | undefined, pointer: Pointer): void {
  if (typeof value === "string") {
    const found = unknownExpression(value);
    if (found === undefined) return;
    const hint = isFunctionName(found.replaceAll(/[{}$]/g, ""))
      ? `write ${found.replace("$", "$fn.").replace(/\}?$/, "()$&")}`
      : "those begin with $inputs., $steps., $vars., $response., $fn. and the like";
    const message = `${found} is sent as text, because it is no expression: ${hint}.`;
    context.report(pointer, "text-like-expression", message, "warning");
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(context, item, childPointer(pointer, index));
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) visit(context, member, childPointer(pointer, name));
  }
}

function unknownExpression(text: string): string | undefined {
  if (WHOLE.test(text)) return looksLikeExpression(text) ? undefined : text;
  for (const [embedded, inner = ""] of text.matchAll(EMBEDDED)) {
    if (!looksLikeExpression(inner)) return embedded;
  }
  return undefined;
}
