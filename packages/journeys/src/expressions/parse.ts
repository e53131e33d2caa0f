import type { ComponentType, Expression, MessageSide, ParseResult } from "./ast.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import { CALL_ROOT, parseCall } from "./functions/parse-call.ts";
import type { CallResult } from "./functions/parse-call.ts";

/** The maximum length of an expression: a longer one is a mistake or an attack. */
export const EXPRESSION_LENGTH_MAX = 4096;

const BARE = new Map<string, "url" | "method" | "statusCode" | "self">([
  ["$url", "url"],
  ["$method", "method"],
  ["$statusCode", "statusCode"],
  ["$self", "self"],
]);
const ROOTS = [
  "$request.",
  "$response.",
  "$message.",
  "$inputs.",
  "$outputs.",
  "$steps.",
  "$workflows.",
  "$sourceDescriptions.",
  "$components.",
  "$vars.",
  CALL_ROOT,
];
const IDENTIFIER = /^[A-Za-z0-9._-]+$/;
const STRICT = /^[A-Za-z0-9_-]+$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const COMPONENT_TYPES: readonly ComponentType[] = [
  "parameters",
  "successActions",
  "failureActions",
  "inputs",
];

/** Whether a text is meant as a runtime expression, by its beginning. `$5.00` is a price, not an expression. */
export function looksLikeExpression(text: string): boolean {
  return text.startsWith("$") && (BARE.has(text) || ROOTS.some((root) => text.startsWith(root)));
}

/**
 * Parses one runtime expression, the whole text. The grammar is that of Arazzo 1.1 with four additions: `$vars.`, functions,
 * properties of a body written with dots (`$response.body.items[0].id`, as the specification's own conditions do), and
 * Arazzo 1.0's `$steps.<id>.<output>` without `outputs`.
 */
export function parseExpression(text: string): ParseResult<Expression> {
  if (text.length > EXPRESSION_LENGTH_MAX) return fail(`is longer than ${EXPRESSION_LENGTH_MAX} characters`);
  if (text.startsWith(CALL_ROOT)) return wholeCall(text);
  const bare = BARE.get(text);
  if (bare !== undefined) return ok({ kind: bare });
  const root = ROOTS.find((candidate) => text.startsWith(candidate));
  if (root === undefined) {
    return fail(`"${shown(text)}" is no runtime expression: it must begin with ${rootList()}`);
  }
  return (
    ROOT_PARSERS[root.slice(1, -1)]?.(text.slice(root.length), root.length) ??
    fail("is no runtime expression")
  );
}

/** Parses the call of a function that begins at an offset of a text. */
export function parseCallAt(text: string, start: number): CallResult {
  return parseCall(text.slice(0, start + EXPRESSION_LENGTH_MAX), start, parseExpression);
}

function wholeCall(text: string): ParseResult<Expression> {
  const call = parseCallAt(text, 0);
  if (!call.ok) return call;
  return call.end === text.length
    ? ok(call.value)
    : fail(`"${shown(text.slice(call.end))}" can't follow a function`, call.end);
}

type RootParser = (rest: string, offset: number) => ParseResult<Expression>;

const ROOT_PARSERS: Record<string, RootParser> = {
  request: (rest, offset) => parseSource("request", rest, offset),
  response: (rest, offset) => parseSource("response", rest, offset),
  message: (rest, offset) => parseSource("message", rest, offset),
  inputs: (rest, offset) => parseNamed("inputs", rest, offset),
  outputs: (rest, offset) => parseNamed("outputs", rest, offset),
  vars: (rest, offset) => parseNamed("vars", rest, offset),
  steps: parseStep,
  workflows: parseWorkflow,
  sourceDescriptions: parseSourceDescription,
  components: parseComponent,
};

function parseSource(of: MessageSide, rest: string, offset: number): ParseResult<Expression> {
  const dot = rest.indexOf(".");
  const place = dot < 0 ? rest : rest.slice(0, dot);
  if (place === "header" || place === "query" || place === "path") {
    const name = dot < 0 ? "" : rest.slice(dot + 1);
    if (name === "") return fail(`a name is missing after $${of}.${place}`, offset);
    if (place === "header") {
      if (!TOKEN.test(name)) return fail(`"${shown(name)}" is no header name`, offset + dot + 1);
      return ok({ kind: "header", of, name: name.toLowerCase() });
    }
    if (/[{}]/.test(name)) return fail("a name must not contain { or }", offset + dot + 1);
    return ok({ kind: place, of, name });
  }
  const body = /^(?:body|payload)(.*)$/su.exec(rest);
  if (body === null) {
    return fail(`after $${of}. comes header., query., path., body or payload, not "${shown(rest)}"`, offset);
  }
  const tail = body[1] ?? "";
  if (tail === "") return ok({ kind: "body", of });
  const at = offset + rest.length - tail.length;
  const pointer = tail.startsWith("#") ? pointerTokens(tail.slice(1), at + 1) : parseAccess(tail, at);
  return pointer.ok ? ok({ kind: "body", of, pointer: pointer.value }) : pointer;
}

