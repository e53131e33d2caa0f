import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../../framework/connection-command.ts";

export class ScheduleRemoveCommand extends ConnectionCommand {
  static override paths = [["journey", "schedule", "remove"]];

  static override usage = Command.Usage({
    description: "Remove a schedule. Its runs stay.",
    details:
      "Exit codes: 0 done, 2 usage or no such schedule, 3 authentication or permission, 4 server or network.",
    examples: [["Remove one", "$0 journey schedule remove nightly"]],
  });

  schedule = Option.String({ name: "name", required: true });

  override async run(): Promise<number> {
    const { removeSchedule } = await import("./run-schedule.ts");
    return removeSchedule(this.context, this);
  }
}
