import { RE2JS } from "re2js";
import { boundedCache } from "./bounded-cache.ts";

/** Longest pattern that is compiled: RE2's cost grows with it. */
export const PATTERN_LENGTH_MAX = 2000;

export interface RegexEngine {
  /** Whether the pattern is found in the text. @throws EngineError for a pattern that RE2 doesn't accept */
  test: (pattern: string, text: string) => boolean;
  /** The parts of the text between the matches. @throws EngineError */
  split: (pattern: string, text: string) => string[];
  /** Why the pattern can't be used, or undefined. */
  problem: (pattern: string) => string | undefined;
}

/** Why an engine can't apply what a document gave it; the message completes "the pattern …". */
export class EngineError extends Error {}

/** Regular expressions on RE2: linear in the text whatever the pattern, at the price of no look-around or back-references. */
export function createRegexEngine(): RegexEngine {
  const compiled = boundedCache(200, compile);
  return {
    test(pattern, text) {
      const entry = compiled(pattern);
      if (typeof entry === "string") throw new EngineError(entry);
      return entry.test(text);
    },
    split(pattern, text) {
      const entry = compiled(pattern);
      if (typeof entry === "string") throw new EngineError(entry);
      return entry.split(text, -1);
    },
    problem(pattern) {
      const entry = compiled(pattern);
      return typeof entry === "string" ? entry : undefined;
    },
  };
}

function compile(pattern: string): RE2JS | string {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return `the regular expression is longer than ${PATTERN_LENGTH_MAX} characters`;
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    const hint = /\(\?(?:<?[=!])|\\[1-9]/.test(pattern)
      ? " (look-around and back-references are not part of RE2)"
      : "";
    return `the regular expression is not valid: ${reason}${hint}`;
  }
}
