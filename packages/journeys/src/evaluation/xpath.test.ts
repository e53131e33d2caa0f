import { expect, test } from "vitest";
import { createXPathEngine } from "./xpath.ts";

const engine = createXPathEngine();
const XML = `<r>${"<a/>".repeat(7_811)}</r>`;
/** One `//a` looks at 15,625 nodes: at each one, and at each as the child of its parent. */
const counts = (times: number) => `${Array(times).fill("count(//a)").join(" + ")} > 0`;

test("an expression of XPath 1.0 may look at a million nodes", () => {
  expect(engine.test(counts(64), XML, "xpath-10").passed).toBe(true);
});

test("but at none more", () => {
  expect(() => engine.test(`self::node() and ${counts(64)}`, XML, "xpath-10")).toThrow(
    "the expression visits more than 1,000,000 nodes",
  );
});

test("nodes are counted anew for each expression", () => {
  for (let n = 0; n < 2; n++) expect(engine.test(counts(33), XML, "xpath-10").passed).toBe(true);
});

test("an expression of XPath 3.1 that looks at too many nodes ends", () => {
  expect(() => engine.test("count(//a[//a]) > 0", XML)).toThrow(
    "the expression visits more than 1,000,000 nodes",
  );
});
