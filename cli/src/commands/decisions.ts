import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../framework/connection-command.ts";

export class DecisionsCommand extends ConnectionCommand {
  static override paths = [["decisions"]];

  static override usage = Command.Usage({
    description: "List the decisions about findings, or the approvals of changes.",
    details: `
      The command prints each decision with its id, its last day, and how many findings of current runs it covers: also decisions that have ended, and
      those that match nothing any more. \`decide --revoke ID\` revokes one.

      With --changes, it prints the approvals of changes instead: each with its fingerprint, its last day, the change and the reason, also those that
      were used up or have ended.

      Decisions in waymark.yaml are not listed: the server does not know them.

      The key needs endpoints:read.

      Exit codes: 0 done, 2 usage, 3 authentication or permission, 4 server or network.
    `,
    examples: [
      ["List those for a service, and those for every service", "$0 decisions --service payments"],
      ["List the approvals of changes", "$0 decisions --changes"],
      ["List all as JSON", "$0 decisions --json"],
    ],
  });

  service = Option.String("--service", { description: "Only the decisions that apply to this service" });
  changes = Option.Boolean("--changes", { description: "List the approvals of changes instead" });
  json = Option.Boolean("--json", { description: "Print them as a JSON list" });

  override async run(): Promise<number> {
    const { printDecisions } = await import("./decisions/print-decisions.ts");
    return printDecisions(this.context, this);
  }
}
