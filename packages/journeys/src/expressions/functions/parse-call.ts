import { nearestName } from "@waymark/openapi/nearest-name.ts";
import type { CallArgument, Expression, ExpressionProblem } from "../ast.ts";
import { declarationOf, FUNCTION_NAMES, isFunctionName, signatureOf } from "./declarations.ts";
import type { FunctionName, FunctionParameter } from "./declarations.ts";
import { formatFault, offsetFault } from "./format-time.ts";

export const CALL_ROOT = "$fn.";
const DEPTH_MAX = 8;
const ARGUMENTS_MAX = 20;

/** Parses an expression that is no call; given by the parser of expressions, which knows how. */
export type ParsePlain = (
  text: string,
) => { ok: true; value: Expression } | { ok: false; problem: ExpressionProblem };

export type CallResult =
  | { ok: true; value: Extract<Expression, { kind: "call" }>; end: number }
  | { ok: false; problem: ExpressionProblem };

/** Parses a call that begins at an offset of a text, and returns where it ends. */
export function parseCall(text: string, start: number, parsePlain: ParsePlain): CallResult {
  const parser: Parser = { text, at: start, depth: 0, parsePlain };
  try {
    const value = callAt(parser);
    return { ok: true, value, end: parser.at };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { ok: false, problem: { message: error.message, offset: error.offset } };
  }
}

interface Parser {
  readonly text: string;
  at: number;
  depth: number;
  readonly parsePlain: ParsePlain;
}

class CallError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

function callAt(parser: Parser): Extract<Expression, { kind: "call" }> {
  const start = parser.at;
  if (++parser.depth > DEPTH_MAX)
    throw new CallError(`has more than ${DEPTH_MAX} functions in each other`, start);
  const name = nameAt(parser);
  const args: { argument: CallArgument; at: number }[] = [];
  parser.at++;
  skipSpace(parser);
  while (parser.text[parser.at] !== ")") {
    if (args.length > 0) {
      if (parser.text[parser.at] !== ",") throw unclosed(parser, name);
      parser.at++;
      skipSpace(parser);
    }
    if (args.length >= ARGUMENTS_MAX)
      throw new CallError(`$fn.${name} has more than ${ARGUMENTS_MAX} arguments`, parser.at);
    args.push({ at: parser.at, argument: argumentAt(parser, name) });
    skipSpace(parser);
  }
  parser.at++;
  parser.depth--;
  checkArguments(name, args, start);
  return { kind: "call", name, args: args.map(({ argument }) => argument) };
}

function nameAt(parser: Parser): FunctionName {
  const start = parser.at;
  parser.at += CALL_ROOT.length;
  const name = /^\w*/.exec(parser.text.slice(parser.at, parser.at + 100))?.[0] ?? "";
  parser.at += name.length;
  if (!isFunctionName(name)) {
    const near = nearestName(name, FUNCTION_NAMES, Math.max(1, name.length / 3));
    const hint =
      near === undefined ? `the functions are ${FUNCTION_NAMES.join(", ")}` : `did you mean $fn.${near}?`;
    throw new CallError(`there is no function $fn.${name}: ${hint}`, start);
  }
  if (parser.text[parser.at] !== "(")
    throw new CallError(`$fn.${name} is a function: write ${signatureOf(name)}`, start);
  return name;
}

function argumentAt(parser: Parser, name: FunctionName): CallArgument {
  const { text, at } = parser;
  if (text.startsWith(CALL_ROOT, at)) return callAt(parser);
  if (text[at] === "'") return { literal: stringAt(parser) };
  const word = /^[^\s,()'"{}$][^\s,()'"{}]*/.exec(text.slice(at, at + 100))?.[0];
  if (word !== undefined) {
    parser.at += word.length;
    return { literal: literalOf(word, at) };
  }
  if (text[at] !== "$") throw unclosed(parser, name);
  const end = endOfExpression(text, at);
  const parsed = parser.parsePlain(text.slice(at, end));
  if (!parsed.ok) throw new CallError(parsed.problem.message, at + parsed.problem.offset);
  parser.at = end;
  return parsed.value;
}

function stringAt(parser: Parser): string {
  const [whole, inner = ""] = /^'((?:[^']|'')*)'/.exec(parser.text.slice(parser.at)) ?? [];
  if (whole === undefined) throw new CallError("the text that begins here is never closed with '", parser.at);
  parser.at += whole.length;
  return inner.replaceAll("''", "'");
}

function literalOf(word: string, at: number): number | boolean | null {
  if (word === "null") return null;
  if (word === "true" || word === "false") return word === "true";
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word) ? Number(word) : Number.NaN;
  if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) return number;
  throw new CallError(`"${word}" is no value: a text is written '${word}'`, at);
}

/** An expression as an argument ends at a comma, a parenthesis or a space, unless that is in quotes. */
function endOfExpression(text: string, start: number): number {
  let isQuoted = false;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "'") isQuoted = !isQuoted;
    else if (!isQuoted && /[\s,()}]/.test(char)) return at;
  }
  return text.length;
}

function skipSpace(parser: Parser): void {
  while (/\s/.test(parser.text.charAt(parser.at))) parser.at++;
}

function unclosed(parser: Parser, name: string): CallError {
  const found = parser.text.slice(parser.at, parser.at + 20);
  return found === ""
    ? new CallError(
        `the call of $fn.${name} is never closed with ")": within YAML's { } and [ ], a value with a comma needs quotes`,
        parser.at,
      )
    : new CallError(
        `"${found}" can't stand in the call of $fn.${name}: arguments are separated by commas, and texts in single quotes`,
        parser.at,
      );
}

function checkArguments(
  name: FunctionName,
  args: readonly { argument: CallArgument; at: number }[],
  start: number,
): void {
  const { parameters } = declarationOf(name);
  const needed = parameters.filter(({ isOptional }) => isOptional !== true).length;
  const isOpen = parameters.at(-1)?.isRest === true;
  if (args.length < needed || (!isOpen && args.length > parameters.length))
    throw new CallError(`$fn.${name} has ${args.length} arguments: write ${signatureOf(name)}`, start);
  for (const [index, { argument, at }] of args.entries()) {
    const parameter = parameters[Math.min(index, parameters.length - 1)];
    const fault = parameter === undefined ? undefined : argumentFault(argument, parameter);
    if (fault !== undefined) throw new CallError(`$fn.${name}: ${fault}`, at);
  }
}

/** Why an argument can't be one of a parameter, as far as the document tells. */
function argumentFault(argument: CallArgument, { name, type }: FunctionParameter): string | undefined {
  const literal = "literal" in argument ? argument.literal : undefined;
  if (typeof type !== "string" || type === "format" || type === "offset") {
    if (typeof literal !== "string")
      return `"${name}" must be a text in single quotes, so that it is checked before the run`;
    if (typeof type !== "string")
      return type.includes(literal)
        ? undefined
        : `"${literal}" is none of the values of "${name}": ${type.join(", ")}`;
    const fault = type === "format" ? formatFault(literal) : offsetFault(literal);
    return fault === undefined ? undefined : `"${literal}" ${fault}`;
  }
  if (literal === undefined) return undefined;
  if (type === "number" && typeof literal !== "number") return `"${name}" must be a number`;
  if (type === "text" && (literal === null || typeof literal === "boolean"))
    return `"${name}" must be a text`;
  return undefined;
}
