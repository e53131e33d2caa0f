import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { usageError } from "../../lib/cli-error.ts";
import {
  type ProjectFile,
  SWITCH_GATES,
  type SwitchGate,
  switchGates,
} from "../../framework/parse-project-file.ts";
import type { ContractGate } from "../contract/contract-gate.ts";

/** The options of a command for gates. A command that lacks one of them takes what the file says. */
export interface GateFlags extends Readonly<Partial<Record<SwitchGate, boolean | undefined>>> {
  /** Levels of changes, and severities of findings. */
  failOn: readonly string[];
  newOnly?: boolean | undefined;
}

export interface Gates extends Readonly<Record<SwitchGate, boolean>> {
  /** The level from which changes of the contract count. */
  contract: ContractGate | undefined;
  failOn: Severity | undefined;
  newOnly: boolean;
}

/**
 * The gates of the options over those of `waymark.yaml`; undefined without any.
 *
 * @param options.newOnly true if findings of the base never count, because it was scanned before
 * @throws {CliError}
 */
export function resolveGates(
  flags: GateFlags,
  file: ProjectFile,
  options: { newOnly?: boolean } = {},
): Gates | undefined {
  const { contract, severity } = divideFailOn(flags.failOn);
  const failOn = severity ?? file.gates?.failOn;
  const newOnly =
    options.newOnly === true ? failOn !== undefined : (flags.newOnly ?? file.gates?.newOnly ?? false);
  if (failOn === undefined && newOnly) throw usageError("--new-only needs --fail-on <severity>.");
  const gates: Gates = {
    contract: contract ?? file.contract?.failOn,
    failOn,
    newOnly,
    ...switchGates((gate) => flags[gate] ?? file.gates?.[gate] ?? false),
  };
  const isSet = gates.contract !== undefined || gates.failOn !== undefined;
  return isSet || SWITCH_GATES.some((gate) => gates[gate]) ? gates : undefined;
}

/** Divides the values of `--fail-on` by their kinds. @throws {CliError} for two of a kind, and for any other value */
function divideFailOn(values: readonly string[]): {
  contract: ContractGate | undefined;
  severity: Severity | undefined;
} {
  const contracts = values.filter((value) => value === "breaking" || value === "maybe");
  const severities = SEVERITIES.filter((severity) => values.includes(severity));
  const known = new Set<string>([...contracts, ...severities]);
  if (values.some((value) => !known.has(value)))
    throw usageError(`--fail-on must be breaking or maybe, or one of ${SEVERITIES.join(", ")}.`);
  if (new Set(contracts).size > 1 || severities.length > 1)
    throw usageError("--fail-on takes one of breaking and maybe, and one severity.");
  return { contract: contracts[0], severity: severities[0] };
}
