import type { AssertionResult, Evidence, Exchange, JourneyResult, StepResult } from "../result/result.ts";
import type { NotRun } from "./not-run.ts";
import { STYLE } from "./html-style.ts";
import { escapeMarkup as esc, placeText, statusText, stepName, valueText } from "./text.ts";

/** A self-contained HTML file: no scripts, no images, no requests. */
export function htmlReport(results: readonly JourneyResult[], notRun: readonly NotRun[]): string {
  const journeys = results.length + notRun.length;
  const title =
    journeys === 1 && results[0] !== undefined ? results[0].journey.title : `${journeys} journeys`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${esc(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${[...notRun.map(notRunSection), ...results.map(journeySection)].join("\n")}
</body>
</html>
`;
}

function notRunSection({ file, reason, details }: NotRun): string {
  return `<main>
<h1>${status("error")} ${esc(file)}</h1>
<pre class="error">${esc([reason, ...details].join("\n"))}</pre>
</main>`;
}

function journeySection(result: JourneyResult): string {
  const { journey, where } = result;
  const overlays = journey.overlays.length === 0 ? "" : ` with ${journey.overlays.join(", ")}`;
  return `<main>
<h1>${status(result.status)} ${esc(journey.title)}</h1>
<p class="dim">${esc(journey.id)} ${esc(journey.version)}${esc(overlays)} · ${esc(where.runner)}${
    where.environment === undefined ? "" : ` · ${esc(where.environment)}`
  } · ${esc(result.startedAt)} · ${ms(result.ms)}<br>run <code>${esc(result.runId)}</code> · <code>${esc(result.artifact)}</code></p>
${result.error === undefined ? "" : `<pre class="error">${esc(result.error.message)}</pre>`}
${acceptanceSection(result)}
<h2>Steps</h2>
${result.steps.map(stepSection).join("\n")}
<p>Teardown: ${status(result.teardown.status)}</p>
${coverageSection(result)}
${recordSection("Inputs", result.inputs)}
${recordSection("Outputs", result.outputs)}
</main>`;
}

function acceptanceSection(result: JourneyResult): string {
  if (result.acceptance.length === 0) return "";
  const proven = result.acceptance.filter((criterion) => criterion.status === "proven").length;
  const rows = result.acceptance.map(
    ({ id, text, severity, status: state, by }) =>
      `<tr><td>${status(state)}</td><td><code>${esc(id)}</code></td><td>${esc(text)}</td><td>${esc(severity)}</td><td><code>${esc(by.join(", "))}</code></td></tr>`,
  );
  return `<h2>Acceptance: ${proven} of ${result.acceptance.length} proven</h2>
${table(["Status", "Id", "Criterion", "Severity", "Proven by"], rows)}`;
}

function stepSection(step: StepResult): string {
  const open = step.status === "passed" || step.status === "skipped" ? "" : " open";
  const target = targetText(step);
  return `<details${open}><summary>${status(step.status)} <strong>${esc(stepName(step))}</strong> <span class="dim">${esc(target)} · ${ms(step.ms)}${
    step.handled === true ? " · handled" : ""
  }</span></summary>
${step.reason === undefined ? "" : `<p>${esc(step.reason)}</p>`}
${(step.notes ?? []).map((note) => `<p>${esc(note)}</p>`).join("\n")}
${assertionTable(step.assertions)}
${contractTable(step)}
${attemptText(step)}
${recordSection("", step.outputs)}
${step.evidence === undefined ? "" : evidenceSections(step.evidence)}
</details>`;
}

function targetText({ operation, external, calls }: StepResult): string {
  if (operation !== undefined) return `${operation.method} ${operation.path} (${operation.source})`;
  if (external !== undefined) return `${external.method} ${external.url} (not in the inventory)`;
  return calls === undefined ? "" : `workflow ${calls}`;
}

function assertionTable(assertions: readonly AssertionResult[]): string {
  if (assertions.length === 0) return "";
  const rows = assertions.map(
    ({ id, condition, status: state, actual, expected, explanation, source }) =>
      `<tr><td>${status(state)}</td><td><code>${esc(id)}</code></td><td><code>${esc(condition)}</code>${
        explanation === undefined ? "" : `<br>${esc(explanation)}`
      }</td><td><code>${state === "notRun" ? "" : esc(valueText(actual))}</code></td><td><code>${
        state === "notRun" ? "" : esc(valueText(expected))
      }</code></td><td><code>${esc(placeText(source))}</code>${source.from === "base" ? "" : `<br>${esc(source.from)}`}</td></tr>`,
  );
  return table(["", "Assertion", "Condition", "Actual", "Expected", "Source"], rows);
}

function contractTable({ contract }: StepResult): string {
  const failed = contract.filter((check) => check.status !== "passed");
  if (failed.length === 0) return "";
  const rows = failed.map(
    ({ check, status: state, pointer = "", message = "" }) =>
      `<tr><td>${status(state)}</td><td>${esc(check)}</td><td><code>${esc(pointer)}</code></td><td>${esc(message)}</td></tr>`,
  );
  return table(["", "Contract", "Where", ""], rows);
}

function attemptText({ attempts }: StepResult): string {
  if (attempts.length < 2) return "";
  const lines = attempts.map(
    ({ n, ms: took, outcome, because }) =>
      `${n}. ${outcome}${because === undefined ? "" : ` (${because})`}, ${ms(took)}`,
  );
  return `<pre>${esc(lines.join("\n"))}</pre>`;
}

function evidenceSections({ earlier = [], ...last }: Evidence): string {
  const before = earlier.map(({ attempt, ...exchange }) =>
    evidenceSection(`Evidence of attempt ${attempt}`, exchange),
  );
  return [...before, evidenceSection("Evidence", last)].join("\n");
}

function evidenceSection(title: string, { request, response, truncated, redactions }: Exchange): string {
  const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), "", request.body ?? ""];
  const got =
    response === undefined
      ? ["(no response)"]
      : [
          `HTTP/${response.httpVersion ?? "1.1"} ${response.status} ${response.statusText ?? ""}`,
          ...headerLines(response.headers),
          "",
          response.body ?? "",
        ];
  const notes = [
    ...(truncated ? ["Long parts are cut."] : []),
    ...(redactions > 0 ? [`${redactions} secret values are redacted.`] : []),
  ];
  return `<details><summary class="dim">${title}</summary><pre>${esc(sent.join("\n").trimEnd())}</pre><pre>${esc(
    got.join("\n").trimEnd(),
  )}</pre><p class="dim">${notes.join(" ")}</p></details>`;
}

function headerLines(headers: readonly [string, string][]): string[] {
  return headers.map(([name, value]) => `${name}: ${value}`);
}

function coverageSection({ coverage }: JourneyResult): string {
  const rows = [
    ...coverage.operations.map(
      ({ source, method, path, calls, statuses, asserted }) =>
        `<tr><td><code>${esc(`${method} ${path}`)}</code></td><td>${esc(source)}</td><td>${calls}</td><td>${statuses.join(", ")}</td><td>${asserted ? "yes" : "no"}</td></tr>`,
    ),
    ...coverage.notInInventory.map(
      ({ method, url, calls }) =>
        `<tr><td><code>${esc(`${method} ${url}`)}</code></td><td class="notRun">not in the inventory</td><td>${calls}</td><td></td><td></td></tr>`,
    ),
  ];
  if (rows.length === 0) return "";
  return `<h2>Operations</h2>\n${table(["Operation", "Source", "Calls", "Statuses", "Asserted"], rows)}`;
}

function recordSection(title: string, values: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(values);
  if (entries.length === 0) return "";
  const lines = entries.map(([name, value]) => `${name} = ${valueText(value)}`);
  return `${title === "" ? "" : `<h2>${esc(title)}</h2>\n`}<pre>${esc(lines.join("\n"))}</pre>`;
}

function table(head: readonly string[], rows: readonly string[]): string {
  return `<table><thead><tr>${head.map((name) => `<th>${esc(name)}</th>`).join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function status(value: string): string {
  return `<span class="status ${esc(value)}">${esc(statusText(value))}</span>`;
}

function ms(value: number): string {
  return value < 1000 ? `${value.toFixed(1)} ms` : `${(value / 1000).toFixed(2)} s`;
}
