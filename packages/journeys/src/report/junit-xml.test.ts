import { DOMParser } from "@xmldom/xmldom";
import { expect, test } from "vitest";
import { junitXml } from "./junit-xml.ts";
import type { JunitSuite } from "./junit-xml.ts";

const SUITE: JunitSuite = {
  name: 'A "suite"\nin two lines',
  package: "journeys/a",
  startedAt: "2026-11-27T20:38:25.123+01:00",
  ms: 1234.5,
  failures: 1,
  errors: 1,
  skipped: 1,
  properties: [["runId", "<1>"]],
  cases: [
    { classname: "journeys/a", name: "passes", ms: 12 },
    {
      classname: "journeys/a",
      name: "fails",
      ms: 0,
      outcome: { tag: "failure", message: "a & b", type: "failed", text: "1 < 2\n2 < 1" },
    },
    {
      classname: "journeys/a",
      name: "breaks",
      ms: 0,
      outcome: { tag: "error", message: "gone", type: "error", text: "" },
    },
    { classname: "journeys/a", name: "waits", ms: 0, outcome: { tag: "skipped", message: "later" } },
  ],
};

test("a suite has what Ant's schema requires, in its order, and nothing that Jenkins' schema refuses", () => {
  const xml = new DOMParser().parseFromString(junitXml([SUITE, SUITE]), "text/xml");
  const suites = [...xml.getElementsByTagName("testsuite")];
  expect(suites.map((suite) => attributesOf(suite))).toEqual(
    [0, 1].map((id) => ({
      id: String(id),
      package: "journeys/a",
      name: 'A "suite"\nin two lines',
      timestamp: "2026-11-27T19:38:25",
      hostname: "localhost",
      time: "1.234",
      tests: "4",
      failures: "1",
      errors: "1",
      skipped: "1",
    })),
  );
  const names = elementsIn(suites[0]).map(({ nodeName }) => nodeName);
  expect(names).toEqual([
    "properties",
    "testcase",
    "testcase",
    "testcase",
    "testcase",
    "system-out",
    "system-err",
  ]);
  const cases = elementsIn(suites[0]).slice(1, 5);
  expect(cases.map((each) => Object.keys(attributesOf(each)))).toEqual(
    cases.map(() => ["classname", "name", "time"]),
  );
  expect(
    cases.flatMap(elementsIn).map((each) => [each.nodeName, attributesOf(each), each.textContent]),
  ).toEqual([
    ["failure", { message: "a & b", type: "failed" }, "1 < 2\n2 < 1"],
    ["error", { message: "gone", type: "error" }, ""],
    ["skipped", { message: "later" }, ""],
  ]);
});

type Element = ReturnType<ReturnType<DOMParser["parseFromString"]>["getElementsByTagName"]>[number];

function attributesOf(element: Element): Record<string, string> {
  return Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
}

function elementsIn(element: Element | undefined): Element[] {
  return [...(element?.childNodes ?? [])].filter(
    (node): node is Element => node.nodeType === node.ELEMENT_NODE,
  );
}
