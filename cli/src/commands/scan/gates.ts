import type { PolicySeverity } from "@waymark/shared/scans/severity-policy/schema.ts";
import { comparedIdentity } from "@waymark/shared/scans/changes.ts";
import { SCAN_LIMITS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanChanges,
  Severity,
} from "@waymark/shared/scans/schema.ts";
import { SWITCH_GATES, type SwitchGate } from "../../framework/parse-project-file.ts";
import { countDecided, type Decidable, isOpen } from "../../lib/decision.ts";
import { SEVERITY_MAX_DEFAULT } from "../../lint/severities.ts";
import { plural, printable } from "../../lib/text.ts";
import { describeFinding } from "../../report/describe-changes.ts";
import type { Gates } from "./gate-settings.ts";

/** A failed gate, with the causes. */
export interface FailedGate {
  gate: string;
  causes: string[];
  /** Returns the place of a cause by its index, such as ` (openapi.yaml:7)`. Reading it costs time. Not in JSON. */
  placeOf?: (index: number) => string;
}

export interface GateResult {
  failed: FailedGate[];
  /** Notes for the user about gates that passed, or were not evaluated. */
  notes: string[];
}

/** Returns the names of the gates that are on, with their conditions, as results have them. */
export function gateNames(gates: Gates): string[] {
  return [
    ...(gates.contract === undefined ? [] : [`--fail-on ${gates.contract}`]),
    ...(gates.failOn === undefined ? [] : [findingsGate(gates)]),
    ...SWITCH_GATES.filter((gate) => gates[gate]).map(optionOf),
  ];
}

function findingsGate({ failOn, newOnly }: Gates): string {
  return `--fail-on ${failOn}${newOnly ? " --new-only" : ""}`;
}

