import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../framework/connection-command.ts";

export class DoctorCommand extends ConnectionCommand {
  static override paths = [["doctor"]];

  static override usage = Command.Usage({
    description: "Check whether a scan would work from here, and show what is wrong.",
    details: `
      Checks the server's address and proxy, whether it responds, its clock, the API key with its expiry, and whether the
      key can scan the service, read its runs and compare them for gates. With a key that can read journeys, whether the server
      can run them: that it stores secrets, and that no run waits for a worker. Sends no scan and runs no journey.

      Exit codes: 0 all is well, otherwise as waymark scan would end.
    `,
    examples: [["Before the first scan of a pipeline", "$0 doctor --service orders"]],
  });

  service = Option.String("--service", { description: "Name of the service to scan" });

  override async run(): Promise<number> {
    const { runDoctor } = await import("./doctor/run-doctor.ts");
    return runDoctor(this.context, this);
  }
}
