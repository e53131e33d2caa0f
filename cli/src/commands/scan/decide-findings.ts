import type { ApiConnection } from "../../api/api-client.ts";
import type { ShownDecision } from "../../api/finding-decisions-api.ts";
import { tryingOnce } from "../../api/try-once.ts";
import { type Decision, type DecisionsOnFinding, describeDecision } from "../../lib/decision.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { plural, printable } from "../../lib/text.ts";
import type { LocatedFinding } from "../../openapi/located-finding.ts";
import { annotationFormat } from "../../report/annotations.ts";
import { connectOrNone } from "./connect-or-none.ts";
import { countsFor } from "./gates.ts";
import { hasFindings } from "./has-findings.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import { fileDecisions } from "./file-decisions.ts";
import type { ScanSettings } from "./settings.ts";

/**
 * Returns the scans with their findings marked that somebody has decided about: in `waymark.yaml`, or on the server. Reports tell them from
 * open ones, and gates don't count them. If the server can't tell its decisions, none of them counts, and a note says so.
 */
export async function decideFindings(
  context: CliContext,
  reporter: Reporter,
  settings: ScanSettings,
  scans: readonly PreparedScan[],
): Promise<PreparedScan[]> {
  if (!hasFindings(settings)) return [...scans];
  const today = new Date().toISOString().slice(0, 10);
  const own = fileDecisions(settings.decisions, today);
  const onServer = serverDecisions(context, reporter, settings);
  const marked: PreparedScan[] = [];
  const risen: string[] = [];
  let ended = 0;
  for (const scan of scans) {
    const find = await onServer(scan);
    const findings = scan.findings.map((finding): LocatedFinding => {
      const [ofFile, ofServer] = [own.find(finding), find.active(finding)];
      const decision = ofFile.decision ?? ofServer.decision;
      if (decision !== undefined) return { ...finding, decision };
      const exceeded = ofFile.exceeded ?? ofServer.exceeded;
      if (exceeded !== undefined)
        risen.push(`${describeDecision(exceeded)} as ${exceeded.maxSeverity}, now ${finding.severity}`);
      else if (find.expired(finding).decision !== undefined) ended++;
      return finding;
    });
    marked.push({ ...scan, findings });
  }
  if (ended > 0) {
    const [are, them] = ended === 1 ? ["is", "it"] : ["are", "them"];
    reporter.note(`${plural(ended, "finding")} ${are} open again: the decision about ${them} has ended.`);
  }
  for (const note of describeRisen(risen)) reporter.note(note);
  // A part of a description, or of its findings, does not say what the rest has.
  const isWhole =
    settings.selection === undefined && scans.every(({ lintFailures }) => lintFailures.length === 0);
  if (isWhole) for (const idle of own.idle()) reporter.note(idle);
  return marked;
}

const RISEN_MAX = 5;

/** Says how many findings are open because they are more severe than the decisions about them cover. */
function describeRisen(risen: readonly string[]): string[] {
  if (risen.length === 0) return [];
  const kinds = [...new Set(risen)];
  const named = kinds.slice(0, RISEN_MAX).join("; ");
  const more = kinds.length > RISEN_MAX ? "; …" : "";
  const [are, they] = risen.length === 1 ? ["is", "it was"] : ["are", "they were"];
  return [
    `${plural(risen.length, "finding")} ${are} open again, more severe than when ${they} decided: ${named}${more}.`,
  ];
}

type Find = (finding: LocatedFinding) => DecisionsOnFinding;

/** The decisions of a service that hold, and those that have ended. */
interface ServerDecisions {
  active: Find;
  expired: Find;
}

const NOTHING: ServerDecisions = { active: () => ({}), expired: () => ({}) };

/** Returns a function that asks for the decisions of a scan's service: once for each, and no more after the server could not answer. */
function serverDecisions(
  context: CliContext,
  reporter: Reporter,
  settings: ScanSettings,
): (scan: PreparedScan) => Promise<ServerDecisions> {
  let connection: ApiConnection | undefined;
  let isOver = settings.dryRun;
  return async (scan) => {
    if (isOver || !matters(context, scan, settings)) return NOTHING;
    connection ??= await connectOrNone(context, reporter, settings);
    // Sending the scan says what is wrong with the address or the key.
    if (connection === undefined) return NOTHING;
    const { readDecisions } = await import("../../api/finding-decisions-api.ts");
    try {
      return await finderOf(await readDecisions(tryingOnce(connection), scan.payload.service.name));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      isOver = true;
      // An older server has no decisions. A key that only scans may not read them, which matters to a gate alone.
      const isExpected =
        error.code === "not_found" || (error.code === "permission_denied" && !isGated(scan, settings));
      if (!isExpected)
        reporter.omission(
          `the decisions on the server can't be read, so none of them counts: ${printable(error.message)}`,
        );
      return NOTHING;
    }
  };
}

/** True if a decision would change what the scan writes for machines, shows in a build, or ends with. */
function matters({ env }: CliContext, scan: PreparedScan, settings: ScanSettings): boolean {
  const { reports, format, summaryFiles } = settings;
  if (scan.findings.length === 0) return false;
  const isReported = reports.length > 0 || summaryFiles.length > 0 || format !== "text";
  return isReported || annotationFormat(env) !== undefined || isGated(scan, settings);
}

/** True if a decision could change whether the gate on findings passes. */
function isGated({ findings }: PreparedScan, { gates }: ScanSettings): boolean {
  return gates?.failOn !== undefined && findings.some(countsFor(gates.failOn));
}

async function finderOf(decisions: readonly ShownDecision[]): Promise<ServerDecisions> {
  if (decisions.length === 0) return NOTHING;
  const { decisionFinder } = await import("@waymark/shared/scans/finding-decisions/decision-finder.ts");
  // All of them are for this service, whose id the command does not need.
  const service = "service";
  const finderFor = (state: ShownDecision["state"]): Find => {
    const find = decisionFinder(
      decisions
        .filter((decision) => decision.state === state)
        .map((decision) => ({ ...decision, serviceId: decision.serviceId === null ? null : service })),
    );
    return (finding) => {
      const { decision, exceeded } = find(service, finding);
      return { decision: shown(decision), exceeded: shown(exceeded) };
    };
  };
  return { active: finderFor("active"), expired: finderFor("expired") };
}

function shown(found: ShownDecision | undefined): Decision | undefined {
  if (found === undefined) return undefined;
  const { kind, maxSeverity, reason, until } = found;
  return { kind, maxSeverity, reason, until, isInSource: false };
}
