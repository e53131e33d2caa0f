import { EngineError } from "../expressions/engine-error.ts";
import { boundedCache } from "./bounded-cache.ts";

/** Longest pattern that is compiled. */
const PATTERN_LENGTH_MAX = 2000;

export interface RegexEngine {
  /** Whether the pattern is found in the text. @throws EngineError for a pattern that is not valid */
  test: (pattern: string, text: string) => boolean;
  /** The parts of the text between the matches. @throws EngineError */
  split: (pattern: string, text: string) => string[];
  /** Why the pattern can't be used, or undefined. */
  problem: (pattern: string) => string | undefined;
}

/**
 * ECMAScript's regular expressions, as JSON Schema has them. Flags may stand in front, as in `(?i)yes`, which other dialects
 * allow. Nothing bounds what one costs: see `isBoundedRegex`.
 */
export function createRegexEngine(): RegexEngine {
  const compiled = boundedCache(200, compile);
  const valid = (pattern: string) => {
    const entry = compiled(pattern);
    if (typeof entry === "string") throw new EngineError(entry);
    return entry;
  };
  return {
    test: (pattern, text) => valid(pattern).test(text),
    split: (pattern, text) => partsBetween(valid(pattern), text),
    problem(pattern) {
      const entry = compiled(pattern);
      return typeof entry === "string" ? entry : undefined;
    },
  };
}

/** Unlike `String.split`, without what groups matched. */
function partsBetween(pattern: RegExp, text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(new RegExp(pattern, `${pattern.flags}g`))) {
    parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

function compile(pattern: string): RegExp | string {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return `the regular expression is longer than ${PATTERN_LENGTH_MAX} characters`;
  }
  const [front = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const source = pattern.slice(front.length);
  const own = [...new Set(flags)].join("");
  try {
    return new RegExp(source, `u${own}`);
  } catch {
    return compileLoosely(source, own);
  }
}

/** Without `u`, escapes that mean nothing are allowed, such as `\-`. */
function compileLoosely(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    return `the regular expression is not valid: ${error instanceof Error ? error.message : ""}`;
  }
}

/** Steps that take a few milliseconds. */
const STEPS_MAX = 1_000_000;

/**
 * Whether a match takes a bounded number of steps. Each quantifier may stop at any character, and each alternative may be taken
 * or not. A repeated group multiplies these without limit, so it is never bounded.
 */
export function isBoundedRegex(pattern: string, text: string): boolean {
  if (pattern.length > PATTERN_LENGTH_MAX) return true;
  const bare = pattern.replaceAll(/\\./gs, "a").replaceAll(/\[(?:[^\]])*\]/g, "a");
  if (/\)[*+?{]/.test(bare)) return false;
  const length = text.length + 1;
  // A back-reference is compared character by character.
  const quantifiers = (bare.match(/[*+?{]/g)?.length ?? 0) + (pattern.match(/\\[1-9k]/g)?.length ?? 0);
  const alternatives = bare.match(/\|/g)?.length ?? 0;
  return length * pattern.length * length ** quantifiers * 2 ** alternatives <= STEPS_MAX;
}
