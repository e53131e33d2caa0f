/** `npm run test:faults` runs the long form, the other test commands the short one. */
export const isLong = process.env["WAYMARK_FAULTS"] === "long";

/** A figure in both forms. */
export function scaled<T>(sizes: { short: T; long: T }): T {
  return isLong ? sizes.long : sizes.short;
}

/** Determines the faults, bodies and pauses: WAYMARK_FAULT_SEED, or else a new seed each time. */
export const seed = Number(process.env["WAYMARK_FAULT_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Prints how to repeat a test with the same seed. Call it once a file. */
export function announceSeed(): void {
  process.stdout.write(`faults: WAYMARK_FAULT_SEED=${seed} runs these again\n`);
}

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** A separate generator for each purpose, so that more draws of one don't change another's numbers. */
export function createRandom(purpose: string): Random {
  let state = seed >>> 0;
  for (const character of purpose)
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return { next, integer, pick: (items) => items[integer(0, items.length - 1)] ?? items[0] };
}
