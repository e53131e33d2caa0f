import path from "node:path";
import { tidyServiceName } from "@waymark/shared/lib/service-name.ts";
import type { OptionsOf } from "../../framework/base-command.ts";
import type { DiffCommand } from "../diff.ts";
import type { CliContext } from "../../framework/context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { given } from "../../lib/config.ts";
import { createReporter, type Reporter } from "../../lib/reporter.ts";
import { keyComesFromStdin } from "../../framework/api-key.ts";
import { settleStdinName } from "../../openapi/stdin-name.ts";
import { readProjectFile } from "../../framework/project-file.ts";
import { placeFinder } from "../../report/place-finder.ts";
import { describeIdleIgnore } from "../contract/describe-idle-ignore.ts";
import { evaluateContractGate } from "../contract/contract-gate.ts";
import { type Gates, resolveGates } from "../scan/gate-settings.ts";
import { describeIdleGate, evaluateGates, type FailedGate } from "../scan/gates.ts";
import { describeOff } from "../../lint/severities.ts";
import { type LintSettings, settleLint } from "../scan/lint-settings.ts";
import { printGates } from "../scan/print-result.ts";
import type { Description } from "../scan/read-description.ts";
import { compareSides, type SideChanges } from "./compare-sides.ts";
import { settleDiffFormat } from "./diff-format.ts";
import { findSource, isOnServer } from "./find-source.ts";
import { printDiff } from "./print-diff.ts";
import { type DiffSide, readContract } from "./read-contract.ts";
import { type Remote, remoteReaders } from "./remote-readers.ts";

/** The options of `waymark diff` as given. */
type DiffFlags = OptionsOf<DiffCommand>;

/** Reads both files, compares them, prints the changes and evaluates the gates. */
export async function runDiff(context: CliContext, flags: DiffFlags): Promise<ExitCode> {
  const inputs = [flags.base, flags.head].filter((name) => name === STDIN_NAME).length;
  if (inputs + (keyComesFromStdin(flags) ? 1 : 0) > 1)
    throw usageError("Standard input can provide one of the two files or the API key, not several of them.");
  const format = settleDiffFormat(flags);
  const file = await readProjectFile(context);
  const gates = resolveGates(flags, file, { newOnly: true });
  const lint = settleLint(context, flags, file, gates);
  const reporter = createReporter(context.stderr, { quiet: false });
  const idle = describeIdleGate(gates, lint?.severities ?? new Map());
  if (idle !== undefined) reporter.note(idle);
  const off = describeOff(lint);
  if (off !== undefined) reporter.note(off);
  const service = given(flags.service) ?? given(file.service);
  const remote = remoteReaders(context, reporter, {
    flags,
    service: service === undefined ? undefined : tidyServiceName(service),
  });
  const { before, after } = await readSides(context, reporter, { flags, remote, lint });

  const today = new Date().toISOString().slice(0, 10);
  const { approve } = remote;
  const sides = await compareSides(before, after, { contract: file.contract, today, approve });
  for (const ignore of sides.comparison.idleIgnores) reporter.note(describeIdleIgnore(ignore, today));
  for (const note of sides.notes) reporter.note(note);
  const placeOf = placeFinder(after.description.findings, context.cwd);
  const failed = [
    ...evaluateContractGate(gates?.contract, sides.comparison),
    ...evaluateOthers(gates, { sides, after: after.description, against: flags.base, placeOf }),
  ];
  const exitCode = failed.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
  const findings = lint === undefined ? undefined : after.description.findings;
  const specFolder = path.dirname(after.description.source.file);
  printDiff(context, format, { sides, failed, exitCode, findings, placeOf, specFolder });
  printGates(context, failed, "");
  return exitCode;
}

async function readSides(
  context: CliContext,
  reporter: Reporter,
  { flags, remote, lint }: { flags: DiffFlags; remote: Remote; lint: LintSettings | undefined },
): Promise<{ before: DiffSide; after: DiffSide }> {
  const settings = {
    allowOutside: flags.allowOutside ?? false,
    lint,
    apiKey: undefined,
    stdinName: settleStdinName(context.cwd, flags.stdinName),
    asStored: isOnServer(flags.base) || isOnServer(flags.head),
  };
  const read = async (name: string) => {
    const source = await findSource(context, name, remote);
    // The query of an address can have a token.
    const shown = source.kind === "url" ? source.spec : name;
    return readContract(context, reporter, source, { ...settings, named: shown });
  };
  return { before: await read(flags.base), after: await read(flags.head) };
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
