import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../../framework/connection-command.ts";

export class ScheduleListCommand extends ConnectionCommand {
  static override paths = [["journey", "schedule", "list"]];

  static override usage = Command.Usage({
    description: "List the schedules of journeys.",
    details: `
      For each what runs where and when, its next time, and what became of its last one.

      Exit codes: 0 done, 2 usage, 3 authentication or permission, 4 server or network.
    `,
    examples: [["List them", "$0 journey schedule list"]],
  });

  json = Option.Boolean("--json", { description: "Print them as a JSON list" });

  override async run(): Promise<number> {
    const { printSchedules } = await import("./run-schedule.ts");
    return printSchedules(this.context, this);
  }
}
