import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyStatusCommand extends ConnectionCommand {
  static override paths = [["journey", "status"]];

  static override usage = Command.Usage({
    description: "Show which journeys differ here, on the server, or on both sides.",
    details: `
      Compares the files of the working directory with the server's documents by content. Changes nothing.

      Exit codes: 0 ok, 2 usage, 3 access, 4 server unavailable.
    `,
    examples: [["See what push and pull would do", "$0 journey status"]],
  });

  json = Option.Boolean("--json", { description: "Print the files that differ as a JSON list" });

  override async run(): Promise<number> {
    const { runStatus } = await import("./sync/run-status.ts");
    return runStatus(this.context, this);
  }
}
