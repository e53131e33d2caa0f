import type { ComparedChanges } from "../../api/scans-api.ts";
import type { ReportedComparison } from "../../report/reported.ts";
import type { ContractCheck } from "./contract-check.ts";
import { type ContractGate, evaluateContractGate, type FailedContractGate } from "./contract-gate.ts";
import { headlineOf } from "./headline.ts";
import { countChanges, ofLevel } from "./judged-comparison.ts";
import { missingEndpoints, movedEndpoints, pairEndpoints } from "./pair-endpoints.ts";
import { reportVerdicts } from "./report-verdicts.ts";
import { verdictMarkdown } from "./verdict-markdown.ts";
import { escapeMarkdown } from "../../report/markdown.ts";

/** The most changes of a level in the summary of a job, which one scan shares with others. */
const SUMMARY_ROWS_MAX = 50;

/** The result of the gate on changes of the contract. */
export interface ContractResult {
  failed: FailedContractGate[];
  /** Says that the gate had nothing to count. */
  note?: string;
}

/**
 * Evaluates the gate on changes of the contract. What could not be compared fails it, except where there is nothing to compare with.
 */
export function evaluateCheck(
  gate: ContractGate | undefined,
  check: ContractCheck | undefined,
): ContractResult {
  if (gate === undefined) return { failed: [] };
  if (check?.status === "compared") return { failed: evaluateContractGate(gate, check.comparison) };
  if (check?.reason === "no_base")
    return { failed: [], note: `--fail-on ${gate} has nothing to count: ${check.message}` };
  const why = check?.message ?? "the server can't be asked.";
  return {
    failed: [{ gate: `--fail-on ${gate}`, causes: [`not compared: ${why}`], placeOf: () => "" }],
  };
}

/** Returns the result of a check in one line. */
export function describeCheck(check: ContractCheck): string {
  return check.status === "compared"
    ? `compared with run ${check.against}: ${headlineOf(check.comparison)}.`
    : `what breaks clients was not compared: ${check.message}`;
}

/**
 * Returns the server's comparison of endpoints with what their contracts say: an endpoint whose address did not change is not removed, one
 * whose server has another path is, and a removal with an exception or an approval doesn't count. Without a comparison of the contracts, the changes are as they
 * were.
 */
export function withContract(changes: ComparedChanges, check: ContractCheck | undefined): ComparedChanges {
  if (check?.status !== "compared" || changes.against !== check.against) return changes;
  const paired = pairEndpoints(changes.endpoints, check.comparison);
  const removed = missingEndpoints(paired.removed, movedEndpoints(check.comparison), check.comparison);
  return { ...changes, endpoints: { ...paired, removed } };
}

/** Returns the members of a check in the result of a scan as JSON. Verdicts are null where nothing was compared. */
export function checkFields(check: ContractCheck): Record<string, unknown> {
  const { status, against } = check;
  if (check.status === "not_compared") {
    const { reason, message } = check;
    return {
      comparison: { status, reason, message, against, counts: null, notCompared: [] },
      verdicts: null,
    };
  }
  const { comparison } = check;
  const { excepted, approved, ...levels } = countChanges(comparison);
  const counts = { ...levels, accepted: excepted + approved };
  const { notCompared, verdicts } = comparison;
  return { comparison: { status, reason: null, message: null, against, counts, notCompared }, verdicts };
}

/** Returns a check as Markdown for a summary, with the way to approve what is intended. */
export function checkMarkdown(
  check: ContractCheck,
  { scanRunId, resultUrl }: { scanRunId: string; resultUrl: string },
): string {
  if (check.status === "compared") {
    const options = { depth: 4, fingerprints: true, rowsMax: SUMMARY_ROWS_MAX };
    const text = verdictMarkdown(check.comparison, options);
    if (ofLevel(check.comparison, "breaking").length === 0) return text;
    const command = `waymark approve ${scanRunId} --change FINGERPRINT --reason TEXT`;
    return `${text}\nIf a change is intended, approve it on the page of the [scan run](<${resultUrl}>), or with \`${command}\`.\n`;
  }
  if (check.reason === "no_base") return `**Nothing to compare with:** ${escapeMarkdown(check.message)}\n`;
  return `**Not compared, so that nothing is known about what breaks clients:** ${escapeMarkdown(check.message)}\n`;
}

/** Returns a check for reports. */
export function reportCheck(check: ContractCheck): ReportedComparison {
  if (check.status === "compared") return reportVerdicts(check.comparison);
  const sentence = describeCheck(check);
  const notCompared = check.reason === "no_base" ? [] : [sentence];
  return { changes: [], notCompared, headline: sentence };
}
