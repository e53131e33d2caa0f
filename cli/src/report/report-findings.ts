import type { CliContext } from "../context.ts";
import { usageError } from "../lib/cli-error.ts";
import { VERSION } from "../version.ts";
import { annotations, isGitHubActions } from "./github.ts";
import type { Reported } from "./reported.ts";
import { STDIN_NAME } from "../lib/collect-bytes.ts";
import { describeFileError } from "../lib/describe-file-error.ts";
import { writeDocument, writeWorkflowCommand } from "../lib/output.ts";
import { workspaceRoot } from "../lib/workspace-root.ts";
import { printableJson } from "@waymark/shared/lib/printable.ts";

/** Shows findings where a team looks for them: in a SARIF file, and beside the code on GitHub. */
export async function reportFindings(
  { env, cwd, stdout, stderr }: CliContext,
  { findings, specFolder }: { findings: readonly Reported[]; specFolder: string },
  { sarifFile }: { sarifFile: string | undefined },
): Promise<void> {
  const isOnGitHub = isGitHubActions(env);
  if (sarifFile === undefined && !isOnGitHub) return;
  const root = workspaceRoot(env, { folder: specFolder, cwd });
  if (sarifFile !== undefined) {
    const { toSarif } = await import("./sarif.ts");
    const log = `${printableJson(toSarif(findings, { root, version: VERSION }), 2)}\n`;
    if (sarifFile === STDIN_NAME) writeDocument(stdout, log);
    else await writeReport(sarifFile, log);
  }
  if (isOnGitHub) {
    for (const line of annotations(findings, root)) writeWorkflowCommand(stderr, line);
  }
}

async function writeReport(file: string, text: string): Promise<void> {
  const { writeFile } = await import("node:fs/promises");
  await writeFile(file, text).catch((error: unknown) => {
    throw usageError(`Can't write the SARIF report to ${file}: ${describeFileError(error)}.`, {
      cause: error,
    });
  });
}
