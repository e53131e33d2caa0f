import { Command, Option } from "clipanion";
import { BaseCommand } from "../../framework/base-command.ts";

export class JourneyImportCommand extends BaseCommand {
  static override paths = [["journey", "import"]];

  static override usage = Command.Usage({
    description: "Create a journey from a Postman collection (2.0, 2.1) or a HAR 1.2 recording.",
    details: `
      Nothing in the file is executed. Requests become steps in their order, variables become inputs, common tests become
      criteria and outputs. Passwords, tokens and keys never get into the journey: they become secret inputs by reference.
      The command lists what was left out and what needs a review.

      Exit codes: 0 created, 1 created with something left out and --strict, 2 usage, or a file that can't be read.
    `,
    examples: [
      ["A Postman collection", "$0 journey import postman shop.postman_collection.json"],
      ["A recording of the browser", "$0 journey import har checkout.har --out checkout.journey.yaml"],
    ],
  });

  format = Option.String({ name: "format" });
  file = Option.String({ name: "file" });
  out = Option.String("--out", {
    description: "File to write; - for standard output (default: the file's name with .journey.yaml)",
  });
  title = Option.String("--title", { description: "Title (default: of the collection, or the file's name)" });
  force = Option.Boolean("--force", { description: "Replace an existing file" });
  strict = Option.Boolean("--strict", { description: "Exit 1 if something was left out" });
  json = Option.Boolean("--json", { description: "Print one JSON object" });

  override async run(): Promise<number> {
    const { importJourney } = await import("./import/import-journey.ts");
    return importJourney(this.context, this);
  }
}
