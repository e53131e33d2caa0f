import { type Automaton, compilePattern, matches, textOutside } from "./automaton.ts";

export type Answer = "yes" | "no" | "unknown";

/** Whether every text of one pattern matches another one, else a text that doesn't. */
export interface Inclusion {
  answer: Answer;
  witness?: string | undefined;
}

/** Answers questions about patterns, each pattern compiled once. */
export interface PatternSets {
  matchesPattern: (pattern: string, text: string) => boolean | undefined;
  includesPattern: (inner: string, outer: string) => Inclusion;
  sampleOf: (pattern: string, lengthMin: number) => string | undefined;
}

const TEXT_MAX = 10_000;

export function createPatternSets(): PatternSets {
  const compiled = new Map<string, Automaton | undefined>();
  const compile = (pattern: string): Automaton | undefined => {
    if (!compiled.has(pattern)) compiled.set(pattern, compilePattern(pattern));
    return compiled.get(pattern);
  };
  return {
    matchesPattern: (pattern, text) => {
      const automaton = text.length > TEXT_MAX ? undefined : compile(pattern);
      return automaton === undefined ? undefined : matches(automaton, text);
    },
    includesPattern: (inner, outer) => {
      const [from, to] = [compile(inner), compile(outer)];
      const outside = from === undefined || to === undefined ? undefined : textOutside(from, to);
      if (outside === undefined) return { answer: "unknown" };
      return outside === null ? { answer: "yes" } : { answer: "no", witness: outside };
    },
    sampleOf: (pattern, lengthMin) => {
      const automaton = compile(pattern);
      return automaton === undefined
        ? undefined
        : (textOutside(automaton, undefined, lengthMin) ?? undefined);
    },
  };
}
