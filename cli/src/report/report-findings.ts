import type { CliContext } from "../framework/context.ts";
import { usageError } from "../lib/cli-error.ts";
import { isOpen } from "../lib/decision.ts";
import { annotationFormat, annotations } from "./annotations.ts";
import type { ReportFile } from "./report-files.ts";
import { openChanges, type ReportContent } from "./reported.ts";
import { STDIN_NAME } from "../lib/collect-bytes.ts";
import { describeFileError } from "../lib/describe-file-error.ts";
import { writeDocument, writeWorkflowCommand } from "../lib/output.ts";
import { workspaceRoot } from "../lib/workspace-root.ts";

/** Writes findings and changes to the requested reports and, on GitHub and Azure, as annotations. */
export async function reportFindings(
  { env, cwd, stdout, stderr }: CliContext,
  { content, specFolder }: { content: ReportContent; specFolder: string },
  { reports }: { reports: readonly ReportFile[] },
): Promise<void> {
  const annotated = annotationFormat(env);
  if (reports.length === 0 && annotated === undefined) return;
  const root = workspaceRoot(env, { folder: specFolder, cwd });
  for (const { format, file } of reports) {
    const { renderReport } = await import("./report-formats.ts");
    const text = renderReport(format, content, root);
    if (file === STDIN_NAME) writeDocument(stdout, text);
    else await writeReport(file, text);
  }
  if (annotated !== undefined) {
    const all = [...openChanges(content.comparisons), ...(content.findings ?? []).filter(isOpen)];
    for (const line of annotations(all, root, annotated).lines) writeWorkflowCommand(stderr, line);
  }
}

async function writeReport(file: string, text: string): Promise<void> {
  const { writeFile } = await import("node:fs/promises");
  await writeFile(file, text).catch((error: unknown) => {
    throw usageError(`Can't write the report ${file}: ${describeFileError(error)}.`, {
      cause: error,
    });
  });
}
