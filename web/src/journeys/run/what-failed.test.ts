import { describe, expect, it } from "vitest";
import { type RunStep, StepResult } from "./step-result.ts";
import { whatFailed } from "./what-failed.ts";

const step = (seq: number, more: object): RunStep => ({
  seq,
  result: StepResult.parse({
    id: `s${seq}`,
    phase: "main",
    status: "passed",
    ms: 1,
    attempts: [],
    assertions: [],
    contract: [],
    outputs: {},
    ...more,
  }),
});
const source = { file: "a.yaml", line: 1 };
const assertion = (status: string, explanation?: string) => ({
  id: "a",
  condition: "$response.body#/stars == 5",
  status,
  source,
  ...(explanation !== undefined && { explanation }),
});

describe("whatFailed", () => {
  it("is the first failed step that no action handled, with its first failed assertion", () => {
    const explanation = "$response.body#/stars is 1, expected 5";
    const assertions = [assertion("passed"), assertion("failed", explanation), assertion("failed", "later")];
    const steps = [
      step(1, {}),
      step(2, { status: "failed", handled: true }),
      step(4, { status: "failed", reason: "an assertion failed", assertions }),
      step(5, { status: "error" }),
    ];
    expect(whatFailed(steps)).toEqual({ seq: 4, number: 3, stepId: "s4", why: explanation });
  });

  it("is the reason of a step without a failed assertion, or what contradicts the description", () => {
    const reason = "no response";
    expect(whatFailed([step(1, { status: "error", reason })])?.why).toBe(reason);
    const contract = [{ check: "response-schema", status: "failed", message: "stars must be an integer" }];
    expect(whatFailed([step(1, { status: "failed", contract })])?.why).toBe("stars must be an integer");
    const whyOf = (status: string) =>
      whatFailed([step(1, { status: "failed", assertions: [assertion(status)] })])?.why;
    expect(whyOf("failed")).toBe("$response.body#/stars == 5 is not true");
    expect(whyOf("error")).toBe("$response.body#/stars == 5 could not be evaluated");
    expect(whatFailed([step(1, { status: "timedOut" })])).toMatchObject({ why: undefined });
  });

  it("is nothing if only the teardown failed, or no step did", () => {
    expect(whatFailed([step(1, {}), step(2, { phase: "teardown", status: "failed" })])).toBeUndefined();
    expect(whatFailed([])).toBeUndefined();
  });
});
