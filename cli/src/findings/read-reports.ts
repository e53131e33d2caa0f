import { plural } from "../lib/text.ts";
import { usageError } from "../lib/cli-error.ts";
import { STDIN_NAME } from "../lib/collect-bytes.ts";
import { readBytes, type ReadTextContext } from "../lib/read-text.ts";
import type { ForeignReport } from "./foreign-finding.ts";
import { fromSarif } from "./from-sarif.ts";
import { fromSpectral } from "./from-spectral.ts";
import { formatOf } from "./report-format.ts";
import { reportValue } from "./report-value.ts";

const BYTES_MAX = 64 * 1024 * 1024;

export interface NamedReport extends ForeignReport {
  /** The file as the user wrote it. */
  name: string;
}

/** Reads the reports of other tools. @throws {CliError} for a file that is none */
export async function readReports(
  context: ReadTextContext,
  files: readonly string[],
): Promise<NamedReport[]> {
  const reports: NamedReport[] = [];
  for (const file of files) {
    const name = file === STDIN_NAME ? "standard input" : file;
    const value = reportValue(await readBytes(context, file, { bytesMax: BYTES_MAX }), name);
    reports.push({ name, ...readReport(value, name) });
  }
  return reports;
}

function readReport(value: unknown, name: string): ForeignReport {
  const format = formatOf(value);
  if (format === "sarif") return fromSarif(value, name);
  if (format === "spectral" && Array.isArray(value)) return fromSpectral(value, name);
  throw usageError(`${name} is no report that Waymark reads: SARIF 2.1.0, or the JSON of Spectral.`, {
    details: [
      "Spectral writes them with --format sarif or --format json, and vacuum with: vacuum spectral-report openapi.yaml report.json",
    ],
  });
}

/** Says which results of a report are no findings: `report.sarif: 3 results not counted as findings: 2 suppressed, 1 passed.` */
export function describeIgnored({ name, ignored }: NamedReport): string | undefined {
  if (ignored.size === 0) return undefined;
  const count = [...ignored.values()].reduce((sum, each) => sum + each, 0);
  const reasons = [...ignored].map(([reason, each]) => `${each} ${reason}`);
  return `${name}: ${plural(count, "result")} not counted as findings: ${reasons.join(", ")}.`;
}
