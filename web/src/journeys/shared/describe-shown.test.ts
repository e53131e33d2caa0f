import { expect, it } from "vitest";
import { describeShown } from "./describe-shown.ts";

it("a link with requests and responses says so only while they are kept", () => {
  expect(describeShown({ includes: "exchanges", kept: "evidence" })).toMatch(
    /^Requests and responses are as the run/,
  );
  for (const kept of ["result", "run"] as const)
    expect(describeShown({ includes: "exchanges", kept })).toBe("Requests and responses are no longer kept.");
  expect(describeShown({ includes: "verdicts", kept: "result" })).toMatch(/^This link shows verdicts only/);
});
