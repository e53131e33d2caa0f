import { expect, test } from "vitest";
import { compareTexts } from "./compare-texts.ts";

const compare = (before: string, after: string) => {
  const changes = compareTexts({ version: 1, text: before }, { version: 2, text: after });
  return typeof changes === "string"
    ? changes
    : changes.map(({ where, kind, before: old, after: now }) => ({ where, kind, before: old, after: now }));
};
const journey = (...steps: string[]) =>
  `info: { title: A }\nworkflows: [{ workflowId: main, steps: [${steps.join(", ")}] }]\n`;
const LOGIN = "{ stepId: login, operationId: login }";
const PAY = "{ stepId: pay, operationId: pay, timeout: 5 }";

test("says where something changed, from the workflow to the field, with both values", () => {
  expect(compare(journey(LOGIN, PAY), journey(LOGIN, PAY.replace("5", "6")))).toEqual([
    { where: "workflow main › step pay › timeout", kind: "changed", before: "5", after: "6" },
  ]);
});

test("says what a moved step follows, or that it is the first", () => {
  const third = "{ stepId: leave }";
  expect(compare(journey(LOGIN, PAY, third), journey(PAY, third, LOGIN))).toEqual([
    { where: "workflow main › step login", kind: "moved", before: undefined, after: "after step leave" },
  ]);
  expect(compare(journey(LOGIN, PAY, third), journey(third, LOGIN, PAY))).toEqual([
    { where: "workflow main › step leave", kind: "moved", before: undefined, after: "first" },
  ]);
});

test.each([
  ["a: 5", "a: '5'", "5", '"5"'],
  ["a: null", "a: 'null'", "null", '"null"'],
  ["a: b", "a: ''", "b", '""'],
  ["a: b", "a: c", "b", "c"],
  ["a: [b]", "a: b", '["b"]', '"b"'],
])("tells the values of %j and %j apart", (old, now, before, after) => {
  expect(compare(old, now)).toEqual([{ where: "a", kind: "changed", before, after }]);
});

test("cuts long values around where they begin to differ", () => {
  const same = "s".repeat(300);
  const [change] = compare(`a: ${same}b`, `a: ${same}${"c".repeat(300)}`);
  const lead = `…${"s".repeat(40)}`;
  expect(change).toMatchObject({ before: `${lead}b`, after: `${lead}${"c".repeat(160)}…` });
});

test("names the document where it is another kind of value", () => {
  expect(compare("[1]", "a: 1")).toEqual([
    { where: "the document", kind: "changed", before: "[1]", after: '{"a":1}' },
  ]);
});

test("names the version and the line that can't be read, and refuses what is too long", () => {
  expect(compare("a: 1", "a: [1")).toMatch(
    /^Version 2 can't be read, so only the lines are compared\. Its line \d+: /,
  );
  expect(compare("a: 1", `a: ${"b".repeat(500_001)}`)).toMatch(/^These versions are too long/);
});
