import { Command, Option } from "clipanion";
import { ConnectionCommand } from "./connection-command.ts";

export class FlushCommand extends ConnectionCommand {
  static override paths = [["flush"]];

  static override usage = Command.Usage({
    description: "Send the scans that waymark scan --spool kept.",
    details: `
      Sends the oldest first, each with the time it was made, so that none becomes current over a newer scan, and with
      its own Idempotency-Key, so that none is stored twice. What was sent leaves the folder.

      Exit codes: 0 all sent, 2 a scan was refused, 3 authentication or permission, 4 server or network.
    `,
    examples: [["Send what is there", "$0 flush --spool .waymark-spool"]],
  });

  spool = Option.String("--spool", { description: "Folder with the scans" });

  override async run(): Promise<number> {
    const { runFlush } = await import("./flush/run-flush.ts");
    return runFlush(this.context, this);
  }
}
