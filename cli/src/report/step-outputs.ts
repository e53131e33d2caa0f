import { type Environment, given } from "../lib/config.ts";
import { printable } from "../lib/text.ts";
import { printableJson } from "@waymark/shared/lib/printable.ts";
import { isGitHubActions } from "./github.ts";

/** A scan that is stored, as the output `scans` of a step has it. */
export interface StoredScan {
  service: string;
  spec: string;
  scanRunId: string;
  resultUrl: string;
  endpointCount: number;
  findingCount: number;
}

/**
 * Sets the outputs of a GitHub Actions step, which later steps of the job can read; does nothing elsewhere. The outputs of one scan
 * are set too if there can be only one. Called again, it replaces the outputs.
 * @throws the file system's error
 */
export async function writeStepOutputs(
  environment: Environment,
  scans: readonly StoredScan[],
  { onlyOne }: { onlyOne: boolean },
): Promise<void> {
  const file = isGitHubActions(environment) ? given(environment["GITHUB_OUTPUT"]) : undefined;
  if (file === undefined) return;
  const outputs = { scans: printableJson(scans), ...(onlyOne && outputsOf(scans[0])) };
  // A line break in a value would set further outputs.
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  const { appendFile } = await import("node:fs/promises");
  await appendFile(file, lines.join(""));
}

function outputsOf(scan: StoredScan | undefined): Record<string, string> {
  if (scan === undefined) return {};
  return {
    "scan-run-id": printable(scan.scanRunId),
    "result-url": printable(scan.resultUrl),
    "endpoint-count": String(scan.endpointCount),
    "finding-count": String(scan.findingCount),
  };
}
