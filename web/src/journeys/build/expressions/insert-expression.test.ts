import { expect, it } from "vitest";
import { insertExpression } from "./insert-expression.ts";

/** `|` begins and ends the selection; the result has it where the cursor is. */
function inserted(marked: string): string {
  const from = marked.indexOf("|");
  const to = Math.max(from, marked.lastIndexOf("|") - 1);
  const { text, caret } = insertExpression(marked.replaceAll("|", ""), { from, to }, "$inputs.a");
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

it.each([
  ["|", "$inputs.a|"],
  ["|$statusCode == 200|", "$inputs.a|"],
  ["$statusCode == |200|", "$statusCode == $inputs.a|"],
  ["$response.body#/id == '|nobody|'", "$response.body#/id == $inputs.a|"],
  ["'a' == '|'", "'a' == $inputs.a|"],
  ["$response.body#/id ==|", "$response.body#/id == $inputs.a|"],
  ["|== 3", "$inputs.a| == 3"],
  ["!(|)", "!($inputs.a|)"],
])("writes an expression into %s as %s", (before, after) => {
  expect(inserted(before)).toBe(after);
});
