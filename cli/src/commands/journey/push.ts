import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyPushCommand extends ConnectionCommand {
  static override paths = [["journey", "push"]];

  static override usage = Command.Usage({
    description: "Store journeys, overlays and descriptions on the server, all or none.",
    details: `
      Sends the files that differ from the server's documents, with everything that they refer to: named files, and below folders
      (default: the working directory) those named *.journey.yaml, *.arazzo.yaml and *.overlay.yaml. A document has the path of its
      file, relative to the working directory. Documents with errors are stored too, but can't be run.

      A document that somebody else changed since the last push or pull is a conflict: the difference is shown, and nothing is
      stored. What this folder knows of the server is kept in .waymark/journeys.json.

      Exit codes: 0 ok, 1 conflict, 2 usage, 3 access, 4 server unavailable.
    `,
    examples: [
      ["Push all journeys of a repository", '$0 journey push --message "Refunds"'],
      ["See what a push would change", "$0 journey push journeys --dry-run"],
      ["In a pipeline: the repository owns its documents", "$0 journey push --managed --prune"],
    ],
  });

  files = Option.Rest({ name: "file" });
  message = Option.String("--message", { description: "What changed, for the documents' history" });
  dryRun = Option.Boolean("--dry-run", { description: "Say what would change, and store nothing" });
  prune = Option.Boolean("--prune", {
    description: "Archive documents of the pushed folders whose files are gone",
  });
  managed = Option.Boolean("--managed", {
    description: "Make the git remote origin the owner: the console then shows these documents read-only",
  });

  override async run(): Promise<number> {
    const { runPush } = await import("./sync/run-push.ts");
    return runPush(this.context, this);
  }
}
