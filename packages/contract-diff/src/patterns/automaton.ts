import { type Expression, LAST, parsePattern, type Range } from "./parse-pattern.ts";

/** A nondeterministic automaton: states are numbers, 0 is the first. */
export interface Automaton {
  empty: number[][];
  moves: { ranges: readonly Range[]; to: number }[][];
  last: number;
}

const STATES_MAX = 3000;
const PAIRS_MAX = 4000;

class TooLargeError extends Error {}

/** Returns the automaton of a pattern; undefined if the pattern is not understood or too large. */
export function compilePattern(pattern: string): Automaton | undefined {
  const expression = pattern.length > 2000 ? undefined : parsePattern(pattern);
  if (expression === undefined) return undefined;
  const automaton: Automaton = { empty: [[]], moves: [[]], last: 0 };
  try {
    automaton.last = append(automaton, expression, 0);
    return automaton;
  } catch (error) {
    if (error instanceof TooLargeError) return undefined;
    throw error;
  }
}

function append(automaton: Automaton, expression: Expression, from: number): number {
  switch (expression.kind) {
    case "characters": {
      const to = addState(automaton);
      automaton.moves[from]?.push({ ranges: expression.ranges, to });
      return to;
    }
    case "sequence":
      return expression.parts.reduce((at, part) => append(automaton, part, at), from);
    case "choice": {
      const to = addState(automaton);
      for (const part of expression.parts) {
        const start = addState(automaton);
        automaton.empty[from]?.push(start);
        automaton.empty[append(automaton, part, start)]?.push(to);
      }
      return to;
    }
    default:
      return repeat(automaton, expression, from);
  }
}

function repeat(
  automaton: Automaton,
  { part, min, max }: Expression & { kind: "repeat" },
  from: number,
): number {
  let at = from;
  for (let count = 0; count < min; count++) at = append(automaton, part, at);
  const to = addState(automaton);
  if (max === Infinity) {
    const start = addState(automaton);
    automaton.empty[at]?.push(start);
    automaton.empty[append(automaton, part, start)]?.push(start);
    automaton.empty[start]?.push(to);
    return to;
  }
  automaton.empty[at]?.push(to);
  for (let count = min; count < max; count++) {
    at = append(automaton, part, at);
    automaton.empty[at]?.push(to);
  }
  return to;
}

function addState(automaton: Automaton): number {
  if (automaton.moves.length >= STATES_MAX) throw new TooLargeError();
  automaton.empty.push([]);
  return automaton.moves.push([]) - 1;
}

/** Returns all states that are reached without a character, in order. */
export function closure(automaton: Automaton, states: Iterable<number>): number[] {
  const reached = new Set(states);
  const stack = [...reached];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    for (const next of automaton.empty[state] ?? []) {
      if (!reached.has(next)) {
        reached.add(next);
        stack.push(next);
      }
    }
  }
  return [...reached].toSorted((a, b) => a - b);
}

export function step(automaton: Automaton, states: readonly number[], code: number): number[] {
  const next = new Set<number>();
  for (const state of states) {
    for (const { ranges, to } of automaton.moves[state] ?? []) {
      if (ranges.some(([low, high]) => code >= low && code <= high)) next.add(to);
    }
  }
  return closure(automaton, next);
}

/** True if the text matches. Takes time in proportion to the text, unlike RegExp. */
export function matches(automaton: Automaton, text: string): boolean {
  let states = closure(automaton, [0]);
  for (const character of text) {
    states = step(automaton, states, character.codePointAt(0) ?? 0);
    if (states.length === 0) return false;
  }
  return states.includes(automaton.last);
}

/**
 * Returns a shortest text that the inner automaton matches and none of the outer ones; null if there is none, undefined if
 * the search takes too long.
 */
export function textOutside(
  inner: Automaton,
  outer: Automaton | undefined,
  lengthMin = 0,
): string | null | undefined {
  const first = {
    inner: closure(inner, [0]),
    outer: outer === undefined ? [] : closure(outer, [0]),
    text: "",
  };
  const seen = new Set<string>();
  let level = [first];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const at of level) {
      const ends = at.inner.includes(inner.last) && !(outer !== undefined && at.outer.includes(outer.last));
      if (ends && at.text.length >= lengthMin) return at.text;
      for (const code of representatives(inner, at.inner, outer, at.outer)) {
        const reached = {
          inner: step(inner, at.inner, code),
          outer: outer === undefined ? [] : step(outer, at.outer, code),
          text: at.text + String.fromCodePoint(code),
        };
        const depth = lengthMin > 0 ? `/${Math.min(reached.text.length, lengthMin)}` : "";
        const key = `${reached.inner.join(",")}|${reached.outer.join(",")}${depth}`;
        if (reached.inner.length === 0 || seen.has(key)) continue;
        seen.add(key);
        if (seen.size > PAIRS_MAX) return undefined;
        next.push(reached);
      }
    }
    level = next;
  }
  return null;
}

/** Returns a character for each set of characters that the states can tell apart, letters and digits first. */
function representatives(
  a: Automaton,
  aStates: readonly number[],
  b: Automaton | undefined,
  bStates: readonly number[],
): number[] {
  const ranges = [
    ...aStates.flatMap((state) => a.moves[state] ?? []),
    ...bStates.flatMap((state) => b?.moves[state] ?? []),
  ].flatMap((move) => move.ranges);
  const starts = new Set<number>([0]);
  for (const [low, high] of ranges) {
    starts.add(low);
    if (high < LAST) starts.add(high + 1);
  }
  const sorted = [...starts].toSorted((x, y) => x - y);
  const found = sorted.map((low, index) => printable(low, (sorted[index + 1] ?? LAST + 1) - 1));
  return found.toSorted((x, y) => rank(x) - rank(y));
}

function printable(low: number, high: number): number {
  for (const wanted of [97, 48, 65, 45, 33]) if (wanted >= low && wanted <= high) return wanted;
  return low >= 0xd8_00 && low <= 0xdf_ff && high > 0xdf_ff ? 0xe0_00 : low;
}

function rank(code: number): number {
  if (code >= 97 && code <= 122) return 0;
  if (code >= 48 && code <= 57) return 1;
  return code > 32 && code < 127 ? 2 : 3;
}

export type { Range };
