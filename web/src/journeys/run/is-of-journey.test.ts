import { expect, test } from "vitest";
import { isOfJourney } from "./is-of-journey.ts";

test.each([
  ["buy.journey.yaml", "buy.journey.yaml"],
  ["buy.journey.yaml", "shop/journeys/buy.journey.yaml"],
  ["../variants/eu.overlay.yaml", "shop/variants/eu.overlay.yaml"],
])("%s is %s", (file, path) => {
  expect(isOfJourney(file, path)).toBe(true);
});

test.each([
  ["buy.journey.yaml", "shop/rebuy.journey.yaml"],
  ["base.journey.yaml", "variants/eu.overlay.yaml"],
  ["../other/buy.journey.yaml", "shop/buy.journey.yaml"],
])("%s isn't %s", (file, path) => {
  expect(isOfJourney(file, path)).toBe(false);
});
