import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import type { AcceptedScan } from "../../api-client.ts";
import type { CliContext } from "../../context.ts";
import { type CliError, EXIT_CODES, type ExitCode } from "../../lib/cli-error.ts";
import { writeJobSummary } from "../../report/github.ts";
import { GZIP_ABOVE_BYTES } from "../../http/sizes.ts";
import type { FailedGate } from "./gates.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import type { ScanSettings } from "./settings.ts";
import { writeJson, writeLine } from "../../lib/output.ts";

export interface ScanOutcome {
  accepted: AcceptedScan;
  baseUrl: string;
  scan: PreparedScan;
  broken?: FailedGate[];
}

/** Prints an accepted scan: three lines, or one JSON object. */
export async function printResult(
  { stdout, env }: CliContext,
  { accepted, baseUrl, scan, broken = [] }: ScanOutcome,
  settings: ScanSettings,
): Promise<void> {
  const { scanRunId, endpointCount, findingCount } = accepted;
  const resultUrl = `${baseUrl}/scan-runs/${scanRunId}`;
  const { name } = scan.payload.service;
  await writeJobSummary(env, { serviceName: name, resultUrl, endpointCount, findingCount });
  if (settings.json) {
    const findingsLeftOut = scan.findings.length - scan.payload.findings.length;
    const exitCode = broken.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
    writeJson(stdout, {
      exitCode,
      scanRunId,
      resultUrl,
      endpointCount,
      findingCount,
      findingsLeftOut,
      brokenGates: broken,
    });
  } else if (!settings.quiet) {
    writeLine(stdout, `Scan ingested: ${scanRunId}`);
    writeLine(stdout, `Result URL: ${resultUrl}`);
    writeLine(stdout, `Endpoints: ${endpointCount}; findings: ${findingCount}`);
  }
}

/** Prints the causes of each failed gate on standard error. */
export function printGates({ stderr }: CliContext, broken: readonly FailedGate[]): void {
  for (const { gate, causes } of broken) {
    writeLine(stderr, `Gate ${gate} does not hold, the run did not become current:`);
    for (const cause of causes) writeLine(stderr, `  ${cause}`);
  }
}

/** Prints the JSON object of a failed scan. Standard error has the same message. */
export function printFailure(
  { stdout }: CliContext,
  error: CliError,
  exitCode: ExitCode = error.exitCode,
): void {
  writeJson(stdout, { exitCode, error: { message: error.message, details: error.details } });
}

/** Prints what would be sent, and compares it with the limits. */
export async function printDryRun(
  { stdout }: CliContext,
  payload: ScanIngestionPayload,
  settings: ScanSettings,
): Promise<ExitCode> {
  const body = Buffer.from(JSON.stringify(payload));
  const size = { bytes: body.length, bytesMax: SCAN_LIMITS.bodyBytesMax };
  if (settings.json) {
    const limits = { endpointsMax: SCAN_LIMITS.endpointsMax, findingsMax: SCAN_LIMITS.findingsMax };
    writeJson(stdout, { exitCode: EXIT_CODES.ok, dryRun: true, ...size, ...limits, payload });
  } else if (!settings.quiet) {
    const percent = ((100 * size.bytes) / size.bytesMax).toFixed(1);
    const { service, spec, endpoints, findings } = payload;
    for (const line of [
      "Dry run: nothing was sent.",
      `Service: ${service.name}`,
      `Spec: ${spec.title ?? "untitled"} ${spec.version ?? ""} (SHA-256 ${spec.hash})`,
      `Endpoints: ${endpoints.length} of at most ${SCAN_LIMITS.endpointsMax}`,
      `Findings: ${findings.length} of at most ${SCAN_LIMITS.findingsMax}`,
      `Body: ${size.bytes} bytes, ${percent} % of ${size.bytesMax}; ${await describeSending(body)}`,
    ]) {
      writeLine(stdout, line);
    }
  }
  return EXIT_CODES.ok;
}

async function describeSending(body: Buffer): Promise<string> {
  if (body.length <= GZIP_ABOVE_BYTES) return "sent uncompressed";
  const { gzipSync } = await import("node:zlib");
  return `sent compressed as ${gzipSync(body).length} bytes`;
}
