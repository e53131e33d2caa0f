import type { OptionsOf } from "../../framework/base-command.ts";
import type { DiffCommand } from "../diff.ts";
import type { CliContext } from "../../framework/context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { createReporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { settleStdinName } from "../../openapi/stdin-name.ts";
import { readProjectFile } from "../../framework/project-file.ts";
import { placeFinder } from "../../report/place-finder.ts";
import { type Gates, resolveGates } from "../scan/gate-settings.ts";
import { describeIdleGate, evaluateGates, type FailedGate } from "../scan/gates.ts";
import { type FormatFlags, settleFormat } from "../../framework/output-format.ts";
import { settleLint } from "../scan/lint-settings.ts";
import { printGates } from "../scan/print-result.ts";
import type { Description } from "../scan/read-description.ts";
import { compareSides, type SideChanges } from "./compare-sides.ts";
import { divideFailOn, evaluateContractGate } from "./diff-gates.ts";
import { type DiffFormat, printDiff } from "./print-diff.ts";
import { readContract } from "./read-contract.ts";

/** The options of `waymark diff` as given. */
type DiffFlags = OptionsOf<DiffCommand>;

/** Reads both files, compares them, prints the changes and evaluates the gates. */
export async function runDiff(context: CliContext, flags: DiffFlags): Promise<ExitCode> {
  if (flags.base === STDIN_NAME && flags.head === STDIN_NAME) {
    throw usageError("Standard input can provide one of the two files, not both.");
  }
  const format = settleDiffFormat(flags);
  const file = await readProjectFile(context);
  const failOn = divideFailOn(flags.failOn, file);
  // The findings of the base existed before, so only new findings count.
  const newOnly = failOn.severity !== undefined;
  const gates = resolveGates({ ...flags, failOn: failOn.severity, newOnly }, file);
  const lint = settleLint(context, flags, file, gates);
  const reporter = createReporter(context.stderr, { quiet: false });
  const idle = describeIdleGate(gates, lint?.severities ?? new Map());
  if (idle !== undefined) reporter.note(idle);
  const settings = {
    allowOutside: flags.allowOutside ?? false,
    lint,
    apiKey: undefined,
    stdinName: settleStdinName(context.cwd, flags.stdinName),
  };
  const before = await readContract(context, reporter, { ...settings, spec: flags.base });
  const after = await readContract(context, reporter, { ...settings, spec: flags.head });

  const today = new Date().toISOString().slice(0, 10);
  const sides = compareSides(before, after, { contract: file.contract, today });
  for (const { id } of sides.comparison.idleIgnores) {
    reporter.note(`the exception for ${printable(id, 100)} in waymark.yaml matches no change, or is over.`);
  }
  const placeOf = placeFinder(after.description.findings, context.cwd);
  const failed = [
    ...evaluateContractGate(failOn.contract, sides),
    ...evaluateOthers(gates, { sides, after: after.description, against: flags.base, placeOf }),
  ];
  const exitCode = failed.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
  printDiff(context, format, { sides, failed, exitCode, linted: lint !== undefined, placeOf });
  printGates(context, failed, "");
  return exitCode;
}

function settleDiffFormat(flags: FormatFlags): DiffFormat {
  if (flags.format !== "markdown") return settleFormat(flags);
  if (flags.json === true) throw usageError("--json is short for --format json: pass one of them.");
  return "markdown";
}

interface Judged {
  sides: SideChanges;
  after: Description;
  against: string;
  placeOf: ReturnType<typeof placeFinder>;
}

/** Evaluates the gates that `waymark scan` has too. */
function evaluateOthers(
  gates: Gates | undefined,
  { sides, after, against, placeOf }: Judged,
): readonly FailedGate[] {
  if (gates === undefined) return [];
  const { changes, missing } = sides;
  return evaluateGates(gates, {
    findings: after.findings,
    lintFailures: after.lintFailures,
    changes: { against, ...changes, endpoints: { ...changes.endpoints, removed: missing } },
    comparedMax: Number.POSITIVE_INFINITY,
    placeOf,
  }).failed;
}
