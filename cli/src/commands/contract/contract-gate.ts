import { printable } from "../../lib/text.ts";
import { type JudgedComparison, type JudgedVerdict, ofLevel } from "./judged-comparison.ts";
import { operationsText, positionText } from "./verdict-lines.ts";

/** The level from which changes of a contract fail the command. */
export type ContractGate = "breaking" | "maybe";

/** The failed gate on changes of a contract, with a cause for each change. */
export interface FailedContractGate {
  gate: string;
  causes: string[];
  placeOf: (index: number) => string;
}

/** Evaluates the gate on changes of the contract. */
export function evaluateContractGate(
  gate: ContractGate | undefined,
  comparison: JudgedComparison,
): FailedContractGate[] {
  if (gate === undefined) return [];
  const counted = [
    ...ofLevel(comparison, "breaking"),
    ...(gate === "maybe" ? ofLevel(comparison, "maybe") : []),
  ];
  if (counted.length === 0) return [];
  const causes = counted.map((verdict) => printable(sentenceOf(verdict), 300));
  const placeOf = (index: number) => {
    const verdict = counted[index];
    return verdict === undefined ? "" : positionText(verdict.head ?? verdict.base);
  };
  return [{ gate: `--fail-on ${gate}`, causes, placeOf }];
}

/** Such as `GET /pets: the property "name" was removed`. */
export function sentenceOf(verdict: JudgedVerdict): string {
  const name = operationsText(verdict);
  return verdict.message.startsWith(name) ? verdict.message : `${name}: ${verdict.message}`;
}
