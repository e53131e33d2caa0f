import type { CliContext } from "../../framework/context.ts";
import { keyComesFromStdin } from "../../framework/api-key.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import type { ForeignFindings } from "../../findings/foreign-findings.ts";
import { usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { given } from "../../lib/config.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { workspaceRoot } from "../../lib/workspace-root.ts";
import { resolveSeverities, type RuleSettings } from "../../lint/severities.ts";
import type { ScanFlags, ScanSettings } from "./settings.ts";

/** The reports of other tools that a scan has findings of. */
export interface ForeignSettings extends RuleSettings {
  /** Paths as the user wrote them. */
  files: readonly string[];
}

/** Returns the reports that `--findings` names; undefined without any. @throws {CliError} */
export function settleForeign(flags: ScanFlags, file: ProjectFile): ForeignSettings | undefined {
  const files = flags.findings.flatMap((each) => given(each) ?? []);
  if (files.length < flags.findings.length) throw usageError("--findings takes the file of a report.");
  if (files.length === 0) return undefined;
  const onStdin = files.filter((each) => each === STDIN_NAME).length;
  if (onStdin > 1 || (onStdin === 1 && (flags.spec === STDIN_NAME || keyComesFromStdin(flags))))
    throw usageError("Standard input can provide one of the spec, the API key and a report of --findings.");
  return { files, ...resolveSeverities(flags.severity, file.severities) };
}

/** Reads the reports of `--findings`, and notes which of their results are no findings. */
export async function openForeign(
  context: CliContext,
  reporter: Reporter,
  { foreign, serviceFrom }: ScanSettings,
): Promise<ForeignFindings | undefined> {
  if (foreign === undefined) return undefined;
  const { describeIgnored, readReports } = await import("../../findings/read-reports.ts");
  const { foreignFindings } = await import("../../findings/foreign-findings.ts");
  const { cwd, env } = context;
  const reports = await readReports(context, foreign.files);
  for (const report of reports) {
    const ignored = describeIgnored(report);
    if (ignored !== undefined) reporter.note(ignored);
  }
  const root = workspaceRoot(env, { folder: cwd, cwd });
  const { severities } = foreign;
  return foreignFindings({ reports, severities, root, cwd, isOnly: serviceFrom === undefined });
}

/** Says which findings of the reports no description took. @throws {CliError} if a report is about other files only */
export function noteLeftOver(reporter: Reporter, foreign: ForeignFindings | undefined): void {
  const left = foreign?.leftOver();
  if (left !== undefined) reporter.omission(left);
}
