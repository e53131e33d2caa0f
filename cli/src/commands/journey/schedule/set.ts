import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../../framework/connection-command.ts";

export class ScheduleSetCommand extends ConnectionCommand {
  static override paths = [["journey", "schedule", "set"]];

  static override usage = Command.Usage({
    description: "Create a schedule that runs a journey on the server, or change settings of one.",
    details: `
      A new schedule needs --journey, --env and --cron. Settings that no option names stay as they are. The cron expression has
      five fields: minute, hour, day of the month, month, day of the week.

      Exit codes: 0 done, 2 usage or refused, 3 authentication or permission, 4 server or network.
    `,
    examples: [
      [
        "Every night at half past two",
        '$0 journey schedule set nightly --journey journeys/order.journey.yaml --env staging --cron "30 2 * * *" --time-zone Europe/Berlin',
      ],
      ["Another time", '$0 journey schedule set nightly --cron "0 4 * * MON-FRI"'],
    ],
  });

  schedule = Option.String({ name: "name", required: true });
  journey = Option.String("--journey", { description: "Path or id of the journey on the server" });
  env = Option.String("--env", { description: "Name or id of the environment" });
  cron = Option.String("--cron", { description: "When it runs, as a cron expression of five fields" });
  timeZone = Option.String("--time-zone", { description: "Zone of the expression (default UTC)" });
  pin = Option.String("--pin", { description: "Version that runs, or head for the newest (default)" });
  overlap = Option.String("--overlap", {
    description: "If the run before has not ended: skip (default), or queue one until it has",
  });
  catchUp = Option.String("--catch-up", {
    description: "After an outage of the workers: none (default), or one run for all missed times",
  });
  jitter = Option.String("--jitter", { description: "Start up to so many seconds later (default 0)" });
  rename = Option.String("--rename", { description: "New name" });
  json = Option.Boolean("--json", { description: "Print the schedule as JSON" });

  override async run(): Promise<number> {
    const { setSchedule } = await import("./set-schedule.ts");
    return setSchedule(this.context, this);
  }
}
