// RE2's time is linear whatever the pattern, and nothing here could end a match that takes long.
import { RE2JS } from "re2js";

const PATTERN_MAX = 300;
const TEXT_MAX = 1000;

interface Reading {
  pattern: string;
  at: number;
  /** How often `*` and `+` repeat. */
  repeat: number;
}

/**
 * A text that matches a regular expression of the simple kind that schemas have, with at least `min` characters; undefined
 * for one that isn't understood. What comes out has been matched by RE2.
 */
export function textMatching(pattern: string, min = 0): string | undefined {
  const regex = pattern.length > PATTERN_MAX ? undefined : compiled(pattern);
  if (regex === undefined) return undefined;
  for (const repeat of [1, Math.min(min, TEXT_MAX)]) {
    const text = alternatives({ pattern, at: 0, repeat })?.slice(0, TEXT_MAX);
    if (text !== undefined && text.length >= min && regex.test(text)) return text;
  }
  return undefined;
}

/** Undefined for a pattern that is not valid, or that has look-around or back-references. */
function compiled(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

/** Reads the first of several alternatives, and skips the others. */
function alternatives(reading: Reading): string | undefined {
  const first = sequence(reading);
  while (reading.pattern[reading.at] === "|") {
    reading.at += 1;
    if (sequence(reading) === undefined) return undefined;
  }
  return first;
}

function sequence(reading: Reading): string | undefined {
  const { pattern } = reading;
  let text = "";
  while (reading.at < pattern.length && !"|)".includes(pattern[reading.at] ?? "")) {
    const piece = atom(reading);
    if (piece === undefined || text.length > TEXT_MAX) return undefined;
    text += piece.repeat(Math.min(count(reading), TEXT_MAX));
  }
  return text;
}

function atom(reading: Reading): string | undefined {
  const { pattern } = reading;
  const letter = pattern[reading.at] ?? "";
  reading.at += 1;
  if (letter === "^" || letter === "$") return "";
  if (letter === ".") return "a";
  if (letter === "\\") return escaped(pattern[reading.at++] ?? "");
  if (letter === "[") return characterClass(reading);
  if (letter !== "(") return letter;
  const kind = /^\?(?::|P?<\w+>)/.exec(pattern.slice(reading.at))?.[0];
  if (kind === undefined && pattern[reading.at] === "?") return undefined;
  reading.at += kind?.length ?? 0;
  const inner = alternatives(reading);
  reading.at += 1;
  return inner;
}

function escaped(letter: string): string | undefined {
  const known: Record<string, string> = { d: "1", w: "a", s: " ", t: "\t", n: "\n", D: "a", W: "-", S: "a" };
  if (Object.hasOwn(known, letter)) return known[letter];
  return /[A-Za-z0-9]/.test(letter) ? undefined : letter;
}

function characterClass(reading: Reading): string | undefined {
  const { pattern } = reading;
  const end = pattern.slice(reading.at + 1).search(/(?<!\\)\]/);
  if (end < 0) return undefined;
  const from = reading.at;
  reading.at += end + 2;
  const whole = pattern.slice(from - 1, reading.at);
  // Whatever the class says, one of the usual characters is likely to be in it.
  const regex = compiled(`^${whole}$`);
  return ["a", "1", "A", "_", "-", ".", " ", "/", "@", "#", ":", "+"].find((letter) => regex?.test(letter));
}

function count(reading: Reading): number {
  const rest = reading.pattern.slice(reading.at);
  const given = /^(?:([?*+])|\{(\d{1,4})(,\d*)?\})\??/.exec(rest);
  if (given === null) return 1;
  reading.at += given[0].length;
  if (given[2] !== undefined)
    return given[3] === "," ? Math.max(Number(given[2]), reading.repeat) : Number(given[2]);
  return given[1] === "?" ? 0 : given[1] === "*" && reading.repeat === 1 ? 0 : reading.repeat;
}
