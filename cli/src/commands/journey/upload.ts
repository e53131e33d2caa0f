import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyUploadCommand extends ConnectionCommand {
  static override paths = [["journey", "upload"]];

  static override usage = Command.Usage({
    description: "Upload results of journeys that ran elsewhere.",
    details: `
      Takes what \`journey run --report json=…\` wrote. The server compares each result with the program that it has built itself,
      removes secrets again, and shows the run as a claim of its uploader. The same result is stored once.

      If the server has not built the program yet, it builds the document \`--journey\` for the environment that the result
      names. \`journey run --upload\` knows the document.

      Exit codes: 0 uploaded, 2 usage or a result that the server refuses, 3 access, 4 server unavailable. It stops at the first
      result that is not stored.
    `,
    examples: [
      ["Upload the results of a pipeline", "$0 journey upload results.json"],
      [
        "Upload the first result of a journey",
        "$0 journey upload results.json --journey journeys/checkout.journey.yaml",
      ],
    ],
  });

  files = Option.Rest({ name: "result", required: 1 });
  journey = Option.String("--journey", { description: "Path of the journey's document on the server" });
  json = Option.Boolean("--json", { description: "Print the uploaded runs as a JSON list" });

  override async run(): Promise<number> {
    const { uploadFiles } = await import("./upload/upload-files.ts");
    return uploadFiles(this.context, this);
  }
}
