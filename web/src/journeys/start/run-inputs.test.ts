import { expect, it } from "vitest";
import { inputValues, runInputs } from "./run-inputs.ts";

const TEXT = `
workflows:
  - workflowId: other
    inputs: { properties: { wrong: {} } }
  - workflowId: main
    inputs:
      required: [run]
      properties:
        run: { type: string, description: Its name }
        size: { enum: [small, 2] }
        count: { type: integer, default: 3 }
        dry: { type: boolean }
        token: { type: string }
    x-journey: { secrets: { token: { ref: env:TOKEN } } }
`;

it("asks for the inputs of the workflow that runs, and sends them with the types of their schemas", () => {
  const inputs = runInputs(TEXT);
  expect(inputs.map(({ name, isRequired, isSecret }) => [name, isRequired, isSecret])).toEqual([
    ["run", true, false],
    ["size", false, false],
    ["count", false, false],
    ["dry", false, false],
    ["token", false, true],
  ]);
  expect(inputs.map(({ secretName }) => secretName)).toEqual([...Array(4).fill(undefined), "TOKEN"]);
  expect(inputs[2]?.defaultValue).toBe(3);
  const entered = { run: "12", size: "2", count: "7", dry: "false", token: "never sent" };
  expect(inputValues(inputs, entered)).toEqual({ run: "12", size: 2, count: 7, dry: false });
  expect(inputValues(inputs, { run: "" })).toEqual({});
});

it("asks for nothing where a text has no inputs, or is none", () => {
  expect(runInputs("workflows: [{}]")).toEqual([]);
  expect(runInputs("[")).toEqual([]);
});
