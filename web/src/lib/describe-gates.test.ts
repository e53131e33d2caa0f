import { expect, test } from "vitest";
import { describeFailed, namesOfFailed } from "./describe-gates.ts";

const gate = (name: string, passed: boolean) => ({ gate: name, passed, causeCount: passed ? 0 : 2 });

test.each([
  ["no verdict", null, undefined],
  ["gates that passed", [gate("--fail-on high", true)], undefined],
  [
    "a failed gate",
    [gate("--fail-on high", false), gate("--fail-on-removed", true)],
    "failed --fail-on high",
  ],
  [
    "several failed gates",
    [gate("--fail-on breaking", false), gate("--fail-on high", false), gate("--fail-on-removed", false)],
    "failed --fail-on breaking, --fail-on high and --fail-on-removed",
  ],
])("%s: %j is described as %j", (_, gates, words) => {
  expect(describeFailed(namesOfFailed(gates))).toBe(words);
});
