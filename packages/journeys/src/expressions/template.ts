import { isObject } from "@waymark/openapi/json.ts";
import type { ExpressionProblem, ParseResult, Selector, SelectorType, Template, ValueNode } from "./ast.ts";
import { CALL_ROOT } from "./functions/parse-call.ts";
import type { CallResult } from "./functions/parse-call.ts";
import { looksLikeExpression, parseCallAt, parseExpression } from "./parse.ts";

/** The maximum nesting depth of a document's value. */
const VALUE_DEPTH_MAX = 100;

/**
 * Parses a string with embedded expressions. Only `{$…}` with the beginning of an expression is one; all other braces are text,
 * so that JSON templates need no escaping.
 */
export function parseTemplate(text: string): ParseResult<Template> {
  const parts: Template = [];
  let literal = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf("{$", at);
    if (open < 0) break;
    if (text.startsWith(CALL_ROOT, open + 1)) {
      const call = embeddedCall(text, open);
      if (!call.ok) return call;
      literal += text.slice(at, open);
      if (literal !== "") parts.push(literal);
      parts.push(call.value);
      literal = "";
      at = call.end;
      continue;
    }
    const close = text.indexOf("}", open);
    const inner = close < 0 ? text.slice(open + 1) : text.slice(open + 1, close);
    if (!looksLikeExpression(inner)) {
      literal += text.slice(at, open + 2);
      at = open + 2;
      continue;
    }
    if (close < 0) return { ok: false, problem: { message: `"{$" is never closed with "}"`, offset: open } };
    const parsed = parseExpression(inner);
    if (!parsed.ok) return shift(parsed.problem, open + 1);
    literal += text.slice(at, open);
    if (literal !== "") parts.push(literal);
    parts.push(parsed.value);
    literal = "";
    at = close + 1;
  }
  literal += text.slice(at);
  if (literal !== "") parts.push(literal);
  return { ok: true, value: parts };
}

/** The texts of a call may contain braces, so it is parsed to find its end. */
function embeddedCall(text: string, open: number): CallResult {
  const call = parseCallAt(text, open + 1);
  if (!call.ok) return call;
  const space = /^\s*/.exec(text.slice(call.end, call.end + 20))?.[0].length ?? 0;
  if (text[call.end + space] === "}") return { ...call, end: call.end + space + 1 };
  return { ok: false, problem: { message: `"{$fn." is never closed with "}"`, offset: open } };
}

/** Whether a template has no expression in it. */
export function isLiteral(template: Template): boolean {
  return template.every((part) => typeof part === "string");
}

/** A problem inside a value, `path` being the keys that lead to the string. */
export interface ValueProblem extends ExpressionProblem {
  path: (string | number)[];
}

/** Parses every expression in a value of a document (a parameter's value, a payload), names of members included. */
export function parseValue(value: unknown): { node: ValueNode; problems: ValueProblem[] } {
  const problems: ValueProblem[] = [];
  const node = visit(value, [], problems);
  return { node, problems };
}

function visit(value: unknown, path: (string | number)[], problems: ValueProblem[]): ValueNode {
  if (path.length > VALUE_DEPTH_MAX) {
    problems.push({ path, offset: 0, message: `is nested deeper than ${VALUE_DEPTH_MAX} levels` });
    return { const: null };
  }
  if (typeof value === "string") return visitString(value, path, problems);
  if (typeof value !== "object" || value === null) return { const: value };
  if (Array.isArray(value)) {
    const items = value.map((item, index) => visit(item, [...path, index], problems));
    return items.every(isConst) ? { const: value } : { array: items };
  }
  const selector = isObject(value) ? selectorOf(value, path, problems) : undefined;
  if (selector !== undefined) return { selector };
  return visitObject(value, path, problems);
}

function visitObject(value: object, path: (string | number)[], problems: ValueProblem[]): ValueNode {
  const object: Record<string, ValueNode> = {};
  const keys: Record<string, Template> = {};
  for (const [key, item] of Object.entries(value)) {
    object[key] = visit(item, [...path, key], problems);
    const name = key.includes("{$") ? parseTemplate(key) : undefined;
    if (name?.ok === false) problems.push({ ...name.problem, path: [...path, key] });
    else if (name !== undefined && !isLiteral(name.value)) keys[key] = name.value;
  }
  if (Object.keys(keys).length > 0) return { object, keys };
  return Object.values(object).every(isConst) ? { const: value } : { object };
}

function visitString(text: string, path: (string | number)[], problems: ValueProblem[]): ValueNode {
  if (looksLikeExpression(text)) {
    const parsed = parseExpression(text);
    if (parsed.ok) return { expr: parsed.value };
    problems.push({ ...parsed.problem, path });
    return { const: text };
  }
  if (!text.includes("{$")) return { const: text };
  const template = parseTemplate(text);
  if (!template.ok) {
    problems.push({ ...template.problem, path });
    return { const: text };
  }
  return isLiteral(template.value) ? { const: text } : { template: template.value };
}

function selectorOf(
  value: Record<string, unknown>,
  path: (string | number)[],
  problems: ValueProblem[],
): Selector | undefined {
  if (Object.keys(value).length !== 3) return undefined;
  if (typeof value["context"] !== "string" || typeof value["selector"] !== "string") return undefined;
  if (!looksLikeExpression(value["context"]) || !Object.hasOwn(value, "type")) return undefined;
  const parsed = parseSelector({
    context: value["context"],
    selector: value["selector"],
    type: value["type"],
  });
  if (parsed.ok) return parsed.value;
  problems.push({ ...parsed.problem, path });
  return undefined;
}

/** Parses a Selector Object. */
export function parseSelector(value: {
  context: string;
  selector: string;
  type: unknown;
}): ParseResult<Selector> {
  const context = parseExpression(value.context);
  if (!context.ok) return context;
  const selector = parseTemplate(value.selector);
  if (!selector.ok) return selector;
  const type = parseSelectorType(value.type);
  if (type === undefined) {
    return {
      ok: false,
      problem: { offset: 0, message: "a selector's type is jsonpath, xpath or jsonpointer" },
    };
  }
  return { ok: true, value: { context: context.value, selector: selector.value, type } };
}

const VERSIONS: Record<SelectorType["type"], readonly string[]> = {
  jsonpath: ["rfc9535", "draft-goessner-dispatch-jsonpath-00"],
  xpath: ["xpath-31", "xpath-30", "xpath-20", "xpath-10"],
  jsonpointer: ["rfc6901"],
};

/** An Expression Type, as a string or with its version; undefined if the specification doesn't define it. */
export function parseSelectorType(value: unknown): SelectorType | undefined {
  const given = isObject(value) ? value : undefined;
  const name = given === undefined ? value : given["type"];
  if (name !== "jsonpath" && name !== "xpath" && name !== "jsonpointer") return undefined;
  const version = given?.["version"];
  if (version === undefined || version === VERSIONS[name][0]) return { type: name };
  return typeof version === "string" && VERSIONS[name].includes(version)
    ? { type: name, version }
    : undefined;
}

function isConst(node: ValueNode): boolean {
  return "const" in node;
}

function shift(problem: ExpressionProblem, by: number): { ok: false; problem: ExpressionProblem } {
  return { ok: false, problem: { message: problem.message, offset: problem.offset + by } };
}
