import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../../framework/connection-command.ts";

export class ScheduleResumeCommand extends ConnectionCommand {
  static override paths = [["journey", "schedule", "resume"]];

  static override usage = Command.Usage({
    description: "Resume a schedule with its next time.",
    details:
      "Exit codes: 0 done, 2 usage or no such schedule, 3 authentication or permission, 4 server or network.",
    examples: [["Resume one", "$0 journey schedule resume nightly"]],
  });

  schedule = Option.String({ name: "name", required: true });
  json = Option.Boolean("--json", { description: "Print the schedule as JSON" });

  override async run(): Promise<number> {
    const { pauseSchedule } = await import("./run-schedule.ts");
    return pauseSchedule(this.context, this, false);
  }
}
