import { Command, Option } from "clipanion";
import { BaseCommand } from "../../framework/base-command.ts";
import { overlayOption } from "../../framework/shared-options.ts";

export class JourneyExportCommand extends BaseCommand {
  static override paths = [["journey", "export"]];

  static override usage = Command.Usage({
    description: "Write a journey as plain Arazzo, for tools without x-journey.",
    details: `
      Applies overlays. Variables become inputs, polling becomes retries, and calls outside every source get an OpenAPI
      file beside the document. What Arazzo can't express, such as acceptance criteria and teardown, is left out and
      listed.

      Exit codes: 0 written, 1 written with something left out and --strict, 2 usage, or a document with errors.
    `,
    examples: [
      ["Beside the journey, as checkout.arazzo.yaml", "$0 journey export arazzo checkout.journey.yaml"],
      [
        "A variant, for a tool that reads Arazzo 1.0",
        "$0 journey export arazzo checkout.journey.yaml --overlay guest.overlay.yaml --arazzo 1.0.1 --out guest.arazzo.yaml",
      ],
    ],
  });

  format = Option.String({ name: "format" });
  file = Option.String({ name: "file" });
  overlay = overlayOption();
  out = Option.String("--out", {
    description: "File to write; - for standard output (default: the journey's name with .arazzo.yaml)",
  });
  arazzo = Option.String("--arazzo", {
    description: "Version to write: 1.0.1 or 1.1.0 (default: the journey's)",
  });
  force = Option.Boolean("--force", { description: "Replace existing files" });
  strict = Option.Boolean("--strict", { description: "Exit 1 if something was left out" });
  json = Option.Boolean("--json", { description: "Print one JSON object" });

  override async run(): Promise<number> {
    const { exportJourney } = await import("./export/export-journey.ts");
    return exportJourney(this.context, this);
  }
}
