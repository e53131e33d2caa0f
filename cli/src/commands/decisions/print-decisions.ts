import { type ListedApproval, readAllApprovals } from "../../api/approvals-api.ts";
import { readDecisions, type ShownDecision } from "../../api/finding-decisions-api.ts";
import type { OptionsOf } from "../../framework/base-command.ts";
import { connect } from "../../framework/connect.ts";
import type { CliContext } from "../../framework/context.ts";
import { EXIT_CODES, type ExitCode } from "../../lib/cli-error.ts";
import { given } from "../../lib/config.ts";
import { describeDecision } from "../../lib/decision.ts";
import { writeJson, writeLine } from "../../lib/output.ts";
import { createReporter } from "../../lib/reporter.ts";
import { plural, printable } from "../../lib/text.ts";
import type { DecisionsCommand } from "../decisions.ts";

/** Prints the decisions of the server, or the approvals of changes, newest first. */
export async function printDecisions(
  context: CliContext,
  flags: OptionsOf<DecisionsCommand>,
): Promise<ExitCode> {
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  if (flags.changes === true) {
    const approvals = await readAllApprovals(connection, given(flags.service));
    printList(context, flags, {
      items: approvals,
      describe: describeApproval,
      none: "There are no approvals.",
    });
  } else {
    const decisions = await readDecisions(connection, given(flags.service));
    printList(context, flags, { items: decisions, describe, none: "There are no decisions." });
  }
  return EXIT_CODES.ok;
}

function printList<Item>(
  { stdout }: CliContext,
  { json }: OptionsOf<DecisionsCommand>,
  {
    items,
    describe: textOf,
    none,
  }: { items: readonly Item[]; describe: (item: Item) => string; none: string },
): void {
  if (json === true) writeJson(stdout, items, 2);
  else if (items.length === 0) writeLine(stdout, none);
  else for (const item of items) writeLine(stdout, printable(textOf(item), 2_000));
}

/** `FINGERPRINT in payments: approved until 2027-03-01: PUT /locks no longer allows "closed" (breaks clients): agreed`. */
function describeApproval(approval: ListedApproval): string {
  const { fingerprint, serviceName, state, until, change, reason, pullRequest } = approval;
  const end = until === null ? "until it is current" : `until ${until}`;
  const what = change === null ? "" : `: ${change.message} (${LEVELS[change.level]})`;
  const origin = pullRequest === null ? "" : ` for pull request ${pullRequest}`;
  return `${fingerprint} in ${serviceName}: approved ${end}${STATES[state]}${origin}${what}: ${reason}`;
}

const STATES = { open: "", expired: " (ended)", used: " (used up)" } as const;
const LEVELS = { breaking: "breaks clients", maybe: "may break clients", safe: "breaks no client" } as const;

/** `ID no-auth in payments: accepted until 2027-03-01 up to high, 5 findings now: behind the VPN`. */
function describe(decision: ShownDecision): string {
  const { id, code, state, maxSeverity, findingCount, exceededCount, reason } = decision;
  const ended = state === "expired" ? " (ended)" : "";
  const open = exceededCount > 0 ? `, ${exceededCount} more severe and open` : "";
  const now =
    findingCount + exceededCount === 0 ? "no findings any more" : `${plural(findingCount, "finding")} now`;
  const what = `${describeDecision(decision)}${ended} up to ${maxSeverity}, ${now}${open}`;
  return `${id} ${code} ${targetOf(decision)}: ${what}: ${reason}`;
}

function targetOf({ serviceName, finding }: ShownDecision): string {
  if (serviceName === null) return "in every service";
  if (finding === null) return `in ${serviceName}`;
  const place = [finding.method, finding.path].filter((part) => part !== null).join(" ");
  return `in ${serviceName}${place === "" ? "" : ` at ${place}`} (${finding.message})`;
}
