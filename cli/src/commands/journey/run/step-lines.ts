import { assertionLines, statusText, stepName, valueText } from "@waymark/journeys/report/text.ts";
import type {
  AcceptanceResult,
  AssertionResult,
  JourneyResult,
  StepResult,
} from "@waymark/journeys/result/result.ts";
import { printable } from "../../../lib/text.ts";
import type { Style } from "./style.ts";

const VALUE_CHARS_MAX = 200;
const NAME_CHARS_MAX = 120;
const LINE_CHARS_MAX = 10_000;
const BODY_CHARS_MAX = 2_000;
const BODY_LINES_MAX = 30;

// Most of these texts come from documents and servers. Each is escaped when it is inserted into a line, because the line itself
// contains colours.

/** The lines of a step: the step itself, its assertions, its outputs, and its failures with the body of the response. */
export function stepLines(step: StepResult, style: Style): string[] {
  const lines = [`  ${mark(step.status, style)} ${stepLine(step, style)}`];
  for (const { n, outcome, because } of step.attempts.slice(0, -1)) {
    const why = because === undefined ? "" : `, ${because}`;
    lines.push(`      ${style.faint(foreign(`attempt ${n}: ${outcome}${why}`))}`);
  }
  for (const note of step.notes ?? []) lines.push(`      ${style.faint(foreign(note))}`);
  for (const assertion of step.assertions) lines.push(...linesOf(assertion, style));
  for (const { check, status, pointer, message } of step.contract) {
    if (status !== "failed") continue;
    const where = pointer ? ` at ${pointer}` : "";
    lines.push(`      ${style.bad("!")} ${foreign(`contract ${check}${where}: ${message ?? "failed"}`)}`);
  }
  for (const [name, value] of Object.entries(step.outputs)) {
    lines.push(`      ${style.faint(foreign(`${name} = ${short(value)}`))}`);
  }
  if (step.status !== "passed" && step.status !== "skipped") lines.push(...bodyLines(step, style));
  return lines;
}

/** The body of the last response, which the run has redacted and which reports have at greater length. */
function bodyLines({ evidence }: StepResult, style: Style): string[] {
  const { body, bodyBytes = 0 } = evidence?.response ?? {};
  if (body === undefined) return [];
  const lines = body.slice(0, BODY_CHARS_MAX).split(/\r\n|\n|\r/);
  const shown = lines.slice(0, BODY_LINES_MAX).map((line) => `        ${style.faint(foreign(line))}`);
  const isCut = body.length > BODY_CHARS_MAX || lines.length > BODY_LINES_MAX;
  const more = isCut ? ["        … --report html=path has more of it"] : [];
  return [`      response body, ${bodyBytes} bytes:`, ...shown, ...more];
}

function stepLine(step: StepResult, style: Style): string {
  const { operation, external, calls, evidence } = step;
  const call = operation ?? external;
  const target = call === undefined ? calls : `${call.method} ${"path" in call ? call.path : call.url}`;
  const status = evidence?.response === undefined ? "" : ` → ${evidence.response.status}`;
  const name = printable(stepName(step), NAME_CHARS_MAX);
  if (step.status === "skipped") return style.faint(`${name}  skipped: ${foreign(step.reason ?? "")}`);
  const times = step.attempts.length > 1 ? `, ${step.attempts.length} attempts` : "";
  const why = step.reason === undefined ? "" : `  ${foreign(step.reason)}`;
  return `${style.strong(name)}  ${foreign(target ?? "")}${status}  ${style.faint(`${duration(step.ms)}${times}`)}${why}`;
}

function linesOf(assertion: AssertionResult, style: Style): string[] {
  const { id, status, condition, actual } = assertion;
  if (status === "failed" || status === "error") {
    const [first = "", ...more] = assertionLines(assertion).map(foreign);
    return [`      ${style.bad("✗")} ${first}`, ...more.map((line) => `        ${line}`)];
  }
  if (status === "notRun") return [];
  return [
    `      ${style.good("✓")} ${foreign(`${id}: ${condition}`)}  ${style.faint(foreign(`(${short(actual)})`))}`,
  ];
}

function mark(status: StepResult["status"], style: Style): string {
  if (status === "passed") return style.good("✓");
  return status === "skipped" ? style.faint("-") : style.bad("✗");
}

const ACCEPTANCE_MARKS: Record<AcceptanceResult["status"], string> = {
  proven: "✓",
  failed: "✗",
  notRun: "-",
  unproven: "?",
};

/** The lines of the whole run's result. */
export function resultLines(result: JourneyResult, style: Style): string[] {
  const { acceptance, coverage, contract, outputs, error, teardown } = result;
  const lines: string[] = [];
  const derived = Object.entries(outputs).map(([name, value]) => `${name} = ${short(value)}`);
  if (derived.length > 0) lines.push(`  outputs: ${foreign(derived.join(", "))}`);
  if (acceptance.length > 0) {
    const proven = acceptance.filter(({ status }) => status === "proven").length;
    lines.push(`  acceptance: ${proven} of ${acceptance.length} proven`);
    for (const { id, text, status, severity } of acceptance) {
      const line = foreign(`${ACCEPTANCE_MARKS[status]} ${id} (${severity}) ${statusText(status)}: ${text}`);
      lines.push(
        `    ${status === "failed" ? style.bad(line) : status === "proven" ? line : style.faint(line)}`,
      );
    }
  }
  const called = coverage.operations.filter(({ calls }) => calls > 0).length;
  const outside = coverage.notInInventory.length;
  lines.push(
    `  operations: ${called} of ${coverage.operations.length} called${outside === 0 ? "" : `, ${outside} outside every source`}`,
  );
  if (contract.failures > 0) {
    const effect = contract.strict ? "" : " (fails the run only with --strict-contract)";
    lines.push(`  contract: ${contract.failures} failed${effect}`);
  }
  if (teardown.status === "failed")
    lines.push(`  ${style.bad("teardown failed: something may be left behind")}`);
  if (error !== undefined) lines.push(`  ${style.bad(foreign(`${error.code}: ${error.message}`))}`);
  if (error?.code === "missing-secret") {
    lines.push(
      "    Fix: for each env:NAME, export NAME=value, or give a file that has it: --secret NAME=path",
    );
  }
  return lines;
}

/** One line on the run, such as `passed  Item lifecycle 3.1.0  5 steps  0.1 s`. */
export function verdictLine(result: JourneyResult, label: string, style: Style): string {
  const count = (wanted: string) => result.steps.filter(({ status }) => status === wanted).length;
  const bad = result.steps.length - count("passed") - count("skipped");
  const counts = [
    result.steps.length === 0 ? "no step was run" : `${count("passed")} passed`,
    ...(bad > 0 ? [`${bad} failed`] : []),
    ...skippedOf(count("skipped")),
  ];
  const status = (result.status === "passed" ? style.good : style.bad)(statusText(result.status));
  const name = label === "" ? "" : `  ${foreign(label)}`;
  return `${status}${name}  ${counts.join(", ")}  ${style.faint(duration(result.ms))}`;
}

function skippedOf(count: number): string[] {
  return count > 0 ? [`${count} skipped`] : [];
}

function short(value: unknown): string {
  const text = valueText(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
}

export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function foreign(text: string): string {
  return printable(text, LINE_CHARS_MAX);
}
