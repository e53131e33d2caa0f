import { isJsonReport } from "@waymark/journeys/report/formats.ts";
import type { NotRun } from "@waymark/journeys/report/not-run.ts";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import type { Report } from "./settings.ts";
import { writeDocument } from "../../../lib/output.ts";
import { escapeJson } from "@waymark/shared/lib/printable.ts";

/** Writes every requested report. @throws {CliError} if a file can't be written */
export async function writeReports(
  { cwd, stdout }: Pick<CliContext, "cwd" | "stdout">,
  reports: readonly Report[],
  results: readonly JourneyResult[],
  notRun: readonly NotRun[] = [],
): Promise<void> {
  if (reports.length === 0) return;
  const { renderReport } = await import("@waymark/journeys/report/report.ts");
  for (const { format, file } of reports) {
    const rendered = renderReport(format, results, notRun);
    const text = isJsonReport(format) ? escapeJson(rendered) : rendered;
    if (file === "-") {
      writeDocument(stdout, text);
      continue;
    }
    const target = path.resolve(cwd, file);
    try {
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      throw usageError(`Can't write the report ${file}: ${reason}.`, { cause: error });
    }
  }
}
