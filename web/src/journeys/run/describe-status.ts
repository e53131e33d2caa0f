const WORDS: Readonly<Record<string, { word: string; color: string }>> = {
  passed: { word: "passed", color: "teal.9" },
  failed: { word: "failed", color: "red.9" },
  error: { word: "error", color: "red.9" },
  timedOut: { word: "timed out", color: "red.9" },
  skipped: { word: "skipped", color: "gray.7" },
  notRun: { word: "not run", color: "gray.7" },
};

/** The status of a step or an assertion. Undefined: the run has no such step. */
export function describeStatus(status: string | undefined): { word: string; color: string } {
  if (status === undefined) return { word: "not there", color: "gray.7" };
  return WORDS[status] ?? { word: status, color: "gray.7" };
}
