import { parseAccess, parseExpression } from "../expressions/parse.ts";
import { isLiteral, parseTemplate } from "../expressions/template.ts";
import type { ComparisonOperator, Condition, Operand } from "./ast.ts";
import { lexCondition } from "./lex-condition.ts";
import type { Token } from "./lex-condition.ts";

export type ConditionResult =
  | { ok: true; condition: Condition }
  | { ok: false; message: string; offset: number };

const CONDITION_LENGTH_MAX = 8192;
const DEPTH_MAX = 64;
const COMPARISONS: readonly ComparisonOperator[] = ["==", "!=", "<", "<=", ">", ">="];

/**
 * Parses a simple condition. Operators bind in this order, tightest first: `.` and `[]`, `!`, the comparisons, `&&`,
 * `||`; `()` groups.
 */
export function parseCondition(text: string): ConditionResult {
  if (text.length > CONDITION_LENGTH_MAX) {
    return { ok: false, message: `is longer than ${CONDITION_LENGTH_MAX} characters`, offset: 0 };
  }
  const lexed = lexCondition(text);
  if (!lexed.ok) return { ok: false, message: lexed.message, offset: lexed.at };
  const parser: Parser = { text, tokens: lexed.tokens, position: 0, depth: 0 };
  try {
    const condition = parseOr(parser);
    const rest = peek(parser);
    if (rest !== undefined) throw new ConditionError(`"${rest.text}" is one too many here`, rest.at);
    return { ok: true, condition };
  } catch (error) {
    if (error instanceof ConditionError) return { ok: false, message: error.message, offset: error.offset };
    throw error;
  }
}

interface Parser {
  text: string;
  tokens: Token[];
  position: number;
  depth: number;
}

class ConditionError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

function parseOr(parser: Parser): Condition {
  let left = parseAnd(parser);
  while (takeOperator(parser, "||")) left = { op: "||", left, right: parseAnd(parser) };
  return left;
}

function parseAnd(parser: Parser): Condition {
  let left = parseComparison(parser);
  while (takeOperator(parser, "&&")) left = { op: "&&", left, right: parseComparison(parser) };
  return left;
}

function parseComparison(parser: Parser): Condition {
  const left = parseUnary(parser);
  const token = peek(parser);
  const op = COMPARISONS.find((operator) => token?.kind === "operator" && token.text === operator);
  if (op === undefined) return left.condition;
  parser.position++;
  const right = parseUnary(parser);
  const again = peek(parser);
  if (again?.kind === "operator" && COMPARISONS.some((operator) => operator === again.text)) {
    throw new ConditionError("comparisons can't be chained; join them with &&", again.at);
  }
  return { op, left: left.operand(), right: right.operand() };
}

/** A condition that can also stand as an operand of a comparison. */
interface Unary {
  condition: Condition;
  operand: () => Operand;
}

function parseUnary(parser: Parser): Unary {
  const start = peek(parser)?.at ?? parser.text.length;
  if (takeOperator(parser, "!")) {
    const of = nested(parser, () => parseUnary(parser)).condition;
    const condition: Condition = { op: "!", of };
    return { condition, operand: () => ({ group: condition, text: textFrom(parser, start) }) };
  }
  const operand = parseOperand(parser);
  const condition: Condition =
    "group" in operand && operand.text.startsWith("(") ? operand.group : { op: "value", of: operand };
  return { condition, operand: () => operand };
}

function parseOperand(parser: Parser): Operand {
  let operand = parsePrimary(parser);
  const token = peek(parser);
  if (token?.kind === "access") {
    parser.position++;
    const path = parseAccess(token.text, token.at);
    if (!path.ok) throw new ConditionError(path.problem.message, path.problem.offset);
    operand = { access: operand, path: path.value, text: operand.text + token.text };
  }
  return operand;
}

function parsePrimary(parser: Parser): Operand {
  const token = parser.tokens[parser.position];
  if (token === undefined) throw new ConditionError("something is missing at the end", parser.text.length);
  parser.position++;
  switch (token.kind) {
    case "number":
      return { literal: token.value, text: token.text };
    case "string":
      return stringOperand(token.value, token.text, token.at);
    case "word":
      return wordOperand(token.text, token.at);
    case "expression": {
      const parsed = parseExpression(token.inner);
      if (parsed.ok) return { expr: parsed.value, text: token.text };
      throw new ConditionError(parsed.problem.message, token.at + parsed.problem.offset);
    }
    case "operator":
      if (token.text === "(") return parseGroup(parser, token.at);
  }
  throw new ConditionError(`"${token.text}" can't stand here`, token.at);
}

function parseGroup(parser: Parser, at: number): Operand {
  const group = nested(parser, () => parseOr(parser));
  if (!takeOperator(parser, ")")) throw new ConditionError('"(" is never closed', at);
  const text = textFrom(parser, at);
  return group.op === "value" ? { ...group.of, text } : { group, text };
}

function stringOperand(value: string, text: string, at: number): Operand {
  const template = parseTemplate(value);
  if (!template.ok) throw new ConditionError(template.problem.message, at + 1 + template.problem.offset);
  return isLiteral(template.value) ? { literal: value, text } : { template: template.value, text };
}

function wordOperand(text: string, at: number): Operand {
  if (text === "true" || text === "false") return { literal: text === "true", text };
  if (text === "null") return { literal: null, text };
  throw new ConditionError(`"${text}" is no value: strings are written '${text}'`, at);
}

function nested<T>(parser: Parser, parse: () => T): T {
  if (++parser.depth > DEPTH_MAX) {
    throw new ConditionError(`is nested deeper than ${DEPTH_MAX} levels`, peek(parser)?.at ?? 0);
  }
  const result = parse();
  parser.depth--;
  return result;
}

function peek(parser: Parser): Token | undefined {
  return parser.tokens[parser.position];
}

function takeOperator(parser: Parser, text: string): boolean {
  const token = peek(parser);
  if (token?.kind !== "operator" || token.text !== text) return false;
  parser.position++;
  return true;
}

/** The source text from an offset up to the last token that was taken. */
function textFrom(parser: Parser, at: number): string {
  const last = parser.tokens[parser.position - 1];
  return parser.text.slice(at, last === undefined ? undefined : last.at + last.text.length);
}
