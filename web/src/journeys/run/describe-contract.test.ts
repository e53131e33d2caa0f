import { expect, test } from "vitest";
import { describeContract } from "./describe-contract.ts";

test("checks of the contract that passed or were skipped are named once, those that failed not at all", () => {
  expect(
    describeContract([
      { check: "status-documented", status: "passed" },
      { check: "content-type-documented", status: "failed" },
      { check: "response-schema", status: "skipped" },
      { check: "response-schema", status: "skipped", pointer: "/a" },
      { check: "new-check", status: "passed" },
    ]),
  ).toEqual(["Agrees with the description: status, new-check.", "Not checked: body."]);
  expect(describeContract([])).toEqual([]);
});
