import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { CliContext } from "../../framework/context.ts";
import { GZIP_ABOVE_BYTES } from "../../http/sizes.ts";
import { EXIT_CODES, type ExitCode } from "../../lib/cli-error.ts";
import { writeLine } from "../../lib/output.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { placeFinder } from "../../report/place-finder.ts";
import { evaluateGates, type GateResult } from "./gates.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import { oneOfMany, printGates, printObject, resultStream } from "./print-result.ts";
import type { ScanSettings } from "./settings.ts";

/** Prints what would be sent, compares it with the limits, and evaluates the gates that need no server. */
export async function dryRun(
  context: CliContext,
  reporter: Reporter,
  scan: PreparedScan,
  settings: ScanSettings,
): Promise<ExitCode> {
  const { failed, notes } = evaluateHere(context, scan, settings);
  for (const note of notes) reporter.note(note);
  const exitCode = failed.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
  const body = Buffer.from(JSON.stringify(scan.payload));
  const size = { bytes: body.length, bytesMax: SCAN_LIMITS.bodyBytesMax };
  if (settings.format !== "text") {
    const limits = { endpointsMax: SCAN_LIMITS.endpointsMax, findingsMax: SCAN_LIMITS.findingsMax };
    const { payload, shortened, omissions } = scan;
    const told = { shortened, notes: omissions, brokenGates: failed };
    printObject(context, settings.format, {
      ...oneOfMany(settings),
      exitCode,
      dryRun: true,
      ...size,
      ...limits,
      ...told,
      ...(settings.format === "json" && { payload }),
    });
  } else if (!settings.quiet) {
    const percent = ((100 * size.bytes) / size.bytesMax).toFixed(1);
    const { service, spec, endpoints, findings } = scan.payload;
    for (const line of [
      "Dry run: nothing was sent.",
      `Service: ${service.name}`,
      `Spec: ${spec.title ?? "untitled"} ${spec.version ?? ""} (SHA-256 ${spec.hash})`,
      `Endpoints: ${endpoints.length} of at most ${SCAN_LIMITS.endpointsMax}`,
      `Findings: ${findings.length} of at most ${SCAN_LIMITS.findingsMax}`,
      `Body: ${size.bytes} bytes, ${percent} % of ${size.bytesMax}; ${await describeSending(body)}`,
    ]) {
      writeLine(resultStream(context, settings), line);
    }
  }
  printGates(context, failed, "");
  return exitCode;
}

/** Evaluates the gates that need no server, and notes those that do. */
function evaluateHere({ cwd }: CliContext, scan: PreparedScan, { gates }: ScanSettings): GateResult {
  if (gates === undefined) return { failed: [], notes: [] };
  const placeOf = placeFinder(scan.findings, cwd);
  return evaluateGates(gates, { ...scan, changes: undefined, isDryRun: true, placeOf });
}

async function describeSending(body: Buffer): Promise<string> {
  if (body.length <= GZIP_ABOVE_BYTES) return "sent uncompressed";
  const { gzipSync } = await import("node:zlib");
  return `sent compressed as ${gzipSync(body).length} bytes`;
}
