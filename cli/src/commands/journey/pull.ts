import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyPullCommand extends ConnectionCommand {
  static override paths = [["journey", "pull"]];

  static override usage = Command.Usage({
    description: "Write the server's journeys, overlays and descriptions to files, byte for byte.",
    details: `
      Writes every document that has changed on the server below the folder (default: the working directory), and removes files
      whose documents were archived. Files that have changed here are left alone; if the document has changed too, the difference is
      shown.

      Exit codes: 0 ok, 1 files changed on both sides, 2 usage, 3 access, 4 server unavailable.
    `,
    examples: [
      ["Fetch everything", "$0 journey pull"],
      ["Replace files that have changed here", "$0 journey pull --force"],
    ],
  });

  folder = Option.String({ name: "folder", required: false });
  force = Option.Boolean("--force", { description: "Replace files that have changed here" });

  override async run(): Promise<number> {
    const { runPull } = await import("./sync/run-pull.ts");
    return runPull(this.context, this);
  }
}
