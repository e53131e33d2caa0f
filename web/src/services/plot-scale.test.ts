import { expect, test } from "vitest";
import { momentOf, spanOf } from "./plot-scale.ts";

const NOON = new Date(2026, 2, 14, 12, 30).getTime() / 1000;
const HOUR = 3600;

test("a span shorter than two hours is widened on both sides alike", () => {
  expect(spanOf(NOON, NOON)).toEqual([NOON - HOUR, NOON + HOUR]);
  expect(spanOf(NOON, NOON + HOUR)).toEqual([NOON - HOUR / 2, NOON + 1.5 * HOUR]);
});

test("a longer span stays as it is", () => {
  expect(spanOf(NOON, NOON + 2 * HOUR)).toEqual([NOON, NOON + 2 * HOUR]);
  expect(spanOf(NOON, NOON + 1000 * HOUR)).toEqual([NOON, NOON + 1000 * HOUR]);
});

test("labels that are a day apart name the day, closer ones the time", () => {
  expect(momentOf(NOON, 24 * HOUR)).toMatch(/14/);
  expect(momentOf(NOON, 24 * HOUR)).not.toMatch(/30/);
  expect(momentOf(NOON, 23 * HOUR)).toMatch(/12.30/);
});
