import type { CliContext } from "../context.ts";
import { usageError } from "../lib/cli-error.ts";
import { VERSION } from "../version.ts";
import { annotations, isGitHubActions } from "./github.ts";
import type { Reported } from "./reported.ts";
import { writeWorkflowCommand } from "../lib/output.ts";
import { printableJson } from "@waymark/shared/lib/printable.ts";

/** Shows findings where a team looks for them: in a SARIF file, and beside the code on GitHub. */
export async function reportFindings(
  { env, cwd, stderr }: CliContext,
  { findings }: { findings: readonly Reported[] },
  options: { sarifFile: string | undefined },
): Promise<void> {
  if (options.sarifFile !== undefined) {
    const { toSarif } = await import("./sarif.ts");
    const log = printableJson(toSarif(findings, { cwd, version: VERSION }), 2);
    const { writeFile } = await import("node:fs/promises");
    await writeFile(options.sarifFile, `${log}\n`).catch((error: unknown) => {
      throw usageError(`Can't write the SARIF report to ${options.sarifFile}.`, { cause: error });
    });
  }
  if (isGitHubActions(env)) {
    for (const line of annotations(findings, cwd)) writeWorkflowCommand(stderr, line);
  }
}
