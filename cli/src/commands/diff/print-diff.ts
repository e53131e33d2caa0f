import type { CliContext } from "../../framework/context.ts";
import type { ExitCode } from "../../lib/cli-error.ts";
import { writeJson, writeLine, writeText } from "../../lib/output.ts";
import { changeLines } from "../../report/change-lines.ts";
import { describeChanges } from "../../report/describe-changes.ts";
import { changeRecords } from "../../report/json-lines.ts";
import type { placeFinder } from "../../report/place-finder.ts";
import type { FailedGate } from "../scan/gates.ts";
import { printObject } from "../scan/print-result.ts";
import { ofLevel, type SideChanges } from "./compare-sides.ts";
import { sentenceOf } from "./diff-gates.ts";
import { verdictLines } from "./verdict-lines.ts";
import { verdictMarkdown } from "./verdict-markdown.ts";

export type DiffFormat = "text" | "markdown" | "json" | "jsonl";

export interface PrintedDiff {
  sides: SideChanges;
  failed: readonly FailedGate[];
  exitCode: ExitCode;
  /** True if findings were compared. */
  linted: boolean;
  placeOf: ReturnType<typeof placeFinder>;
}

/** Prints the changes in a format. */
export function printDiff(context: CliContext, format: DiffFormat, printed: PrintedDiff): void {
  const { sides, failed, exitCode } = printed;
  const { changes, comparison } = sides;
  if (format === "text") {
    for (const line of textLines(printed)) writeLine(context.stdout, line);
    return;
  }
  if (format === "markdown") {
    writeText(context.stdout, verdictMarkdown(comparison));
    return;
  }
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

function textLines({ sides, linted, placeOf }: PrintedDiff): string[] {
  const described = describeChanges(sides.changes, placeOf);
  return [
    ...changeLines(described, { findings: linted, breaking: false }),
    ...verdictLines(sides.comparison),
  ];
}
