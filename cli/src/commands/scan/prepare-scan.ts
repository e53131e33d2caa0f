import path from "node:path";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { hideKey } from "../../config.ts";
import type { CliContext } from "../../context.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { plural } from "../../lib/text.ts";
import type { LocatedFinding } from "../../lint/located-finding.ts";
import { checkLimits } from "../../openapi/check-limits.ts";
import { decodeText } from "../../openapi/decode-text.ts";
import { readSpecFile } from "../../openapi/read-source.ts";
import { readSpec, type SpecReading } from "../../openapi/read-spec.ts";
import type { Shortened } from "../../openapi/to-endpoint.ts";
import type { ScanSettings } from "./settings.ts";

export interface PreparedScan {
  payload: ScanIngestionPayload;
  /** All findings, including those beyond the limit of a scan. */
  findings: LocatedFinding[];
  /** What the scan doesn't have of the description and its findings, one sentence each. */
  omissions: string[];
  /** The folder of the description; for standard input, the working directory. */
  specFolder: string;
  shortened: Shortened;
}

/** Reads the spec, lints it if requested, and builds a valid scan. */
export async function prepareScan(
  context: CliContext,
  reporter: Reporter,
  settings: ScanSettings,
): Promise<PreparedScan> {
  const { service, spec, allowOutside } = settings;
  const reading = await readSpec({
    path: spec,
    stdin: context.stdin,
    cwd: context.cwd,
    allowOutside,
  });
  const omissions = [...reading.notes];
  const findings = await lint(context, reporter, { reading, settings });
  const leftOut = findings.length - SCAN_LIMITS.findingsMax;
  if (leftOut > 0) {
    omissions.push(
      `${plural(leftOut, "finding")} left out: a scan holds ${SCAN_LIMITS.findingsMax}, the most severe are sent.`,
    );
  }
  for (const omission of omissions) reporter.omission(omission);
  const payload: ScanIngestionPayload = {
    service: { name: service },
    spec: reading.spec,
    endpoints: reading.endpoints,
    findings: findings
      .slice(0, SCAN_LIMITS.findingsMax)
      .map(({ code, severity, message, method, path: template }) => ({
        code,
        severity,
        message,
        method,
        path: template,
      })),
  };
  await checkLimits(payload);
  const specFolder = path.dirname(reading.source.file);
  return { payload, findings, omissions, shortened: reading.shortened, specFolder };
}

async function lint(
  context: CliContext,
  reporter: Reporter,
  { reading, settings }: { reading: SpecReading; settings: ScanSettings },
): Promise<LocatedFinding[]> {
  if (settings.lint === undefined) return [];
  reporter.progress("Linting…");
  // The rule engine takes 0.2 s to load.
  const { lintSpec } = await import("../../lint/lint-spec.ts");
  const findings = await lintSpec(reading.source, {
    rulesFile: settings.lint.rulesFile,
    severities: settings.lint.severities,
    allowPlugins: settings.lint.allowPlugins,
    beforePlugins: () => hideKey(context.env, settings.apiKey),
    allowOutside: settings.allowOutside,
    readText: async (file) => {
      const name = path.relative(process.cwd(), file);
      const isRuleset = file === settings.lint?.rulesFile;
      return decodeText(await readSpecFile(file, isRuleset ? `the ruleset ${name}` : name), name);
    },
  });
  if (settings.spec !== STDIN_NAME) return findings;
  return findings.map((finding) =>
    finding.file === reading.source.file ? { ...finding, file: undefined } : finding,
  );
}
