import type { ApiConnection } from "../../api/api-client.ts";
import { getChanges } from "../../api/scans-api.ts";
import { CliError } from "../../lib/cli-error.ts";
import { describeFileError } from "../../lib/describe-file-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { type Changes, describeChanges } from "../../report/describe-changes.ts";
import { appendSummary, type ScanSummary, scanSummary } from "../../report/job-summary.ts";
import type { ContractCheck } from "../contract/contract-check.ts";
import { followRun } from "./follow-run.ts";
import { countDecided, isOpen } from "../../lib/decision.ts";
import { describeBreaks, type ScanBreaks } from "./gates.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import type { StoredRun } from "./print-result.ts";
import type { ScanSettings } from "./settings.ts";

/** The longest wait of a job without `--wait` for the comparison of its summary. */
const WAIT_SECONDS = 60;

/**
 * Adds the run to the summaries that are written; for a run that does not become current, with a comparison. The scan
 * is already stored, so a failure here is reported and changes nothing else.
 */
export async function summarize(
  reporter: Reporter,
  { connection, run, changes, breaks, mayCompare, scan, settings, onSummary }: Summarized,
): Promise<void> {
  if (settings.summaryFiles.length === 0) return;
  const { check } = scan;
  const compared = changes ?? (mayCompare ? await compare(reporter, { connection, run }) : undefined);
  const summary = scanSummary({
    decided: scan.findings.every(isOpen) ? undefined : countDecided(scan.findings),
    contract: check === undefined ? undefined : await describeContract(check, run),
    serviceName: settings.service,
    ...run,
    changes: compared === undefined ? undefined : describeChanges(compared),
    brokenJourneys: breaks === undefined ? [] : describeBreaks(breaks),
  });
  if (onSummary === undefined) await writeSummary(reporter, settings.summaryFiles, summary);
  else onSummary(summary);
}

/** Adds Markdown to the files of summaries. A failure is reported, and changes nothing else. */
export async function writeSummary(
  reporter: Reporter,
  files: readonly string[],
  markdown: string,
): Promise<void> {
  for (const file of files) {
    try {
      await appendSummary(file, markdown);
    } catch (error) {
      reporter.omission(`the summary can't be written: ${describeFileError(error)}.`);
    }
  }
}

interface Summarized {
  connection: ApiConnection;
  run: StoredRun;
  /** The comparison with the current run, if a gate needed it. */
  changes: Changes | undefined;
  /** The journeys that the scan breaks, if a gate asked for them. */
  breaks: ScanBreaks | undefined;
  /** True if the server may be asked for a comparison that is not given. */
  mayCompare: boolean;
  scan: PreparedScan;
  settings: ScanSettings;
  /** Takes the summary of one of many scans, instead of the files. */
  onSummary: ((markdown: string) => void) | undefined;
}

async function describeContract(check: ContractCheck, run: StoredRun): Promise<ScanSummary["contract"]> {
  const { checkMarkdown } = await import("../contract/describe-check.ts");
  return { markdown: checkMarkdown(check, run), isCompared: check.status === "compared" };
}

async function compare(
  reporter: Reporter,
  { connection, run }: Pick<Summarized, "connection" | "run">,
): Promise<Changes | undefined> {
  try {
    await followRun(connection, reporter, { scanRunId: run.scanRunId, timeoutSeconds: WAIT_SECONDS });
    const changes = await getChanges(connection, run.scanRunId);
    return changes.against === null ? undefined : changes;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    reporter.omission(`the summary has no comparison: ${error.message}`);
    return undefined;
  }
}
