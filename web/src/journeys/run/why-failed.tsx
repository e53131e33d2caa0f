import { Code } from "@mantine/core";
import { showValue } from "./show-value.ts";
import type { StepResult } from "./step-result.ts";

/** Shows the reason why an assertion failed. */
export function WhyFailed({
  assertion,
}: {
  assertion: Pick<StepResult["assertions"][number], "status" | "explanation" | "actual" | "expected">;
}) {
  const { status, explanation, actual, expected } = assertion;
  if (explanation !== undefined) return explanation;
  if (status !== "failed") return null;
  return (
    <>
      Actual: <Code>{showValue(actual)}</Code>, expected: <Code>{showValue(expected)}</Code>
    </>
  );
}
