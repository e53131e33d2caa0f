import { expect, test } from "vitest";
import { lineOfStep, stepAtLine } from "./step-line.ts";

const TEXT = `arazzo: 1.0.1
workflows:
  - workflowId: main
    steps:
      - stepId: first
        operationId: a
        # of the first
      - operationId: b
        stepId: second
    outputs:
      id: $steps.first.outputs.id
  - workflowId: other
    steps: [{ stepId: third, operationId: c }]
    summary: none
x-last: true
`;

test("a line is of the step that begins at it or above it, up to what follows the step", () => {
  const steps = TEXT.split("\n").map((_, at) => stepAtLine(TEXT, at + 1));
  expect(steps.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(steps.slice(4, 9)).toEqual(["first", "first", "first", "second", "second"]);
  expect(steps.slice(9)).toEqual([undefined, undefined, undefined, "third", undefined, undefined, undefined]);
});

test("the line of a step is that of its id, and is of that step", () => {
  expect(["first", "second", "third", "fourth", ""].map((id) => lineOfStep(TEXT, id))).toEqual([
    5,
    9,
    13,
    undefined,
    undefined,
  ]);
  expect(stepAtLine(TEXT, 9)).toBe("second");
});

test("a text that can't be read has no steps", () => {
  expect(stepAtLine("workflows: [", 1)).toBeUndefined();
});
