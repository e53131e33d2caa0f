import type { JourneyResult, StepResult } from "../result/result.ts";
import { junitXml } from "./junit-xml.ts";
import type { JunitCase, JunitSuite } from "./junit-xml.ts";
import type { NotRun } from "./not-run.ts";
import { failureLines, failureSummary, stepName } from "./text.ts";

/** JUnit XML: one suite per journey, one test case per step, of its teardown as well. */
export function junitReport(results: readonly JourneyResult[], notRun: readonly NotRun[]): string {
  const [first] = results;
  const startedAt = first?.startedAt ?? new Date().toISOString();
  return junitXml([...results.map(suiteOf), ...notRun.map((journey) => notRunSuite(journey, startedAt))]);
}

function suiteOf(result: JourneyResult): JunitSuite {
  const count = (...statuses: StepResult["status"][]): number =>
    result.steps.filter(({ status }) => statuses.includes(status)).length;
  const file = result.steps.find(({ source }) => source !== undefined)?.source?.file;
  return {
    name: result.journey.title,
    package: result.journey.id,
    startedAt: result.startedAt,
    ms: result.ms,
    failures: count("failed", "timedOut"),
    errors: count("error") + (result.error === undefined ? 0 : 1),
    skipped: count("skipped"),
    properties: [
      ["artifact", result.artifact],
      ["runId", result.runId],
      ["status", result.status],
      ["teardown", result.teardown.status],
      ...(file === undefined ? [] : [["file", file] as const]),
      ...result.acceptance.map(({ id, status }) => [`acceptance.${id}`, status] as const),
    ],
    cases: [...result.steps.map((step) => caseOf(result, step)), ...runErrorCase(result)],
  };
}

function notRunSuite({ file, reason, details }: NotRun, startedAt: string): JunitSuite {
  const outcome = { tag: "error", message: reason, type: "document", text: details.join("\n") } as const;
  return {
    name: file,
    package: file,
    startedAt,
    ms: 0,
    failures: 0,
    errors: 1,
    skipped: 0,
    properties: [],
    cases: [{ classname: file, name: "document", ms: 0, outcome }],
  };
}

function caseOf(result: JourneyResult, step: StepResult): JunitCase {
  const base = { classname: result.journey.id, name: stepName(step), ms: step.ms };
  if (step.status === "passed") return base;
  if (step.status === "skipped") return { ...base, outcome: { tag: "skipped", message: step.reason ?? "" } };
  return {
    ...base,
    outcome: {
      tag: step.status === "error" ? "error" : "failure",
      message: failureSummary(step),
      type: step.status,
      text: failureLines(step).join("\n"),
    },
  };
}

/** An error of the whole run belongs to no step. */
function runErrorCase({ journey, error }: JourneyResult): JunitCase[] {
  if (error === undefined) return [];
  const outcome = { tag: "error", message: error.message, type: error.code, text: "" } as const;
  return [{ classname: journey.id, name: "run", ms: 0, outcome }];
}
