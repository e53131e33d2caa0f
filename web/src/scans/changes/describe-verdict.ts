import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import type { RunGate } from "@waymark/shared/scans/gates/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { describeFailed, namesOfFailed } from "../../lib/describe-gates.ts";
import { type ComparisonWords, describeComparison } from "../../lib/verdicts/describe-comparison.ts";

/** The verdict on a run in words: of the comparison, of journeys, and of gates. */
export interface VerdictWords {
  /** `breaks`: clients or journeys break, or a gate failed. `open`: not all is known. `fine`: nothing breaks. */
  tone: ComparisonWords["tone"];
  clients: string;
  /** Undefined if it breaks none, or in a comparison with another run than the one before. */
  journeys: string | undefined;
  gates: string | undefined;
  detail: string;
}

/** Describes how a run compares with another one than the run before it. Journeys, gates and approvals are no part of that. */
export function describeOtherVerdict(comparison: Comparison): VerdictWords {
  const { tone, headline, detail } = describeComparison(comparison);
  const rest = "Journeys, gates and approvals are of the comparison with the previous run.";
  return {
    tone,
    clients: headline,
    journeys: undefined,
    gates: undefined,
    detail: `${detail} ${rest}`.trim(),
  };
}

/** @param brokenCount the number of journeys that the run breaks; undefined if the session may not know it */
export function describeVerdict(options: {
  comparison: Comparison;
  brokenCount: number | undefined;
  gates: readonly RunGate[] | null;
}): VerdictWords {
  const { comparison, brokenCount, gates } = options;
  const { tone, headline, detail } = describeComparison(comparison);
  const failed = namesOfFailed(gates);
  const known = brokenCount === undefined && tone === "fine" ? "open" : tone;
  return {
    tone: (brokenCount ?? 0) > 0 || failed.length > 0 ? "breaks" : known,
    clients: headline,
    journeys: describeJourneys(brokenCount),
    gates: describeGates(gates, failed),
    detail,
  };
}

function describeJourneys(brokenCount: number | undefined): string | undefined {
  if (brokenCount === undefined) return "broken journeys are not known";
  return brokenCount === 0 ? undefined : `breaks ${countOf(brokenCount, "journeys")}`;
}

function describeGates(gates: readonly RunGate[] | null, failed: readonly string[]): string {
  if (gates === null) return "no gate was reported";
  const words = describeFailed(failed);
  if (words === undefined) return `passed ${gates.map(({ gate }) => gate).join(", ")}`;
  return `${failed.length === 1 ? "gate" : "gates"} ${failed.join(", ")} failed`;
}
