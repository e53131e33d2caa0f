import { APPROVAL_LIMITS } from "@waymark/shared/scans/approvals/schema.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { createApprovals } from "../../api/approvals-api.ts";
import { getRunService, listOpenVerdicts } from "../../api/verdicts-api.ts";
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
import type { ApproveCommand } from "../approve.ts";

type ApproveFlags = OptionsOf<ApproveCommand>;

const FINGERPRINT = /^[0-9a-f]{32}$/;
const LISTED_MAX = 50;

/** Approves changes of a run. */
export async function runApprove(context: CliContext, flags: ApproveFlags): Promise<ExitCode> {
  const { scanRun } = flags;
  if (!isUuid(scanRun))
    throw usageError(`The run is the id of a scan run, and not "${printable(scanRun, 100)}".`);
  const fingerprints = [...new Set(flags.change.map((text) => text.trim().toLowerCase()))];
  const wrong = fingerprints.find((text) => !FINGERPRINT.test(text));
  if (wrong !== undefined)
    throw usageError(
      `--change takes a fingerprint of 32 hexadecimal digits, and not "${printable(wrong, 100)}".`,
    );
  const { fingerprintsMax } = APPROVAL_LIMITS;
  if (fingerprints.length > fingerprintsMax)
    throw usageError(`At most ${fingerprintsMax} changes are approved at a time.`);
  const until = settleUntil(flags.until);
  const reporter = createReporter(context.stderr, { quiet: false });
  const connection = await connect(context, reporter, flags);
  if (fingerprints.length === 0) throw await describeChoice(connection, scanRun);
  const reason = given(flags.reason);
  if (reason === undefined)
    throw usageError(
      "--reason is required: say why the change is intended. Everybody who sees it reads that.",
    );
  const service = await getRunService(connection, scanRun);
  const approved = await createApprovals(connection, service.serviceId, {
    fingerprints,
    reason,
    until,
    scanRunId: scanRun,
  });
  const isUsed = approved.every(({ state }) => state === "used");
  const end = isUsed
    ? "for this run only"
    : until === undefined
      ? "until they are current"
      : `until ${until}`;
  const name = printable(service.serviceName, 120);
  writeLine(context.stdout, `Approved: ${plural(approved.length, "change")} of ${name}, ${end}`);
  if (isUsed) reporter.note("the run is promoted, so the approval lets no later scan pass a gate.");
  for (const { fingerprint } of approved) writeLine(context.stdout, `  ${printable(fingerprint, 100)}`);
  return EXIT_CODES.ok;
}

/** Lists the changes that can be approved. */
async function describeChoice(connection: ApiConnection, scanRunId: string) {
  const { comparison, verdicts } = await listOpenVerdicts(connection, scanRunId);
  if (comparison?.status === "pending")
    return usageError("--change is required. The server still compares this run: ask again in a minute.");
  if (comparison?.status === "not_compared") {
    const why = comparison.reason === null ? "" : `: ${comparison.reason.replaceAll("_", " ")}`;
    return usageError(`--change is required. The server did not compare this run${why}.`);
  }
  if (verdicts.length === 0)
    return usageError(
      "This run has no change that breaks clients and is not approved: nothing is to be approved.",
    );
  const details = verdicts
    .slice(0, LISTED_MAX)
    .map(({ fingerprint, level, message }) => printable(`${fingerprint} ${level.padEnd(8)} ${message}`, 300));
  const more = verdicts.length - details.length;
  if (more > 0) details.push(`… and ${more} more`);
  return usageError("--change is required: name one or several of these.", { details });
}
