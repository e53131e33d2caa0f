import type { Verdict } from "@waymark/contract-diff/verdict.ts";
import { usageError } from "../../lib/cli-error.ts";
import { printable } from "../../lib/text.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import type { FailedGate } from "../scan/gates.ts";
import { ofLevel, type SideChanges } from "./compare-sides.ts";
import { operationsText, placeText } from "./verdict-lines.ts";

/** The level from which changes of a contract fail the command. */
type ContractGate = "breaking" | "maybe";

/** The values of `--fail-on`, one for each kind. */
export interface FailOn {
  contract: ContractGate | undefined;
  /** Unchecked. */
  severity: string | undefined;
}

/** Divides the values of `--fail-on`. @throws {CliError} for two of a kind */
export function divideFailOn(values: readonly string[], file: ProjectFile): FailOn {
  const contracts = values.filter((value) => value === "breaking" || value === "maybe");
  const severities = values.filter((value) => value !== "breaking" && value !== "maybe");
  if (contracts.length > 1 || severities.length > 1) {
    throw usageError("--fail-on takes one of breaking and maybe, and one severity.");
  }
  return { contract: contracts[0] ?? file.contract?.failOn, severity: severities[0] ?? file.gates?.failOn };
}

/** Evaluates the gate on changes of the contract. */
export function evaluateContractGate(
  gate: ContractGate | undefined,
  { comparison }: SideChanges,
): FailedGate[] {
  if (gate === undefined) return [];
  const counted = [
    ...ofLevel(comparison, "breaking"),
    ...(gate === "maybe" ? ofLevel(comparison, "maybe") : []),
  ];
  if (counted.length === 0) return [];
  const causes = counted.map((verdict) => printable(sentenceOf(verdict), 300));
  return [{ gate: `--fail-on ${gate}`, causes, placeOf: (index) => placeOf(counted[index]) }];
}

/** Such as `GET /pets: the property "name" was removed`. */
export function sentenceOf(verdict: Verdict): string {
  const name = operationsText(verdict);
  return verdict.message.startsWith(name) ? verdict.message : `${name}: ${verdict.message}`;
}

function placeOf(verdict: Verdict | undefined): string {
  return verdict === undefined ? "" : placeText(verdict);
}
