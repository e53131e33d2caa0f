import nodePath from "node:path";
import { hideKey } from "../../config.ts";
import type { CliContext } from "../../context.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import type { Reporter } from "../../lib/reporter.ts";
import type { LocatedFinding } from "../../lint/located-finding.ts";
import { decodeText } from "../../openapi/decode-text.ts";
import { readSpecFile } from "../../openapi/read-source.ts";
import { readSpec, type SpecReading } from "../../openapi/read-spec.ts";
import type { ScanSettings } from "./settings.ts";

export interface Description extends SpecReading {
  /** The most severe first; none unless linting was asked for. */
  findings: LocatedFinding[];
}

/** Reads a description, and lints it if requested. */
export async function readDescription(
  context: CliContext,
  reporter: Reporter,
  settings: Pick<ScanSettings, "spec" | "allowOutside" | "lint" | "apiKey"> &
    Partial<Pick<ScanSettings, "selection">>,
): Promise<Description> {
  const reading = await readSpec({
    path: settings.spec,
    openStdin: context.openStdin,
    cwd: context.cwd,
    allowOutside: settings.allowOutside,
    selection: settings.selection,
  });
  const findings = await lint(context, reporter, { reading, settings });
  return {
    ...reading,
    findings: findings.filter(({ path, method }) => path === null || reading.isSelected(path, method)),
  };
}

async function lint(
  context: CliContext,
  reporter: Reporter,
  { reading, settings }: { reading: SpecReading; settings: Parameters<typeof readDescription>[2] },
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
      const name = nodePath.relative(process.cwd(), file);
      const isRuleset = file === settings.lint?.rulesFile;
      return decodeText(await readSpecFile(file, isRuleset ? `the ruleset ${name}` : name), name);
    },
  });
  if (settings.spec !== STDIN_NAME) return findings;
  return findings.map((finding) =>
    finding.file === reading.source.file ? { ...finding, file: undefined } : finding,
  );
}
