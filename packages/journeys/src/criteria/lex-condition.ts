import { CALL_ROOT } from "../expressions/functions/parse-call.ts";
import { parseCallAt } from "../expressions/parse.ts";

/** One token of a simple condition; `at` is its 0-based offset. */
export type Token =
  | { kind: "operator"; text: string; at: number }
  | { kind: "string"; text: string; value: string; at: number }
  /** An integer beyond 2^53 is kept as its text: it is compared as a number all the same. */
  | { kind: "number"; text: string; value: number | string; at: number }
  | { kind: "word"; text: string; at: number }
  | { kind: "expression"; text: string; inner: string; at: number }
  | { kind: "access"; text: string; at: number };

export type LexResult = { ok: true; tokens: Token[] } | { ok: false; message: string; at: number };

const OPERATORS = ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")"];
const SPACE = /\s/u;
/** Matches the end of a runtime expression without braces in a condition. */
const EXPRESSION_END = /\s|[()<>]|==|!=|&&|\|\|/u;

/** Splits a simple condition into tokens. */
export function lexCondition(text: string): LexResult {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (SPACE.test(char)) {
      at++;
      continue;
    }
    const token = next(text, at, tokens.at(-1));
    if (typeof token === "string") return { ok: false, message: token, at };
    tokens.push(token);
    at += token.text.length;
  }
  return { ok: true, tokens };
}

function next(text: string, at: number, before: Token | undefined): Token | string {
  const char = text.charAt(at);
  if (char === "'") return lexString(text, at);
  if (char === '"') return "strings are written in single quotes: 'text'";
  const callAt = char === "{" ? at + 1 : at;
  if ((char === "$" || char === "{") && text.startsWith(CALL_ROOT, callAt)) return lexCall(text, at, callAt);
  if (char === "$") {
    const rest = text.slice(at);
    const end = rest.search(EXPRESSION_END);
    const inner = end < 0 ? rest : rest.slice(0, end);
    return { kind: "expression", text: inner, inner, at };
  }
  if (char === "{") {
    const close = text.indexOf("}", at);
    if (close < 0) return '"{" is never closed';
    return {
      kind: "expression",
      text: text.slice(at, close + 1),
      inner: text.slice(at + 1, close).trim(),
      at,
    };
  }
  if ((char === "." || char === "[") && endsOperand(before, at)) {
    const access = /^(?:\.[A-Za-z0-9_-]+|\[\d+\]|\['(?:[^']|'')*'\])+/u.exec(text.slice(at));
    if (access !== null) return { kind: "access", text: access[0], at };
  }
  const operator = OPERATORS.find((candidate) => text.startsWith(candidate, at));
  if (operator !== undefined) return { kind: "operator", text: operator, at };
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/u.exec(text.slice(at));
  if (number !== null) return { kind: "number", text: number[0], value: numberOf(number[0]), at };
  const word = /^[A-Za-z_][\w-]*/u.exec(text.slice(at));
  if (word !== null) return { kind: "word", text: word[0], at };
  if (char === "=") return 'equality is written "=="';
  return `"${char}" can't stand here`;
}

/** A call contains spaces, parentheses and braces of its own. */
function lexCall(text: string, at: number, callAt: number): Token | string {
  const call = parseCallAt(text, callAt);
  if (!call.ok) return call.problem.message;
  const inner = text.slice(callAt, call.end);
  if (callAt === at) return { kind: "expression", text: inner, inner, at };
  const close = /^\s*\}/.exec(text.slice(call.end))?.[0].length;
  return close === undefined
    ? '"{" is never closed'
    : { kind: "expression", text: text.slice(at, call.end + close), inner, at };
}

function numberOf(text: string): number | string {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? text : value;
}

function endsOperand(before: Token | undefined, at: number): boolean {
  if (before === undefined || before.at + before.text.length !== at) return false;
  return before.kind !== "operator" || before.text === ")";
}

function lexString(text: string, at: number): Token | string {
  let value = "";
  for (let index = at + 1; index < text.length; index++) {
    const char = text.charAt(index);
    if (char !== "'") value += char;
    else if (text.charAt(index + 1) === "'") {
      value += "'";
      index++;
    } else return { kind: "string", text: text.slice(at, index + 1), value, at };
  }
  return "the string that begins here is never closed with '";
}
