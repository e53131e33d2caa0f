import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import type { ContractGate } from "../contract/contract-gate.ts";

export interface GateFlags {
  /** Levels of changes, and severities of findings. */
  failOn: readonly string[];
  newOnly?: boolean | undefined;
  failOnRemoved: boolean | undefined;
  failOnBrokenJourneys?: boolean | undefined;
}

export interface Gates {
  /** The level from which changes of the contract count. */
  contract: ContractGate | undefined;
  failOn: Severity | undefined;
  newOnly: boolean;
  failOnRemoved: boolean;
  failOnBrokenJourneys: boolean;
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
    failOnRemoved: flags.failOnRemoved ?? file.gates?.failOnRemoved ?? false,
    failOnBrokenJourneys: flags.failOnBrokenJourneys ?? file.gates?.failOnBrokenJourneys ?? false,
  };
  const isSet = gates.contract !== undefined || gates.failOn !== undefined;
  return isSet || gates.failOnRemoved || gates.failOnBrokenJourneys ? gates : undefined;
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
