import { joinRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import { compareScans, type ScanContent } from "@waymark/shared/scans/changes.ts";
import { given } from "../../config.ts";
import type { CliContext } from "../../context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { writeJson, writeLine } from "../../lib/output.ts";
import { createReporter, type Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { readProjectFile } from "../../project-file.ts";
import { changeLines } from "../../report/change-lines.ts";
import { describeChanges } from "../../report/describe-changes.ts";
import { changeRecords } from "../../report/json-lines.ts";
import { placeFinder } from "../../report/place-finder.ts";
import { resolveGates } from "../scan/gate-settings.ts";
import { describeIdleGate, evaluateGates, type FailedGate } from "../scan/gates.ts";
import { type FormatFlags, settleFormat } from "../scan/output-format.ts";
import { settleLint } from "../scan/lint-settings.ts";
import { printGates, printObject } from "../scan/print-result.ts";
import { type Description, readDescription } from "../scan/read-description.ts";

/** The options of `waymark diff` as given. */
export interface DiffFlags extends FormatFlags {
  base: string;
  head: string;
  stdinName: string | undefined;
  lint: boolean | undefined;
  lintTimeout: string | undefined;
  rules: string | undefined;
  severity: readonly string[];
  allowPlugins: boolean | undefined;
  failOn: string | undefined;
  failOnRemoved: boolean | undefined;
  allowOutside: boolean | undefined;
}

/** Reads both files, compares them, prints the changes and evaluates the gates. */
export async function runDiff(context: CliContext, flags: DiffFlags): Promise<ExitCode> {
  if (flags.base === STDIN_NAME && flags.head === STDIN_NAME) {
    throw usageError("Standard input can provide one of the two files, not both.");
  }
  const format = settleFormat(flags);
  const file = await readProjectFile(context);
  // The findings of the base existed before, so only new findings count.
  const failOn = flags.failOn ?? file.gates?.failOn;
  const gates = resolveGates({ ...flags, newOnly: failOn !== undefined }, file);
  const lint = settleLint(context, flags, file, gates);
  const reporter = createReporter(context.stderr, { quiet: false });
  const idle = describeIdleGate(gates, lint?.severities ?? new Map());
  if (idle !== undefined) reporter.note(idle);
  const settings = {
    allowOutside: flags.allowOutside ?? false,
    lint,
    apiKey: undefined,
    stdinName: given(flags.stdinName),
  };
  const before = await read(context, reporter, { ...settings, spec: flags.base });
  const after = await read(context, reporter, { ...settings, spec: flags.head });

  const compared = compareScans(normalized(before), normalized(after));
  const changes = { ...compared, endpoints: joinRenamedParameters(compared.endpoints) };
  const placeOf = placeFinder(after.findings, context.cwd);
  const described = describeChanges(changes, placeOf);
  const judged = {
    findings: after.findings,
    lintFailures: after.lintFailures,
    changes: { against: flags.base, ...changes },
    comparedMax: Number.POSITIVE_INFINITY,
    placeOf,
  };
  const failed: FailedGate[] = gates === undefined ? [] : evaluateGates(gates, judged).failed;
  const exitCode = failed.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
  const result = { exitCode, breaking: described.breaking, brokenGates: failed };
  if (format === "text") {
    for (const line of changeLines(described, { findings: lint !== undefined }))
      writeLine(context.stdout, line);
  } else if (format === "json") {
    writeJson(context.stdout, { ...result, ...changes });
  } else {
    for (const record of changeRecords(changes)) writeJson(context.stdout, record);
    printObject(context, format, result);
  }
  printGates(context, failed, "");
  return exitCode;
}

async function read(
  context: CliContext,
  reporter: Reporter,
  settings: Parameters<typeof readDescription>[2],
): Promise<Description> {
  const description = await readDescription(context, reporter, settings);
  for (const note of description.notes) reporter.omission(`${printable(settings.spec, 200)}: ${note}`);
  return description;
}

/** Findings without positions, as a server has them. */
function normalized({ endpoints, findings }: Description): ScanContent {
  return {
    endpoints,
    findings: findings.map(({ code, severity, message, method, path }) => ({
      code,
      severity,
      message,
      method,
      path,
    })),
  };
}
