import { expect, test } from "vitest";
import { describeStatuses } from "./describe-statuses.ts";

test("runs are counted by how they ended, the most frequent first", () => {
  expect(describeStatuses(["failed", "passed", "passed", "running"])).toBe(
    "Last 4 runs: 2 passed, 1 failed, 1 running",
  );
});
