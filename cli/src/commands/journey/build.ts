import { Command, Option } from "clipanion";
import { JourneyDocumentCommand } from "./document-command.ts";

export class JourneyBuildCommand extends JourneyDocumentCommand {
  static override paths = [["journey", "build"]];

  static override usage = Command.Usage({
    description:
      "Compile a journey to its artifact, one file that runs without any other, and print its hash.",
    details: `
      The hash covers only what the journey does: folder, comments and the order of keys don't change it. Secrets are in
      the artifact only as references.

      Exit codes: 0 built, 2 usage, or a document that does not compile.
    `,
    examples: [
      ["Write the artifact beside the journey", "$0 journey build checkout.journey.yaml"],
      [
        "A variant, for an environment",
        "$0 journey build checkout.journey.yaml --overlay guest.overlay.yaml --env staging --out guest.artifact.json",
      ],
    ],
  });

  file = Option.String({ name: "file" });
  out = Option.String("--out", {
    description: "File to write; - for standard output (default: the journey's name with .artifact.json)",
  });
  json = Option.Boolean("--json", { description: "Print one JSON object instead of the lines" });

  override async run(): Promise<number> {
    const { buildJourney } = await import("./build/build-journey.ts");
    return buildJourney(this.context, this);
  }
}
