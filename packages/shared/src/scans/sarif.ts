// The parts of SARIF 2.1.0 that the command's reports and the server's exports share.
import type { DecisionKind } from "./finding-decisions/schema.ts";
import type { Severity } from "./schema.ts";

export const SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

export const SARIF_LEVELS: Record<Severity, "error" | "warning" | "note"> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
  info: "note",
};

/** A rule as the `driver` lists it. */
export function describeSarifRule(rule: { id: string; severity: Severity; helpUri: string | undefined }) {
  const words = rule.id.replaceAll(/[-_/]+/g, " ").trim();
  return {
    id: rule.id,
    shortDescription: { text: `${words.charAt(0).toUpperCase()}${words.slice(1)}` },
    ...(rule.helpUri !== undefined && { helpUri: rule.helpUri }),
    defaultConfiguration: { level: SARIF_LEVELS[rule.severity] },
  };
}

/** A part of an API by which tools group findings, such as an operation. */
export function sarifLogicalLocation(fullyQualifiedName: string) {
  return { logicalLocations: [{ fullyQualifiedName, kind: "resource" }] };
}

/** A decision about a result. Tools that know suppressions don't count the result. */
export function sarifSuppression(decision: {
  kind: DecisionKind;
  reason: string;
  /** The last day on which it holds. */
  until: string;
  /** True if the decision is in the repository, false if it is on the server. */
  isInSource: boolean;
}) {
  const { kind, reason, until, isInSource } = decision;
  return {
    kind: isInSource ? "inSource" : "external",
    status: "accepted",
    justification: reason,
    properties: { decision: kind, until },
  };
}
