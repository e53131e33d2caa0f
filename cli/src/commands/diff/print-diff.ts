import { comparedIdentity } from "@waymark/shared/scans/changes.ts";
import type { CliContext } from "../../framework/context.ts";
import type { ExitCode } from "../../lib/cli-error.ts";
import { writeDocument, writeJson, writeLine, writeText, writeWorkflowCommand } from "../../lib/output.ts";
import { workspaceRoot } from "../../lib/workspace-root.ts";
import { changeLines } from "../../report/change-lines.ts";
import { describeChanges } from "../../report/describe-changes.ts";
import { type AnnotationFormat, annotations } from "../../report/annotations.ts";
import { changeRecords } from "../../report/json-lines.ts";
import type { placeFinder } from "../../report/place-finder.ts";
import { renderReport } from "../../report/report-formats.ts";
import { openChanges, type Reported, type ReportContent } from "../../report/reported.ts";
import { sentenceOf } from "../contract/contract-gate.ts";
import { ofLevel } from "../contract/judged-comparison.ts";
import { reportVerdicts } from "../contract/report-verdicts.ts";
import { verdictLines } from "../contract/verdict-lines.ts";
import { verdictMarkdown } from "../contract/verdict-markdown.ts";
import type { FailedGate } from "../scan/gates.ts";
import { printObject } from "../scan/print-result.ts";
import type { SideChanges } from "./compare-sides.ts";
import type { DiffFormat } from "./diff-format.ts";

export interface PrintedDiff {
  sides: SideChanges;
  failed: readonly FailedGate[];
  exitCode: ExitCode;
  /** The findings of the head with their places; undefined if nothing was linted. */
  findings: readonly Reported[] | undefined;
  placeOf: ReturnType<typeof placeFinder>;
  /** The folder of the head. */
  specFolder: string;
}

/** Prints the changes in a format. */
export function printDiff(context: CliContext, format: DiffFormat, printed: PrintedDiff): void {
  const { comparison } = printed.sides;
  switch (format) {
    case "text":
      for (const line of textLines(printed)) writeLine(context.stdout, line);
      return;
    case "markdown":
      writeText(context.stdout, verdictMarkdown(comparison));
      return;
    case "json":
    case "jsonl":
      printAsJson(context, format, printed);
      return;
    case "github":
    case "azure":
      printAnnotations(context, format, printed);
      return;
    default:
      writeDocument(context.stdout, renderReport(format, contentOf(printed), rootOf(context, printed)));
  }
}

function rootOf({ env, cwd }: CliContext, { specFolder }: PrintedDiff): string {
  return workspaceRoot(env, { folder: specFolder, cwd });
}

/** The changes, and the findings that the head adds. */
function contentOf({ sides, findings }: PrintedDiff): ReportContent {
  const { new: added, severityChanged } = sides.changes.findings;
  const wanted = new Set([...added, ...severityChanged.map(({ after }) => after)].map(comparedIdentity));
  return {
    findings: findings?.filter((finding) => wanted.has(comparedIdentity(finding))),
    comparisons: [reportVerdicts(sides.comparison)],
  };
}

/** Prints annotations, and lines for the log: with the changes that the CI system would not show, and the parts that were not compared. */
function printAnnotations(context: CliContext, format: AnnotationFormat, printed: PrintedDiff): void {
  const { findings = [], comparisons } = contentOf(printed);
  const all = [...openChanges(comparisons), ...findings];
  const { lines, rest } = annotations(all, rootOf(context, printed), format);
  for (const line of lines) writeWorkflowCommand(context.stdout, line);
  for (const { headline, notCompared } of comparisons)
    for (const line of [headline, ...notCompared]) writeLine(context.stdout, line);
  for (const { code, message } of rest) writeLine(context.stdout, `${message} [${code}]`);
}

function printAsJson(context: CliContext, format: "json" | "jsonl", printed: PrintedDiff): void {
  const { sides, failed, exitCode } = printed;
  const { changes, comparison } = sides;
  const { verdicts, operations, idleIgnores, notCompared } = comparison;
  const result = {
    exitCode,
    breaking: ofLevel(comparison, "breaking").map(sentenceOf),
    maybe: ofLevel(comparison, "maybe").map(sentenceOf),
    compared: operations,
    notCompared,
    idleIgnores,
    brokenGates: failed,
  };
  if (format === "json") {
    writeJson(context.stdout, { ...result, verdicts, ...changes });
    return;
  }
  for (const record of changeRecords(changes)) writeJson(context.stdout, record);
  for (const verdict of verdicts) writeJson(context.stdout, { type: "verdict", ...verdict });
  printObject(context, format, result);
}

function textLines({ sides, findings, placeOf }: PrintedDiff): string[] {
  const described = describeChanges(sides.changes, placeOf);
  return [
    ...changeLines(described, { findings: findings !== undefined, breaking: false }),
    ...verdictLines(sides.comparison),
  ];
}
