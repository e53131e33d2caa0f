import { Option } from "clipanion";
import { BaseCommand } from "../../app/base-command.ts";
import { overlayOption } from "../shared-options.ts";

/** The options of every command that reads a journey with what belongs to it. */
export abstract class JourneyDocumentCommand extends BaseCommand {
  overlay = overlayOption();
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