function parseNamed(
  kind: "inputs" | "outputs" | "vars",
  rest: string,
  offset: number,
): ParseResult<Expression> {
  return withPointer(rest, offset, (name, pointer) => {
    if (!IDENTIFIER.test(name))
      return fail(`"${shown(name)}" is no name: letters, digits, ".", "-", "_"`, offset);
    return ok({ kind, name, ...pointer });
  });
}

function parseStep(rest: string, offset: number): ParseResult<Expression> {
  const dot = rest.indexOf(".");
  const step = dot < 0 ? rest : rest.slice(0, dot);
  if (!STRICT.test(step)) return fail(`"${shown(step)}" is no step id`, offset);
  if (dot < 0) return fail(`which output of step "${step}"? Write $steps.${step}.outputs.<name>`, offset);
  const after = rest.slice(dot + 1);
  const named = after.startsWith("outputs.") ? after.slice("outputs.".length) : after;
  return withPointer(named, offset + rest.length - named.length, (output, pointer) => {
    if (!IDENTIFIER.test(output) || named === "outputs") {
      return fail(`"${shown(output)}" names no output of step "${step}"`, offset + dot + 1);
    }
    return ok({ kind: "step", step, output, ...pointer });
  });
}

function parseWorkflow(rest: string, offset: number): ParseResult<Expression> {
  const match = /^([A-Za-z0-9_-]+)\.(inputs|outputs)\.(.*)$/su.exec(rest);
  if (match === null)
    return fail("write $workflows.<id>.inputs.<name> or $workflows.<id>.outputs.<name>", offset);
  const [, workflow = "", , named = ""] = match;
  const field = match[2] === "inputs" ? "inputs" : "outputs";
  return withPointer(named, offset + rest.length - named.length, (name, pointer) => {
    if (!IDENTIFIER.test(name))
      return fail(`"${shown(name)}" is no name`, offset + rest.length - named.length);
    return ok({ kind: "workflow", workflow, field, name, ...pointer });
  });
}

function parseSourceDescription(rest: string, offset: number): ParseResult<Expression> {
  const dot = rest.indexOf(".");
  const source = dot < 0 ? rest : rest.slice(0, dot);
  const reference = dot < 0 ? "" : rest.slice(dot + 1);
  if (!STRICT.test(source)) return fail(`"${shown(source)}" is no name of a source description`, offset);
  if (reference === "" || /[{}]/.test(reference)) {
    return fail(
      `what of "${source}"? Write $sourceDescriptions.${source}.<operationId, workflowId or field>`,
      offset,
    );
  }
  return ok({ kind: "source", source, reference });
}

function parseComponent(rest: string, offset: number): ParseResult<Expression> {
  const dot = rest.indexOf(".");
  const given = dot < 0 ? rest : rest.slice(0, dot);
  const name = dot < 0 ? "" : rest.slice(dot + 1);
  const type = COMPONENT_TYPES.find((candidate) => candidate === given);
  if (type === undefined) {
    return fail("components are parameters, successActions and failureActions", offset);
  }
  if (!IDENTIFIER.test(name)) return fail(`"${shown(name)}" is no name of a component`, offset + dot + 1);
  return ok({ kind: "component", type, name });
}

/** Splits `name#/pointer` and `name[0].x`, which have the same pointer. */
function withPointer(
  text: string,
  offset: number,
  build: (name: string, pointer: { pointer?: string[] }) => ParseResult<Expression>,
): ParseResult<Expression> {
  const end = text.search(/[#[]/);
  if (end < 0) return build(text, {});
  const tail = text.slice(end);
  const pointer =
    tail[0] === "#" ? pointerTokens(tail.slice(1), offset + end + 1) : parseAccess(tail, offset + end);
  return pointer.ok ? build(text.slice(0, end), { pointer: pointer.value }) : pointer;
}

function pointerTokens(text: string, offset: number): ParseResult<string[]> {
  if (/[{}]/.test(text)) return fail("a JSON pointer in an expression must not contain { or }", offset);
  const tokens = decodePointer(text);
  return tokens === undefined
    ? fail(`"${shown(text)}" is no JSON pointer: it begins with "/", and "~" is written "~0"`, offset)
    : ok(tokens);
}

/** Any number of `.name`, `[0]` and `['name']`: the operators `.` and `[]` of conditions. */
export function parseAccess(text: string, offset: number): ParseResult<string[]> {
  const tokens: string[] = [];
  let rest = text;
  while (rest !== "") {
    const step = /^(?:\.([A-Za-z0-9_-]+)|\[(\d+)\]|\['((?:[^']|'')*)'\])/u.exec(rest);
    if (step === null) {
      return fail(`"${shown(rest)}" is neither .name nor [index]`, offset + text.length - rest.length);
    }
    tokens.push(step[1] ?? step[2] ?? (step[3] ?? "").replaceAll("''", "'"));
    rest = rest.slice(step[0].length);
  }
  return ok(tokens);
}

function rootList(): string {
  return [...BARE.keys(), ...ROOTS.filter((root) => root !== "$message.")].join(", ");
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function ok<T>(value: T): ParseResult<T> {
  return { ok: true, value };
}

function fail(message: string, offset = 0): { ok: false; problem: { message: string; offset: number } } {
  return { ok: false, problem: { message, offset } };
}
