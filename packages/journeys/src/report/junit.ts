import type { JourneyResult, StepResult } from "../result/result.ts";
import type { NotRun } from "./not-run.ts";
import { escapeMarkup, failureLines, failureSummary, stepName } from "./text.ts";

/** JUnit XML: one suite per journey, one test case per step, of its teardown as well. */
export function junitReport(results: readonly JourneyResult[], notRun: readonly NotRun[]): string {
  const suites = [...results.map(suite), ...notRun.map(notRunSuite)];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("\n")}\n</testsuites>\n`;
}

function suite(result: JourneyResult): string {
  const count = (...statuses: StepResult["status"][]): number =>
    result.steps.filter(({ status }) => statuses.includes(status)).length;
  const file = result.steps.find(({ source }) => source !== undefined)?.source?.file;
  const attributes = attributesText({
    name: result.journey.title,
    timestamp: result.startedAt,
    time: seconds(result.ms),
    tests: result.steps.length + (result.error === undefined ? 0 : 1),
    failures: count("failed", "timedOut"),
    errors: count("error") + (result.error === undefined ? 0 : 1),
    skipped: count("skipped"),
    ...(file === undefined ? {} : { file }),
  });
  const properties = [
    ["artifact", result.artifact],
    ["runId", result.runId],
    ["status", result.status],
    ["teardown", result.teardown.status],
    ...result.acceptance.map(({ id, status }) => [`acceptance.${id}`, status]),
  ].map(([name, value]) => `      <property ${attributesText({ name: name ?? "", value: value ?? "" })}/>`);
  return [
    `  <testsuite ${attributes}>`,
    "    <properties>",
    ...properties,
    "    </properties>",
    ...result.steps.map((step) => testCase(result, step)),
    ...runErrorCase(result),
    "  </testsuite>",
  ].join("\n");
}

function notRunSuite({ file, reason, details }: NotRun): string {
  const counts = { time: seconds(0), tests: 1, failures: 0, errors: 1, skipped: 0 };
  const error = attributesText({ message: reason, type: "document" });
  return [
    `  <testsuite ${attributesText({ name: file, ...counts })}>`,
    `    <testcase ${attributesText({ classname: file, name: "document", time: seconds(0) })}><error ${error}>${escapeMarkup(details.join("\n"))}</error></testcase>`,
    "  </testsuite>",
  ].join("\n");
}

function testCase(result: JourneyResult, step: StepResult): string {
  // No file and line: Jenkins refuses a report with attributes that its schema doesn't have.
  const attributes = attributesText({
    classname: result.journey.id,
    name: stepName(step),
    time: seconds(step.ms),
  });
  if (step.status === "passed") return `    <testcase ${attributes}/>`;
  if (step.status === "skipped") {
    return `    <testcase ${attributes}><skipped ${attributesText({ message: step.reason ?? "" })}/></testcase>`;
  }
  const tag = step.status === "error" ? "error" : "failure";
  const message = attributesText({ message: failureSummary(step), type: step.status });
  return `    <testcase ${attributes}><${tag} ${message}>${escapeMarkup(failureLines(step).join("\n"))}</${tag}></testcase>`;
}

/** An error of the whole run belongs to no step. */
function runErrorCase(result: JourneyResult): string[] {
  const { error } = result;
  if (error === undefined) return [];
  const attributes = attributesText({ classname: result.journey.id, name: "run", time: "0" });
  const message = attributesText({ message: error.message, type: error.code });
  return [`    <testcase ${attributes}><error ${message}/></testcase>`];
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeMarkup(String(value)).replaceAll("\n", "&#10;")}"`)
    .join(" ");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
