import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../framework/connection-command.ts";

export class FlushCommand extends ConnectionCommand {
  static override paths = [["flush"]];

  static override usage = Command.Usage({
    description: "Send what waymark scan and waymark journey run stored with --spool.",
    details: `
      Sends the oldest first, each with the time at which it was made, so that none replaces a newer scan, and with its own
      Idempotency-Key, so that none is stored twice. The same goes for results of journeys, each with the id of its run.
      Removes what was sent from the folder. The descriptions of scans are sent last. One that the server refuses is a note, and fails
      nothing; one that can't be sent stays.

      Exit codes: 0 all sent, 2 one was refused, 3 authentication or permission, 4 server or network.
    `,
    examples: [["Send what is there", "$0 flush --spool .waymark-spool"]],
  });

  spool = Option.String("--spool", { description: "Folder with the scans and results" });

  override async run(): Promise<number> {
    const { runFlush } = await import("./flush/run-flush.ts");
    return runFlush(this.context, this);
  }
}