/** Returns the option of a gate that is on or off, such as `--fail-on-removed`. */
function optionOf(gate: SwitchGate): string {
  return `--${gate.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** True if a gate needs the server's comparison with the service's current run. */
export function needsComparison(gates: Gates): boolean {
  return gates.newOnly || gates.failOnRemoved;
}

/** The journeys that call endpoints that a scan lacks, as the server found them. */
export type ScanBreaks = Pick<BrokenJourneys, "against" | "journeys">;

/** The facts that gates are evaluated on. Of a scan, they are members of `PreparedScan`. */
export interface Judged {
  /** All findings of this scan, most severe first, including those that were not sent. */
  findings: readonly (NormalizedFinding & Decidable)[];
  /** The reasons why findings are missing. A gate on findings then fails, because it can't be evaluated. */
  lintFailures?: readonly string[] | undefined;
  /** The comparison with the service's current run; without it, only the gates that need none are evaluated. */
  changes: Pick<ScanChanges, "against" | "endpoints" | "findings"> | undefined;
  /** The journeys that the scan breaks; without it, the gate on them is not evaluated. */
  breaks?: ScanBreaks | undefined;
  /** The largest number of findings in the comparison. Default: the largest of a scan. */
  comparedMax?: number;
  /** True if nothing is sent to the server, nor asked of it. */
  isDryRun?: boolean;
  /** Returns the place of a finding, such as ` (openapi.yaml:7)`. */
  placeOf: (finding: NormalizedFinding) => string;
}

/** Evaluates the gates of a run. */
export function evaluateGates(gates: Gates, judged: Judged): GateResult {
  const { findings, changes, comparedMax = SCAN_LIMITS.findingsMax, placeOf } = judged;
  const result: GateResult = { failed: [], notes: [] };
  if (gates.failOn !== undefined) {
    const gate = findingsGate(gates);
    const counts = countsFor(gates.failOn);
    const found = gates.newOnly
      ? withDecisions(newFindings(gates.failOn, changes), findings)
      : findings.filter(counts);
    const counted = found.filter(isOpen);
    if (counted.length < found.length) result.notes.push(`${gate}: ${countDecided(found)}.`);
    const causes = counted.map((finding) => printable(describeFinding(finding), 300));
    const beyond = gates.newOnly && typeof changes?.against === "string" ? findings.slice(comparedMax) : [];
    const unsent = beyond.filter((finding) => isOpen(finding) && counts(finding)).length;
    if (unsent > 0)
      causes.push(`${plural(unsent, "finding")} beyond the ${comparedMax} that could be compared`);
    const place = (index: number) => {
      const finding = counted[index];
      return finding === undefined ? "" : placeOf(finding);
    };
    for (const failure of judged.lintFailures ?? []) causes.push(printable(failure, 300));
    if (causes.length > 0) result.failed.push({ gate, causes, placeOf: place });
  }
  if (gates.contract !== undefined && changes === undefined && judged.isDryRun === true) {
    result.notes.push(
      `--fail-on ${gates.contract} compares with the service's current run, so a dry run can't evaluate it.`,
    );
  }
  const removed = changes?.endpoints.removed ?? [];
  if (gates.failOnRemoved && removed.length > 0) {
    result.failed.push({ gate: optionOf("failOnRemoved"), causes: removed.map(describeEndpoint) });
  }
  if (gates.failOnBrokenJourneys) evaluateBreaks(result, judged.breaks);
  if (needsComparison(gates)) {
    if (changes === undefined) {
      result.notes.push(
        "--new-only and --fail-on-removed compare with the service's current run, so a dry run can't evaluate them.",
      );
    } else if (changes.against === null) {
      result.notes.push(
        "this service has no current run to compare with, so --new-only and --fail-on-removed have nothing to count.",
      );
    }
  }
  return result;
}

function evaluateBreaks(result: GateResult, breaks: ScanBreaks | undefined): void {
  if (breaks === undefined) {
    result.notes.push(
      "--fail-on-broken-journeys asks the server for the journeys that call removed endpoints, so a dry run can't evaluate it.",
    );
  } else if (breaks.against === null) {
    result.notes.push(
      "this service has no current run to compare with, so --fail-on-broken-journeys has nothing to count.",
    );
  } else if (breaks.journeys.length > 0) {
    result.failed.push({ gate: optionOf("failOnBrokenJourneys"), causes: describeBreaks(breaks) });
  }
}

/** A line for each call of a journey to an operation that the scan lacks. */
export function describeBreaks({ journeys }: Pick<ScanBreaks, "journeys">): string[] {
  return journeys.flatMap((journey) =>
    journey.operations.map(({ method, path }) =>
      printable(`${journey.path} calls ${method} ${path}, which is removed`, 300),
    ),
  );
}

/** Returns the reason why a gate on findings always passes; undefined if it can fail. */
export function describeIdleGate(
  gates: Gates | undefined,
  severities: ReadonlyMap<string, PolicySeverity>,
): string | undefined {
  if (gates?.failOn === undefined) return undefined;
  const given = [...severities.values()].filter((severity) => severity !== "off");
  const reachable = Math.max(rank(SEVERITY_MAX_DEFAULT), ...given.map(rank));
  if (reachable >= rank(gates.failOn)) return undefined;
  return (
    `the gate --fail-on ${gates.failOn} can't fail: rules give at most ${SEVERITY_MAX_DEFAULT}. ` +
    `Set the severity of a rule with --severity <rule>=${gates.failOn}, or under severities in waymark.yaml.`
  );
}

function newFindings(threshold: Severity, changes: Judged["changes"]): NormalizedFinding[] {
  if (changes === undefined || changes.against === null) return [];
  const counts = countsFor(threshold);
  const { new: added, severityChanged } = changes.findings;
  const worse = severityChanged.filter(({ before, after }) => !counts(before) && counts(after));
  return [...added.filter(counts), ...worse.map(({ after }) => after)];
}

/** Returns a function that is true for findings of a severity or above. */
export function countsFor(threshold: Severity): (finding: Pick<NormalizedFinding, "severity">) => boolean {
  return ({ severity }) => rank(severity) >= rank(threshold);
}

/** Adds decisions to findings that the server has compared: they are findings of this scan. */
function withDecisions(
  compared: readonly NormalizedFinding[],
  findings: Judged["findings"],
): (NormalizedFinding & Decidable)[] {
  const decisions = new Map(findings.map((finding) => [comparedIdentity(finding), finding.decision]));
  return compared.map((finding) => ({ ...finding, decision: decisions.get(comparedIdentity(finding)) }));
}

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function describeEndpoint({ method, path }: NormalizedEndpoint): string {
  return printable(`removed: ${method} ${path}`, 300);
}
