import type { ProgramAcceptance } from "../program/program.ts";
import type { AcceptanceResult, StepResult } from "./result.ts";

/**
 * Returns the result of each acceptance criterion: proven when all assertions that prove it passed, failed when one
 * failed, notRun when one was not evaluated, unproven when none is named. If a step ran several times, its last end in
 * the main phase counts.
 */
export function acceptanceResults(
  acceptance: readonly ProgramAcceptance[],
  steps: readonly StepResult[],
): AcceptanceResult[] {
  const verdicts = new Map<string, "passed" | "failed" | "notRun">();
  for (const step of steps) {
    if (step.phase !== "main" || step.workflow !== undefined || step.status === "skipped") continue;
    for (const { id, status } of step.assertions)
      verdicts.set(`${step.id}#${id}`, status === "error" ? "notRun" : status);
  }
  return acceptance.map(({ id, text, severity, provenBy }) => {
    const by = provenBy.map(({ step, criterion }) => `${step}#${criterion}`);
    const found = by.map((reference) => verdicts.get(reference) ?? "notRun");
    return { id, text, severity, status: statusOf(found), by };
  });
}

function statusOf(found: readonly ("passed" | "failed" | "notRun")[]): AcceptanceResult["status"] {
  if (found.length === 0) return "unproven";
  if (found.includes("failed")) return "failed";
  return found.includes("notRun") ? "notRun" : "proven";
}
