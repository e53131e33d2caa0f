import { expect, it } from "vitest";
import { wholePercent } from "./whole-percent.ts";

it("only the whole is 100 %, and only nothing is 0 %", () => {
  expect([wholePercent(0, 3), wholePercent(1, 300), wholePercent(299, 300), wholePercent(3, 3)]).toEqual([
    0, 1, 99, 100,
  ]);
});
