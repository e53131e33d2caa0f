import type { Writable } from "node:stream";
import type { AcceptedScan } from "../../api/scans-api.ts";
import type { CliContext } from "../../framework/context.ts";
import { type CliError, EXIT_CODES, type ExitCode } from "../../lib/cli-error.ts";
import { isOpen } from "../../lib/decision.ts";
import { writeJson, writeLine, writeResult } from "../../lib/output.ts";
import { printable } from "../../lib/text.ts";
import type { OutputFormat } from "../../framework/output-format.ts";
import { takesStdout } from "../../report/report-files.ts";
import type { FailedGate } from "./gates.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import type { ScanSettings } from "./settings.ts";

/** The causes of a gate that are shown; --json has them all. */
const CAUSES_MAX = 20;

/** The stored run of a scan, as `--json` prints it even if a later step of the command fails. */
export interface StoredRun {
  scanRunId: string;
  resultUrl: string;
  endpointCount: number;
  findingCount: number;
}

export function storedRun(accepted: AcceptedScan, baseUrl: string): StoredRun {
  const { scanRunId, endpointCount, findingCount } = accepted;
  return { scanRunId, resultUrl: `${baseUrl}/scan-runs/${scanRunId}`, endpointCount, findingCount };
}

/** Standard output, or standard error if a report goes to standard output. */
export function resultStream(
  { stdout, stderr }: CliContext,
  { reports }: Pick<ScanSettings, "reports">,
): Writable {
  return takesStdout(reports) ? stderr : stdout;
}

/** Prints the three lines of a stored run. */
export function printRun(context: CliContext, run: StoredRun, settings: ScanSettings): void {
  if (settings.quiet || settings.format !== "text") return;
  const stream = resultStream(context, settings);
  for (const line of [
    `Scan ingested: ${run.scanRunId}`,
    `Result URL: ${run.resultUrl}`,
    `Endpoints: ${run.endpointCount}; findings: ${run.findingCount}`,
  ]) {
    writeResult(stream, line, context.stderr);
  }
}

/** Returns the members that distinguish one of many JSON objects from the others; none for a single scan. */
export function oneOfMany({ service, serviceFrom, spec }: ScanSettings): { service?: string; spec?: string } {
  return serviceFrom === undefined ? {} : { service, spec };
}

/** Prints a JSON object. Among JSON lines it is the last one, the only one of its type. */
export function printObject({ stdout }: CliContext, format: OutputFormat, object: object): void {
  writeJson(stdout, { ...(format === "jsonl" && { type: "result" }), ...object });
}

/** Prints the JSON object of a stored run. */
export async function printJson(
  context: CliContext,
  { run, scan, broken, settings }: PrintedRun & { run: StoredRun; scan: PreparedScan },
): Promise<void> {
  const { check } = scan;
  const compared =
    check === undefined ? {} : (await import("../contract/describe-check.ts")).checkFields(check);
  printObject(context, settings.format, {
    ...oneOfMany(settings),
    exitCode: broken.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok,
    ...run,
    findingsLeftOut: scan.findings.length - scan.payload.findings.length,
    findingsDecided: scan.findings.filter((finding) => !isOpen(finding)).length,
    shortened: scan.shortened,
    notes: scan.omissions,
    brokenGates: broken,
    ...compared,
    // Among JSON lines, they have lines of their own.
    ...(settings.format === "jsonl" && "verdicts" in compared && { verdicts: undefined }),
  });
}

interface PrintedRun {
  broken: readonly FailedGate[];
  settings: ScanSettings;
}

/** Prints the causes of each failed gate on standard error. */
export function printGates(
  { stderr }: CliContext,
  broken: readonly FailedGate[],
  consequence = ", the run did not become current",
): void {
  for (const { gate, causes, placeOf } of broken) {
    writeLine(stderr, `Gate ${gate} failed${consequence}:`);
    causes.slice(0, CAUSES_MAX).forEach((cause, index) => {
      writeLine(stderr, `  ${cause}${printable(placeOf?.(index) ?? "", 300)}`);
    });
    const more = causes.length - CAUSES_MAX;
    if (more > 0) writeLine(stderr, `  … and ${more} more: --json has all`);
  }
}

/** Prints the JSON object of a failed scan. Standard error has the same message. */
export function printFailure(
  context: CliContext,
  error: CliError,
  format: OutputFormat,
  exitCode: ExitCode = error.exitCode,
): void {
  const { message, details, fields } = error;
  printObject(context, format, { exitCode, ...fields, error: { message, details } });
}
