import { DECISION_KINDS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { RunFinding, Severity } from "@waymark/shared/scans/schema.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import {
  createDecision,
  type DecisionToCreate,
  deleteDecision,
  listRunFindings,
} from "../../api/finding-decisions-api.ts";
import { getRunService } from "../../api/verdicts-api.ts";
import { describeDecision } from "../../lib/decision.ts";
import type { OptionsOf } from "../../framework/base-command.ts";
import { connect } from "../../framework/connect.ts";
import type { CliContext } from "../../framework/context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { given } from "../../lib/config.ts";
import { writeLine } from "../../lib/output.ts";
import { createReporter } from "../../lib/reporter.ts";
import { plural, printable } from "../../lib/text.ts";
import { settleUntil } from "../../lib/until.ts";
import { isUuid } from "../../lib/uuid.ts";
import { describeFinding } from "../../report/describe-changes.ts";
import type { DecideCommand } from "../decide.ts";

type DecideFlags = OptionsOf<DecideCommand>;

const LISTED_MAX = 50;

/** Decides about findings of a run, or about a rule. */
export async function runDecide(context: CliContext, flags: DecideFlags): Promise<ExitCode> {
  if (flags.revoke.length > 0) return revokeDecisions(context, flags);
  const target = settleTarget(flags);
  const kind = settleKind(flags.kind);
  const until = settleUntil(flags.until);
  const maxSeverity = settleSeverity(flags.maxSeverity);
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  if (target.kind === "none") throw await describeChoice(connection, target.scanRunId);
  const reason = given(flags.reason);
  if (reason === undefined)
    throw usageError("--reason is required: say why. Everybody who sees the finding reads that.");
  const common = { kind, reason, ...(until !== undefined && { until }) };
  for (const decision of await decisionsFor(connection, target)) {
    const made = await createDecision(connection, {
      ...common,
      ...decision,
      ...(maxSeverity !== undefined && { maxSeverity }),
    });
    const message = decision.finding?.message;
    const what = message === undefined ? decision.code : `${decision.code}: ${message}`;
    const covered = plural(made.findingCount, "current finding");
    writeLine(context.stdout, `Decided: ${describeDecision(made)}, for ${covered}: ${printable(what, 300)}`);
  }
  return EXIT_CODES.ok;
}

/** Revokes decisions, in the order of their ids on the command line. */
async function revokeDecisions(context: CliContext, flags: DecideFlags): Promise<ExitCode> {
  const ids = [...new Set(flags.revoke.map((id) => id.trim().toLowerCase()))];
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong !== undefined)
    throw usageError(`--revoke takes the id of a decision, and not "${printable(wrong, 100)}".`);
  const { scanRun, finding, rule, everywhere, kind, reason, until, maxSeverity } = flags;
  const others = [scanRun, rule, kind, reason, until, maxSeverity, ...finding];
  if (everywhere || others.some((each) => each !== undefined))
    throw usageError("--revoke takes ids of decisions only: no run, and no other option of a decision.");
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  for (const id of ids) {
    await deleteDecision(connection, id);
    writeLine(context.stdout, `Revoked: ${id}`);
  }
  return EXIT_CODES.ok;
}

type Target =
  | { kind: "none"; scanRunId: string }
  | { kind: "findings"; scanRunId: string; ids: string[] }
  | { kind: "rule"; scanRunId: string; code: string }
  | { kind: "everywhere"; code: string };

/** @throws {CliError} for options that don't belong together */
function settleTarget({ scanRun, finding, rule, everywhere }: DecideFlags): Target {
  const ids = [...new Set(finding.map((id) => id.trim().toLowerCase()))];
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong !== undefined)
    throw usageError(`--finding takes the id of a finding, and not "${printable(wrong, 100)}".`);
  if (ids.length > 0 && rule !== undefined) throw usageError("--finding and --rule exclude each other.");
  if (everywhere) {
    if (rule === undefined || scanRun !== undefined)
      throw usageError("--everywhere needs --rule, and takes no run.");
    return { kind: "everywhere", code: rule };
  }
  if (scanRun === undefined || !isUuid(scanRun))
    throw usageError(
      scanRun === undefined
        ? "The id of a scan run is required, or --rule with --everywhere."
        : `The run is the id of a scan run, and not "${printable(scanRun, 100)}".`,
    );
  if (rule !== undefined) return { kind: "rule", scanRunId: scanRun, code: rule };
  return ids.length === 0
    ? { kind: "none", scanRunId: scanRun }
    : { kind: "findings", scanRunId: scanRun, ids };
}

function settleKind(text: string | undefined): DecisionKind {
  const kind = DECISION_KINDS.find((each) => each === (given(text) ?? "accepted_risk"));
  if (kind === undefined) throw usageError(`--kind must be one of ${DECISION_KINDS.join(", ")}.`);
  return kind;
}

function settleSeverity(text: string | undefined): Severity | undefined {
  const wanted = given(text);
  const severity = SEVERITIES.find((each) => each === wanted);
  if (wanted !== undefined && severity === undefined)
    throw usageError(`--max-severity must be one of ${SEVERITIES.join(", ")}.`);
  return severity;
}

type DecidedTarget = Pick<DecisionToCreate, "serviceId" | "code" | "finding" | "maxSeverity">;

/** @throws {CliError} for findings that the run does not have, before anything is decided */
async function decisionsFor(
  connection: ApiConnection,
  target: Exclude<Target, { kind: "none" }>,
): Promise<DecidedTarget[]> {
  if (target.kind === "everywhere") return [{ serviceId: null, code: target.code }];
  const { serviceId } = await getRunService(connection, target.scanRunId);
  if (target.kind === "rule") return [{ serviceId, code: target.code }];
  const findings = new Map(
    (await listRunFindings(connection, target.scanRunId)).map((finding) => [
      finding.id.toLowerCase(),
      finding,
    ]),
  );
  const missing = target.ids.filter((id) => !findings.has(id));
  if (missing.length > 0)
    throw usageError(
      `The run has no finding ${missing.join(", ")}. Without --finding, the command lists them.`,
    );
  return target.ids.flatMap((id) => {
    const found = findings.get(id);
    if (found === undefined) return [];
    const { code, severity, method, path, message } = found;
    return [{ serviceId, code, maxSeverity: severity, finding: { method, path, message } }];
  });
}

/** Lists the open findings. */
async function describeChoice(connection: ApiConnection, scanRunId: string) {
  const findings = await listRunFindings(connection, scanRunId);
  const open = findings.filter(({ decision }) => decision === null);
  if (open.length === 0)
    return usageError(
      findings.length === 0
        ? "This run has no findings: nothing is to be decided."
        : `All ${plural(findings.length, "finding")} of this run are decided.`,
    );
  const line = (finding: RunFinding) => printable(`${finding.id} ${describeFinding(finding)}`, 300);
  const details = open.slice(0, LISTED_MAX).map(line);
  const more = open.length - details.length;
  if (more > 0) details.push(`… and ${more} more`);
  return usageError("--finding is required: name one or several of these, or a rule with --rule.", {
    details,
  });
}
