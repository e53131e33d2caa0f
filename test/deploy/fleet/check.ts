import type { Fleet } from "./fleet.ts";

export type Figures = Record<string, number | string>;

/** A check of a running deployment. */
export interface Check {
  title: string;
  /** Says what the check does, and what the result must be. */
  what: string;
  /** @throws Error that says what was wrong */
  run(fleet: Fleet): Promise<Figures>;
}

/** @throws Error with both values, unless they are the same */
export function mustBe(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`);
}

/** @throws Error with the text, unless it matches */
export function mustMatch(what: string, text: string, pattern: RegExp): void {
  if (!pattern.test(text))
    throw new Error(`${what} does not match ${String(pattern)}:\n${text.slice(0, 2_000)}`);
}
