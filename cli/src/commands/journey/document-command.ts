import { Option } from "clipanion";
import { BaseCommand } from "../../app/base-command.ts";

/** The options of every command that reads a journey with what belongs to it. */
export abstract class JourneyDocumentCommand extends BaseCommand {
  overlay = Option.Array("--overlay", [], {
    description: "Overlay to lay over the journey; repeat it, they are applied in this order",
  });
  source = Option.Array("--source", [], {
    description: "Local file to read for a source description: name=path; repeat it",
  });
  workflow = Option.String("--workflow", {
    description: "Workflow to run (default main, else the only one)",
  });
  env = Option.String("--env", {
    description: "Environment: of waymark.yaml, or the name of a server in the OpenAPI description",
  });
}
