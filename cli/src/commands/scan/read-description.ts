import { hideKey } from "../../lib/config.ts";
import type { CliContext } from "../../framework/context.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { writeText } from "../../lib/output.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { plural } from "../../lib/text.ts";
import type { Linted } from "../../lint/lint-spec.ts";
import type { LocatedFinding } from "../../openapi/located-finding.ts";
import { readSpec, type ReadSpecOptions, type SpecReading } from "../../openapi/read-spec.ts";
import type { ScanSettings } from "./settings.ts";

export interface Description extends SpecReading {
  /** The findings, the most severe first; none unless linting is requested. */
  findings: LocatedFinding[];
  /** Failures of linting, because of which findings are missing, one sentence each. */
  lintFailures: string[];
}

/** Reads a description, and lints it if requested. */
export async function readDescription(
  context: CliContext,
  reporter: Reporter,
  settings: Pick<ScanSettings, "spec" | "stdinName" | "allowOutside" | "lint" | "apiKey"> &
    Partial<Pick<ScanSettings, "selection">> &
    Pick<ReadSpecOptions, "files" | "bytesMax">,
): Promise<Description> {
  const reading = await readSpec({
    path: settings.spec,
    stdinName: settings.stdinName,
    openStdin: context.openStdin,
    cwd: context.cwd,
    allowOutside: settings.allowOutside,
    selection: settings.selection,
    files: settings.files,
    bytesMax: settings.bytesMax,
  });
  const { findings, failures, ignored } = await lint(context, reporter, { reading, settings });
  if (ignored > 0) {
    const are = `${plural(ignored, "finding")} of the linter ${ignored === 1 ? "is" : "are"}`;
    reporter.note(`${are} ignored by .redocly.lint-ignore.yaml.`);
  }
  return {
    ...reading,
    notes: [...reading.notes, ...failures],
    lintFailures: failures,
    findings: findings.filter(({ path, method }) => path === null || reading.isSelected(path, method)),
  };
}

async function lint(
  context: CliContext,
  reporter: Reporter,
  { reading, settings }: { reading: SpecReading; settings: Parameters<typeof readDescription>[2] },
): Promise<Linted> {
  if (settings.lint === undefined) return { findings: [], failures: [], ignored: 0 };
  reporter.progress("Linting…");
  // The rule engine takes 0.2 s to load.
  const { lintSpec } = await import("../../lint/lint-spec.ts");
  const linted = await lintSpec(reading.source, {
    ...settings.lint,
    allowOutside: settings.allowOutside,
    cwd: context.cwd,
    beforePlugins: () =>
      hideKey(context.env, typeof settings.apiKey === "string" ? settings.apiKey : undefined),
    print: (text) => {
      writeText(context.stderr, text);
    },
  });
  if (settings.spec !== STDIN_NAME || settings.stdinName !== undefined) return linted;
  const unnamed = linted.findings.map((finding) =>
    finding.file === reading.source.file ? { ...finding, file: undefined } : finding,
  );
  return { ...linted, findings: unnamed };
}
