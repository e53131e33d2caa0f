import { Option } from "clipanion";
import { BaseCommand } from "../../framework/base-command.ts";
import { configOption, overlayOption } from "../../framework/shared-options.ts";

/** The options of every command that reads a journey and its files. */
export abstract class JourneyDocumentCommand extends BaseCommand {
  overlay = overlayOption();
  override config = configOption();
  source = Option.Array("--source", [], {
    description: "Local file to read for a source description: name=path; repeat it",
  });
  workflow = Option.String("--workflow", {
    description: "Workflow to run (default: main, or the only one)",
  });
  env = Option.String("--env", {
    description: "Environment: of waymark.yaml, or the name of a server in the OpenAPI description",
  });
}
