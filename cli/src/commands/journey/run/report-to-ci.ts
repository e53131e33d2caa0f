import path from "node:path";
import type { NotRun } from "@waymark/journeys/report/not-run.ts";
import { failureSummary, placeText, statusText, stepName } from "@waymark/journeys/report/text.ts";
import type { JourneyResult, SourcePlace, StepResult } from "@waymark/journeys/result/result.ts";
import type { CliContext } from "../../../framework/context.ts";
import { describeFileError } from "../../../lib/describe-file-error.ts";
import { writeLine, writeWorkflowCommand } from "../../../lib/output.ts";
import { plural } from "../../../lib/text.ts";
import { workspaceRoot } from "../../../lib/workspace-root.ts";
import { annotationFormat, type AnnotationFormat, annotations } from "../../../report/annotations.ts";
import { jobSummaryFile } from "../../../report/github.ts";
import { appendSummary } from "../../../report/job-summary.ts";
import { escapeMarkdown, markdownList } from "../../../report/markdown.ts";
import { duration } from "./step-lines.ts";

/** Collects what a CI system shows of runs: an annotation at each failure, and a summary of the job. */
export interface CiReport {
  add: (result: JourneyResult, label: string) => void;
  /** Adds a journey that did not run. */
  addNotRun: (journey: NotRun) => void;
  /** Never rejects: a summary that can't be written changes no result. */
  write: () => Promise<void>;
}

interface Failure {
  /** The journey and the step that failed, such as `Checkout 1.0.0: pay`. */
  name: string;
  message: string;
  place: SourcePlace | undefined;
}

/** The runs in the table of a summary, and the failures below it; the reports have all. */
const SHOWN_MAX = 50;

/** Outside of GitHub Actions and Azure Pipelines, it does nothing. Azure has no file for a summary. */
export function openCiReport(context: CliContext): CiReport {
  const format = annotationFormat(context.env);
  if (format === undefined)
    return { add: () => undefined, addNotRun: () => undefined, write: async () => undefined };
  const counts = { passed: 0, failed: 0 };
  const rows: { isBad: boolean; text: string }[] = [];
  const failures: Failure[] = [];
  const addRow = (isBad: boolean, text: string, found: Failure[]): void => {
    counts[isBad ? "failed" : "passed"]++;
    // Failed runs must be in the table, however many passed before.
    const passedIndex = rows.findLastIndex((row) => !row.isBad);
    if (rows.length === SHOWN_MAX && isBad && passedIndex >= 0) rows.splice(passedIndex, 1);
    if (rows.length < SHOWN_MAX) rows.push({ isBad, text });
    failures.push(...found.slice(0, SHOWN_MAX - failures.length));
  };
  return {
    add: (result, label) => {
      const isBad = result.status !== "passed";
      addRow(isBad, rowOf(result, label), isBad ? failuresOf(result, label) : []);
    },
    addNotRun: ({ file, reason, details: [message = reason] }) => {
      const failure = { name: file, message, place: { file, line: 1, from: "base" } };
      addRow(true, `| not run | ${escapeMarkdown(file)} | | | |`, [failure]);
    },
    write: async () => {
      annotate(context, failures, format);
      await summarize(context, { counts, rows: rows.map(({ text }) => text), failures });
    },
  };
}

/** Steps that failed, also handled ones in a run that failed; the run's own error if no step has it. */
function failuresOf(result: JourneyResult, label: string): Failure[] {
  const { error } = result;
  const steps = result.steps.filter(({ status }) => status !== "passed" && status !== "skipped");
  const told = steps.some(({ reason }) => error !== undefined && reason?.includes(error.message) === true);
  return [
    ...steps.map((step) => ({
      name: `${label}: ${stepName(step)}`,
      message: failureSummary(step),
      place: placeOf(step),
    })),
    ...(error === undefined || told
      ? []
      : [{ name: label, message: `${error.code}: ${error.message}`, place: undefined }]),
  ];
}

function placeOf({ assertions, source }: StepResult): SourcePlace | undefined {
  return assertions.find(({ status }) => status === "failed" || status === "error")?.source ?? source;
}

function annotate(
  { env, cwd, stderr }: CliContext,
  failures: readonly Failure[],
  format: AnnotationFormat,
): void {
  const shown = failures.map(({ name, message, place }) => ({
    code: name,
    message,
    severity: "high" as const,
    file: place === undefined ? undefined : path.resolve(cwd, place.file),
    position: () => ({ line: place?.line ?? 1, column: 1 }),
  }));
  const root = workspaceRoot(env, { folder: cwd, cwd });
  for (const line of annotations(shown, root, format).lines) writeWorkflowCommand(stderr, line);
}

interface Summary {
  counts: { passed: number; failed: number };
  rows: readonly string[];
  failures: readonly Failure[];
}

async function summarize({ env, stderr }: CliContext, summary: Summary): Promise<void> {
  const file = jobSummaryFile(env);
  if (file === undefined) return;
  try {
    await appendSummary(file, describe(summary));
  } catch (error) {
    writeLine(stderr, `Note: the summary of the job can't be written: ${describeFileError(error)}.`);
  }
}

function describe({ counts, rows, failures }: Summary): string {
  const runs = counts.passed + counts.failed;
  const more = runs - rows.length;
  const blocks = [
    "### Waymark journeys",
    `${plural(runs, "run")}: ${counts.passed} passed, ${counts.failed} did not`,
    [
      "| Result | Journey | Steps passed | Acceptance | Time |",
      "| --- | --- | --- | --- | --- |",
      ...rows,
    ].join("\n"),
    ...(more > 0 ? [`… and ${plural(more, "run")} more`] : []),
    ...markdownList(failures.map(describeFailure)),
  ];
  return `${blocks.join("\n\n")}\n\n`;
}

function describeFailure({ name, message, place }: Failure): string {
  const at = place === undefined || message.includes(placeText(place)) ? "" : ` at ${placeText(place)}`;
  return `${name}: ${message}${at}`;
}

function rowOf({ status, steps, acceptance, ms }: JourneyResult, label: string): string {
  const passed = steps.filter((step) => step.status === "passed").length;
  const proven = acceptance.filter((criterion) => criterion.status === "proven").length;
  const criteria = acceptance.length === 0 ? "none" : `${proven} of ${acceptance.length} proven`;
  const cells = [statusText(status), label, `${passed} of ${steps.length}`, criteria, duration(ms)];
  return `| ${cells.map(escapeMarkdown).join(" | ")} |`;
}
