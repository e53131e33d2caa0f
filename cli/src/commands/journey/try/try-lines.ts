import { formatJson } from "@waymark/journeys/report/format-json.ts";
import { withoutBodies } from "@waymark/journeys/result/exchanges.ts";
import type { Exchange, StepResult } from "@waymark/journeys/result/result.ts";
import { triedStep } from "@waymark/journeys/try/try-result.ts";
import type { PlannedRequest, TryResult } from "@waymark/journeys/try/try-result.ts";
import { statusText } from "@waymark/journeys/report/text.ts";
import { printable } from "../../../lib/text.ts";
import { duration, stepLines } from "../run/step-lines.ts";
import type { Style } from "../run/style.ts";

const LINE_CHARS_MAX = 10_000;

/** The lines of a try: its steps in one line each, and of the step that was tried everything. */
export function tryLines(result: TryResult, style: Style): string[] {
  const tried = triedStep(result);
  return [
    ...result.steps.flatMap((step) => (step === tried ? triedLines(step, style) : otherLines(step, style))),
    ...endLines(result, tried, style),
  ];
}

function otherLines(step: StepResult, style: Style): string[] {
  const lines = stepLines(step, style);
  return step.status === "passed" ? lines.slice(0, 1) : lines;
}

function triedLines(step: StepResult, style: Style): string[] {
  const { evidence } = step;
  if (evidence === undefined) return stepLines(step, style);
  return [
    ...stepLines({ ...step, evidence: withoutBodies(evidence) }, style),
    ...exchangeLines(evidence, style),
  ];
}

function exchangeLines({ request, response, truncated }: Exchange, style: Style): string[] {
  const lines = ["", ...requestLines(request, style)];
  if (response === undefined) return [...lines, "", "      no response", ""];
  const { status, statusText: text = "", headers, body, ms, bodyBytes } = response;
  const size = style.faint(`${duration(ms)}, ${bodyBytes} bytes`);
  lines.push("", `      ${style.strong(foreign(`${status} ${text}`.trim()))}  ${size}`);
  lines.push(...headerLines(headers, style), ...bodyLines(body));
  if (truncated) lines.push(style.faint("      … headers or bodies are longer than what is shown"));
  return [...lines, ""];
}

function requestLines({ method, url, headers, body }: Exchange["request"], style: Style): string[] {
  return [
    `      ${style.strong(foreign(`${method} ${url}`))}`,
    ...headerLines(headers, style),
    ...bodyLines(body),
  ];
}

function headerLines(headers: readonly [string, string][], style: Style): string[] {
  return headers.map(([name, value]) => `      ${style.faint(foreign(`${name}: ${value}`))}`);
}

function bodyLines(body: string | undefined): string[] {
  if (body === undefined || body === "") return [];
  const lines = (formatJson(body) ?? body).split(/\r\n|\n|\r/);
  return ["", ...lines.map((line) => `      ${foreign(line)}`)];
}

function endLines(result: TryResult, tried: StepResult | undefined, style: Style): string[] {
  const { step, status, reason, error, teardown, ms } = result;
  const lines: string[] = [];
  if (teardown.status === "failed")
    lines.push(`  ${style.bad("teardown failed: something may be left behind")}`);
  if (error !== undefined && error.message !== tried?.reason)
    lines.push(`  ${style.bad(foreign(`${error.code}: ${error.message}`))}`);
  const name = printable(step, 120);
  if (tried === undefined) {
    const why = error?.message === reason ? "" : `: ${foreign(reason ?? "")}`;
    lines.push(`${style.bad(status === "aborted" ? "aborted" : "not reached")}  ${name}${why}`);
  } else {
    const mark = tried.status === "passed" ? style.good : style.bad;
    const rest = style.faint(`${duration(ms)}, the rest of the journey was not run`);
    lines.push(`${mark(`step ${statusText(tried.status)}`)}  ${name}  ${rest}`);
  }
  return lines;
}

/** The lines of a dry run. */
export function planLines(requests: readonly PlannedRequest[], style: Style): string[] {
  return requests.flatMap(({ step, workflow, request, calls, reason }) => {
    const name = printable(workflow === undefined ? step : `${workflow}/${step}`, 120);
    const called = calls === undefined ? "" : foreign(`  calls the workflow ${calls}`);
    const why = reason === undefined ? [] : [`      not known yet: ${foreign(reason)}`];
    return [
      `  ${style.strong(name)}${called}`,
      ...(request === undefined ? [] : requestLines(request, style)),
      ...why,
      "",
    ];
  });
}

function foreign(text: string): string {
  return printable(text, LINE_CHARS_MAX);
}
