import type { AssertionResult, JourneyResult, SourcePlace, StepResult } from "../result/result.ts";

/** The position in the form that editors and terminals link. */
export function placeText(place: SourcePlace): string {
  return `${place.file}:${place.line}`;
}

/** A status for people: `notRun` becomes "not run". */
export function statusText(status: string): string {
  return status.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A value in one line. */
export function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}

/** The failures of a step: each assertion with actual, expected and position, then the contract checks. */
export function failureLines(step: StepResult): string[] {
  const lines: string[] = step.reason === undefined ? [] : [step.reason];
  for (const assertion of step.assertions) {
    if (isAgainst(assertion)) lines.push(...assertionLines(assertion));
  }
  for (const { check, status, pointer, message } of step.contract) {
    if (status === "failed")
      lines.push(`contract ${check}${pointer ? ` at ${pointer}` : ""}: ${message ?? "failed"}`);
  }
  return lines;
}

function isAgainst({ status }: AssertionResult): boolean {
  return status === "failed" || status === "error";
}

export function assertionLines(assertion: AssertionResult): string[] {
  return [
    `${assertion.id}: ${assertion.condition}`,
    `  actual:   ${valueText(assertion.actual)}`,
    `  expected: ${valueText(assertion.expected)}`,
    ...(assertion.explanation === undefined ? [] : [`  ${assertion.explanation}`]),
    `  at ${placeText(assertion.source)}${assertion.source.from === "base" ? "" : ` (${assertion.source.from})`}`,
  ];
}

/** A failed step in one line. */
export function failureSummary(step: StepResult): string {
  const [first, ...more] = step.assertions.filter(isAgainst);
  if (first === undefined) return step.reason ?? "failed";
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  return `${first.id}: ${first.explanation ?? first.condition} at ${placeText(first.source)}${rest}`;
}

/** The name of a step among all steps of a result. */
export function stepName(step: StepResult): string {
  const name = step.workflow === undefined ? step.id : `${step.workflow}/${step.id}`;
  return step.phase === "teardown" ? `${name} (teardown)` : name;
}

/**
 * Markup-safe text. Characters that XML 1.0 can't carry are shown as the replacement character; other control characters, also
 * those that reverse the reading order, as `\u{9b}`. A report may be printed into the log of a CI system, so nothing in it
 * is a command there: `::` at the start of a line for GitHub Actions, `##[` and `##vso[` for it and others.
 */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("\r\n", "\n")
    .replaceAll(/[\r\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, visible)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll(/^(\s*):(?=:)/gm, "$1&#58;")
    .replaceAll(/#(?=#\w*\[)/g, "&#35;");
}

function visible(character: string): string {
  return String.raw`\u{${character.charCodeAt(0).toString(16)}}`;
}

/** When a step began, for formats that want a time for each. */
export function startOf(result: JourneyResult, step: StepResult): string {
  return step.startedAt ?? result.startedAt;
}
