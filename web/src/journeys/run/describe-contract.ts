import type { StepResult } from "./step-result.ts";

const CHECKS: Readonly<Record<string, string>> = {
  "status-documented": "status",
  "content-type-documented": "content type",
  "response-schema": "body",
};

/** The checks of the contract that did not fail, as lines such as `Agrees with the description: status, body.` */
export function describeContract(contract: StepResult["contract"]): string[] {
  const named = (status: "passed" | "skipped") => [
    ...new Set(contract.filter((one) => one.status === status).map(({ check }) => CHECKS[check] ?? check)),
  ];
  const [passed, skipped] = [named("passed"), named("skipped")];
  return [
    ...(passed.length > 0 ? [`Agrees with the description: ${passed.join(", ")}.`] : []),
    ...(skipped.length > 0 ? [`Not checked: ${skipped.join(", ")}.`] : []),
  ];
}
