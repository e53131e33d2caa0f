import { expect, test } from "vitest";
import { newSeed, seededRandom } from "./random.ts";

test("a seed gives the same numbers everywhere, spread over [0, 1)", () => {
  const random = seededRandom("seed");
  const numbers = Array.from({ length: 10_000 }, () => random());
  // The first four bytes of SHA-256 of "0:seed".
  expect(numbers[0]).toBe(0xd91bf659 / 2 ** 32);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
  expect(new Set(numbers).size).toBeGreaterThan(9_990);
});

test("different seeds give different numbers, and no two runs get the same seed", () => {
  expect(seededRandom("a")()).not.toBe(seededRandom("b")());
  expect(new Set(Array.from({ length: 1_000 }, newSeed)).size).toBe(1_000);
});
