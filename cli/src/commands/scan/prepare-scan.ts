import path from "node:path";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { hideKey } from "../../config.ts";
import type { CliContext } from "../../context.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { plural } from "../../lib/text.ts";
import type { LocatedFinding } from "../../lint/located-finding.ts";
import { checkLimits } from "../../openapi/check-limits.ts";
import { decodeText } from "../../openapi/decode-text.ts";
import { readSpecFile } from "../../openapi/read-source.ts";
import { readSpec, type SpecReading } from "../../openapi/read-spec.ts";
import type { ScanSettings } from "./settings.ts";

export interface PreparedScan {
  payload: ScanIngestionPayload;
  /** All findings, including those beyond the limit of a scan. */
  findings: LocatedFinding[];
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
  for (const note of reading.notes) reporter.note(note);
  const findings = await lint(context, reporter, { reading, settings });
  const leftOut = findings.length - SCAN_LIMITS.findingsMax;
  if (leftOut > 0) {
    reporter.note(
      `${plural(leftOut, "finding")} left out: a scan holds ${SCAN_LIMITS.findingsMax}, the most severe are sent.`,
    );
  }
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
  return { payload, findings };
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
  return lintSpec(reading.source, {
    rulesFile: settings.lint.rulesFile,
    allowPlugins: settings.lint.allowPlugins,
    beforePlugins: () => hideKey(context.env, settings.apiKey),
    allowOutside: settings.allowOutside,
    readText: async (file) => {
      const name = path.relative(process.cwd(), file);
      const isRuleset = file === settings.lint?.rulesFile;
      return decodeText(await readSpecFile(file, isRuleset ? `the ruleset ${name}` : name), name);
    },
  });
}
