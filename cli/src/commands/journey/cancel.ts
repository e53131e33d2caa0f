import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyCancelCommand extends ConnectionCommand {
  static override paths = [["journey", "cancel"]];

  static override usage = Command.Usage({
    description: "Cancel a run of a journey on the server.",
    details: `
      The run's teardown still runs. A run that has ended stays as it is.

      Exit codes: 0 ok, 2 usage or no such run, 3 access, 4 server unavailable.
    `,
    examples: [["Cancel a run", "$0 journey cancel 019a0000-0000-7000-8000-000000000001"]],
  });

  runId = Option.String({ name: "run", required: true });

  override async run(): Promise<number> {
    const { cancelJourney } = await import("./cloud/show-runs.ts");
    return cancelJourney(this.context, this);
  }
}
