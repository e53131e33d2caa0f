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

/** Prints the decisions of the server, newest first. */
export async function printDecisions(
  context: CliContext,
  flags: OptionsOf<DecisionsCommand>,
): Promise<ExitCode> {
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const decisions = await readDecisions(connection, given(flags.service));
  if (flags.json === true) writeJson(context.stdout, decisions, 2);
  else if (decisions.length === 0) writeLine(context.stdout, "There are no decisions.");
  else for (const decision of decisions) writeLine(context.stdout, printable(describe(decision), 2_000));
  return EXIT_CODES.ok;
}

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
