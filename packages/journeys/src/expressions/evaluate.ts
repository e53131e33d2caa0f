import { ownValue } from "@waymark/openapi/json.ts";
import { resolvePointer } from "@waymark/openapi/pointer.ts";
import type { Expression, Selector, Template, ValueNode } from "./ast.ts";
import { EvaluationLimit } from "./engine-error.ts";
import { callFunction } from "./functions/call-function.ts";
import { embeddedText } from "./embedded-text.ts";
import { renderJson } from "./render-json.ts";
import type { MessageView, Scope } from "./scope.ts";

/** The results of a value's Selector Objects, which are applied in advance because that is asynchronous. */
export type SelectorResults = ReadonlyMap<Selector, unknown>;

/** The maximum length of a template's text: two of the largest bodies. */
const TEXT_CHARS_MAX = 10 * 1024 * 1024;

/** The value of an expression, with its type; `undefined` if it leads nowhere. */
export function evaluate(expression: Expression, scope: Scope): unknown {
  switch (expression.kind) {
    case "url":
    case "method":
    case "statusCode":
    case "self":
      return scope[expression.kind];
    case "inputs":
    case "outputs":
    case "vars":
      return deref(lookUp(scope[expression.kind], expression.name), expression.pointer);
    case "step":
      return deref(lookUp(scope.steps.get(expression.step)?.outputs, expression.output), expression.pointer);
    case "workflow": {
      const workflow = scope.workflows.get(expression.workflow);
      return deref(lookUp(workflow?.[expression.field], expression.name), expression.pointer);
    }
    case "source": {
      const { source, reference } = expression;
      // In a program, the names of other documents' sources have a prefix.
      if (reference === "name") return source.slice(source.lastIndexOf(".") + 1);
      return ownValue(scope.sources.get(source), reference);
    }
    case "component":
      return undefined;
    case "call":
      return callFunction(expression, scope, (argument) =>
        "literal" in argument ? argument.literal : evaluate(argument, scope),
      );
    default:
      return evaluateMessage(expression, scope);
  }
}

type MessageExpression = Extract<Expression, { of: string }>;

function evaluateMessage(expression: MessageExpression, scope: Scope): unknown {
  const message: MessageView | undefined = expression.of === "request" ? scope.request : scope.response;
  if (message === undefined) return undefined;
  switch (expression.kind) {
    case "header":
      return ownValue(message.headers, expression.name);
    case "query":
    case "path":
      return ownValue(message[expression.kind], expression.name);
    default:
      return deref(message.body, expression.pointer);
  }
}

/** A name may contain dots: the longest existing name is used, and the rest are properties of its value. */
function lookUp(values: unknown, name: string): unknown {
  const exact = ownValue(values, name);
  if (exact !== undefined || !name.includes(".")) return exact;
  const parts = name.split(".");
  for (let length = parts.length - 1; length > 0; length--) {
    const value = ownValue(values, parts.slice(0, length).join("."));
    if (value !== undefined) return resolvePointer(value, parts.slice(length));
  }
  return undefined;
}

function deref(value: unknown, pointer: string[] | undefined): unknown {
  return pointer === undefined ? value : resolvePointer(value, pointer);
}

/** A template's text. `quote` may change each embedded value's text, e.g. to escape it. */
export function renderTemplate(
  template: Template,
  scope: Scope,
  quote?: (text: string, part: number) => string,
): string {
  let text = "";
  for (const [index, part] of template.entries()) {
    if (typeof part === "string") text += part;
    else {
      const value = embeddedText(evaluate(part, scope));
      text += quote === undefined ? value : quote(value, index);
    }
    assertLength(text.length);
  }
  return text;
}

/** A step that uses a text twice doubles its length, and so may the next step. @throws EvaluationLimit */
function assertLength(length: number): void {
  if (length > TEXT_CHARS_MAX) {
    throw new EvaluationLimit(`a text with its values is longer than ${TEXT_CHARS_MAX / 1024 / 1024} MiB`);
  }
}

/** A document's value with all expressions replaced. Omits properties whose expression leads nowhere. */
export function evaluateValue(node: ValueNode, scope: Scope, selected: SelectorResults): unknown {
  if ("const" in node) return node.const;
  if ("expr" in node) return evaluate(node.expr, scope);
  if ("template" in node) return renderTemplate(node.template, scope);
  if ("json" in node) return renderJson(node.json, (expression) => evaluate(expression, scope), assertLength);
  if ("array" in node) return node.array.map((item) => evaluateValue(item, scope, selected) ?? null);
  if ("selector" in node) return selected.get(node.selector);
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(node.object)) {
    const value = evaluateValue(item, scope, selected);
    const template = node.keys !== undefined && Object.hasOwn(node.keys, key) ? node.keys[key] : undefined;
    const name = template === undefined ? key : renderTemplate(template, scope);
    if (value !== undefined) define(result, name, value);
  }
  return result;
}

/** Sets an own property: assigning to `__proto__` would set the prototype instead. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
