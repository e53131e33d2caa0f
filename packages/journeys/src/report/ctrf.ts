import type { AttemptResult, JourneyResult, StepResult } from "../result/result.ts";
import type { NotRun } from "./not-run.ts";
import { failureLines, failureSummary, startOf, stepName } from "./text.ts";

const STATUSES = {
  passed: "passed",
  failed: "failed",
  timedOut: "failed",
  error: "failed",
  skipped: "skipped",
} as const;

/** The Common Test Report Format: one test per step. */
export function ctrfReport(results: readonly JourneyResult[], notRun: readonly NotRun[]): string {
  const starts = results.map(({ startedAt }) => Date.parse(startedAt));
  const stops = results.map(({ startedAt, ms }) => Date.parse(startedAt) + Math.round(ms));
  const span =
    results.length === 0 ? { start: 0, stop: 0 } : { start: Math.min(...starts), stop: Math.max(...stops) };
  const tests = [
    ...results.flatMap((result) => [
      ...result.steps.map((step) => test(result, step)),
      ...runErrorTest(result),
    ]),
    ...notRun.map((journey) => notRunTest(journey, span.start)),
  ];
  const count = (wanted: string) => tests.filter(({ status }) => status === wanted).length;
  const report = {
    reportFormat: "CTRF",
    specVersion: "0.0.0",
    generatedBy: "waymark",
    results: {
      tool: { name: "waymark" },
      summary: {
        tests: tests.length,
        passed: count("passed"),
        failed: count("failed"),
        pending: 0,
        skipped: count("skipped"),
        other: 0,
        flaky: tests.filter((each) => "flaky" in each).length,
        ...span,
      },
      tests,
      extra: {
        journeys: results.map(({ journey, artifact, runId, status, acceptance, teardown }) => ({
          ...journey,
          artifact,
          runId,
          status,
          acceptance,
          teardown: teardown.status,
        })),
      },
    },
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function test(result: JourneyResult, step: StepResult) {
  const status = STATUSES[step.status];
  const start = Date.parse(startOf(result, step));
  const failed = status === "failed";
  // A poll that waits for a state is no retry.
  const retried = step.attempts.filter(({ outcome }) => outcome === "retry");
  return {
    name: stepName(step),
    status,
    duration: Math.round(step.ms),
    start,
    stop: start + Math.round(step.ms),
    suite: [result.journey.title],
    rawStatus: step.status,
    ...(failed ? { message: failureSummary(step), trace: failureLines(step).join("\n") } : {}),
    ...(status === "skipped" && step.reason !== undefined ? { message: step.reason } : {}),
    ...(step.source === undefined ? {} : { filePath: step.source.file, line: step.source.line }),
    retries: retried.length,
    ...(status === "passed" && retried.length > 0 ? { flaky: true } : {}),
    ...(retried.length === 0 ? {} : { retryAttempts: retried.map(retryAttempt) }),
    extra: { assertions: step.assertions, contract: step.contract },
  };
}

/** An attempt that another one followed. CTRF counts attempts of a test, not polls. */
function retryAttempt({ ms, because, startedAt }: AttemptResult, index: number) {
  const start = startedAt === undefined ? undefined : Date.parse(startedAt);
  return {
    attempt: index + 1,
    status: "failed" as const,
    duration: Math.round(ms),
    ...(because === undefined ? {} : { message: `Repeated by ${because}.` }),
    ...(start === undefined ? {} : { start, stop: start + Math.round(ms) }),
  };
}

function notRunTest({ file, reason, details }: NotRun, start: number) {
  return {
    name: "document",
    status: "failed" as const,
    duration: 0,
    start,
    stop: start,
    suite: [file],
    rawStatus: "document",
    message: reason,
    trace: details.join("\n"),
    filePath: file,
  };
}

function runErrorTest(result: JourneyResult) {
  if (result.error === undefined) return [];
  const start = Date.parse(result.startedAt);
  return [
    {
      name: "run",
      status: "failed" as const,
      duration: 0,
      start,
      stop: start,
      suite: [result.journey.title],
      rawStatus: result.error.code,
      message: result.error.message,
    },
  ];
}
