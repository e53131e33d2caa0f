import type { RunResult } from "./step-result.ts";

export type CriterionStatus = RunResult["acceptance"][number]["status"];

/** The label and the colour of each outcome of an acceptance criterion. */
export const CRITERION_WORDS: Readonly<Record<CriterionStatus, { label: string; color: string }>> = {
  proven: { label: "proven", color: "teal.9" },
  failed: { label: "failed", color: "red.9" },
  notRun: { label: "not run", color: "gray.7" },
  unproven: { label: "unproven", color: "gray.7" },
};
