import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyRunsCommand extends ConnectionCommand {
  static override paths = [["journey", "runs"]];

  static override usage = Command.Usage({
    description: "List the newest runs of journeys on the server.",
    details: `
      One line for each: its id, status, time, journey, version and environment.

      Exit codes: 0 ok, 2 usage, 3 access, 4 server unavailable.
    `,
    examples: [["The last 50", "$0 journey runs --limit 50"]],
  });

  limit = Option.String("--limit", { description: "How many (default 20)" });
  json = Option.Boolean("--json", { description: "Print them as a JSON list" });

  override async run(): Promise<number> {
    const { showRuns } = await import("./cloud/show-runs.ts");
    return showRuns(this.context, this);
  }
}
