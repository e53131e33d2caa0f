import { expect, test } from "vitest";
import { compareRuns } from "./compare-runs.ts";
import type { RunStep, StepResult } from "./step-result.ts";

type Status = StepResult["status"];
type Checked = StepResult["assertions"][number]["status"];

function steps(...list: (Partial<StepResult> & { id: string })[]): RunStep[] {
  return list.map((more, seq) => ({
    seq,
    result: {
      phase: "main",
      status: "passed",
      notes: [],
      handled: false,
      ms: seq,
      attempts: [],
      assertions: [],
      contract: [],
      outputs: {},
      ...more,
    },
  }));
}
const assertion = (id: string, status: Checked, actual?: unknown) => ({
  id,
  condition: `$statusCode == ${id}`,
  status,
  actual,
  source: { file: "a.yaml", line: 1 },
});
const step = (id: string, status: Status, ...assertions: StepResult["assertions"]) => ({
  id,
  status,
  assertions,
});

test("runs that went the same way have no changes, whatever their times and values", () => {
  const before = steps({ ...step("a", "failed", assertion("200", "failed", 500)), outputs: { id: 1 } });
  const after = steps({
    ...step("a", "failed", assertion("200", "failed", 404)),
    ms: 99,
    outputs: { id: 2 },
  });
  expect(compareRuns(before, after)).toEqual([]);
});

test("a step and the assertion that began to fail are named, with what the response had", () => {
  const before = steps(step("a", "passed"), step("b", "passed", assertion("200", "passed", 200)));
  const after = steps(step("a", "passed"), step("b", "failed", assertion("200", "failed", 500)));
  expect(compareRuns(before, after)).toEqual([
    {
      key: "main  b 1",
      name: "b",
      before: "passed",
      after: "failed",
      assertions: [
        { id: "200", condition: "$statusCode == 200", before: "passed", after: "failed", actual: 500 },
      ],
    },
  ]);
});

test("an assertion differs also where its step does not, and has no actual value once it passes", () => {
  const two = (first: Checked, second: Checked) =>
    steps(step("a", "failed", assertion("1", first, 1), assertion("2", second, 2)));
  const [change] = compareRuns(two("failed", "passed"), two("passed", "failed"));
  expect(change?.assertions.map(({ id, after, actual }) => [id, after, actual])).toEqual([
    ["1", "passed", undefined],
    ["2", "failed", 2],
  ]);
});

test("an assertion that is new is named if it did not pass", () => {
  const before = steps(step("a", "failed"));
  const after = steps(step("a", "failed", assertion("1", "failed", 1), assertion("2", "passed", 2)));
  expect(compareRuns(before, after)[0]?.assertions).toMatchObject([
    { id: "1", before: undefined, after: "failed" },
  ]);
});

test("steps that only one run has come with it: new ones in their order, missing ones last", () => {
  const before = steps(step("a", "passed"), step("gone", "passed"));
  const after = steps(step("new", "skipped"), step("a", "passed"));
  expect(compareRuns(before, after).map(({ name, before: was, after: is }) => [name, was, is])).toEqual([
    ["new", undefined, "skipped"],
    ["gone", "passed", undefined],
  ]);
});

test("a step that ran twice is compared by its turns, and apart from other workflows and the teardown", () => {
  const before = steps(
    step("a", "failed"),
    step("a", "passed"),
    { id: "a", workflow: "sub" },
    { id: "a", phase: "teardown" },
  );
  const after = steps(
    step("a", "failed"),
    step("a", "failed"),
    { id: "a", workflow: "sub", status: "error" },
    { id: "a", phase: "teardown", status: "failed" },
  );
  expect(compareRuns(before, after).map(({ name }) => name)).toEqual(["a", "sub › a", "a (teardown)"]);
});
