import { expect, it } from "vitest";
import { describeAffected } from "./describe-affected.ts";

const outcome = (programId: string | null, errorCount = 0) => ({ programId, errorCount, warningCount: 0 });

it("says of a document what a change of another one does to it", () => {
  expect(describeAffected({ before: outcome("a"), after: outcome(null, 1) })).toBe(
    "can't run any more: 1 error",
  );
  expect(describeAffected({ before: outcome(null, 1), after: outcome("a") })).toBe("can run again");
  expect(describeAffected({ before: outcome("a"), after: outcome("b") })).toBe(
    "does something else than before",
  );
  expect(describeAffected({ before: outcome(null, 1), after: outcome(null, 2) })).toBe(
    "2 errors instead of 1",
  );
  expect(describeAffected({ before: outcome("a"), after: outcome("a") })).toBe("stays as it is");
});
