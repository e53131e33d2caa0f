import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../../framework/connection-command.ts";

export class SchedulePauseCommand extends ConnectionCommand {
  static override paths = [["journey", "schedule", "pause"]];

  static override usage = Command.Usage({
    description: "Pause a schedule. A run that it has started goes on.",
    details:
      "Exit codes: 0 done, 2 usage or no such schedule, 3 authentication or permission, 4 server or network.",
    examples: [["Pause one", "$0 journey schedule pause nightly"]],
  });

  schedule = Option.String({ name: "name", required: true });
  json = Option.Boolean("--json", { description: "Print the schedule as JSON" });

  override async run(): Promise<number> {
    const { pauseSchedule } = await import("./run-schedule.ts");
    return pauseSchedule(this.context, this, true);
  }
}
