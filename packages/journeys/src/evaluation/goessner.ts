import { EngineError } from "../expressions/engine-error.ts";

/**
 * A query of draft-goessner-dispatch-jsonpath-00 as one of RFC 9535. Its filters and scripts are expressions of a programming
 * language: the ones that can be translated are comparisons, `&&`, `||`, `!`, truth of a member, `.length`, `=~` and
 * `(@.length-1)`.
 *
 * @throws EngineError for any other script
 */
export function translateGoessner(query: string): string {
  let result = "";
  let at = 0;
  while (at < query.length) {
    const name = /^(\.\.?)([^.[\s]+)/u.exec(query.slice(at));
    if (name !== null) {
      result += memberOf(name[1] ?? ".", name[2] ?? "");
      at += name[0].length;
    } else if (query.charAt(at) === "[") {
      const end = closing(query, at);
      result += `[${translateBrackets(query.slice(at + 1, end).trim())}]`;
      at = end + 1;
    } else result += query.charAt(at++);
  }
  return result;
}

function memberOf(dots: string, name: string): string {
  if (name === "*" || /^[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*$/u.test(name)) return dots + name;
  const before = dots === ".." ? ".." : "";
  const index = /^\d+$/.test(name) ? `,${name}` : "";
  return `${before}[${quoted(name)}${index}]`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function translateBrackets(content: string): string {
  const last = /^\(\s*@\.length\s*-\s*(\d+)\s*\)$/.exec(content);
  if (last !== null) return `-${last[1] ?? "1"}`;
  if (content.startsWith("(")) {
    throw new EngineError(`the script ${content} can't be used: only (@.length-1) and the like can`);
  }
  return content.startsWith("?") ? `?${translateFilter(content.slice(1))}` : content;
}

/** The index of the bracket that closes the one at the given index. @throws EngineError */
function closing(text: string, from: number): number {
  let depth = 0;
  let quote: string | undefined;
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\") at++;
    else if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "[") depth++;
    else if (char === "]" && --depth === 0) return at;
  }
  throw new EngineError("the JSONPath query is not valid: a bracket is never closed");
}

/** White space, a text, a path, a pattern, a number, a word, an operator, or any other character. */
const TOKEN =
  /\s+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[@$](?:\.\.?(?:\*|[\w\u0080-\u{10ffff}-]+)|\[(?:[^[\]'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*\])*|=~\s*\/(?:[^/\\]|\\.)+\/[a-z]*|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|[=!]==?|[<>]=?|&&|\|\||./gsu;

const NUMBER = /^[+-]?\.?\d/;
/** Numbers as RFC 9535 writes them. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS = ["true", "false", "null"];

function translateFilter(text: string): string {
  const tokens = [...text.matchAll(TOKEN)].map(([token]) => token).filter((token) => token.trim() !== "");
  return tokens.map((token, index) => translateToken(token, tokens[index - 1], tokens[index + 1])).join(" ");
}

function translateToken(token: string, before: string | undefined, after: string | undefined): string {
  if (token === "===" || token === "!==") return token.slice(0, 2);
  if (token.startsWith("=~")) return "";
  const isCompared = isComparison(before) || isComparison(after);
  if (/^[@$]/.test(token)) return translatePath(token, isCompared, after);
  const literal = literalOf(token);
  if (literal === undefined || isCompared) return literal ?? token;
  return isTruthy(literal) ? "1 == 1" : "1 == 0";
}

/** The RFC's form of a number, a text, or true, false and null; undefined for any other token. */
function literalOf(token: string): string | undefined {
  if (NUMBER.test(token)) return PLAIN_NUMBER.test(token) ? token : String(Number(token));
  return WORDS.includes(token) || /^['"]/.test(token) ? token : undefined;
}

function isTruthy(literal: string): boolean {
  return NUMBER.test(literal) ? Number(literal) !== 0 : !["false", "null", "''", '""'].includes(literal);
}

function translatePath(token: string, isCompared: boolean, after: string | undefined): string {
  if (/\.length-\d+$/.test(token))
    throw new EngineError(`${token} can't be used: a filter does no arithmetic`);
  const path = pathOf(token);
  if (after?.startsWith("=~") === true) return `search(${path}, ${patternOf(after)})`;
  if (isCompared) return path;
  // A condition that is only a member holds if the member is truthy in JavaScript, not if it exists.
  if (path.startsWith("length(")) return `${path} > 0`;
  return `(${path} && ${["null", "false", "0", "''"].map((falsy) => `${path} != ${falsy}`).join(" && ")})`;
}

function isComparison(token: string | undefined): boolean {
  return token !== undefined && /^(?:[=!]==?|[<>]=?)$/.test(token);
}

function pathOf(token: string): string {
  const counted = /^(.*)\.length$/su.exec(token);
  return counted === null
    ? token.charAt(0) + translateGoessner(token.slice(1))
    : `length(${token.charAt(0)}${translateGoessner((counted[1] ?? "@").slice(1))})`;
}

function patternOf(token: string): string {
  const [, pattern = "", flags = ""] = /^=~\s*\/(.*)\/([a-z]*)$/su.exec(token) ?? [];
  return quoted(flags.includes("i") ? `(?i)${pattern}` : pattern);
}
