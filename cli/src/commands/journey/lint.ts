import { Command, Option } from "clipanion";
import { JourneyDocumentCommand } from "./document-command.ts";

export class JourneyLintCommand extends JourneyDocumentCommand {
  static override paths = [["journey", "lint"]];

  static override usage = Command.Usage({
    description: "Report all problems of journeys, each with file, line and column.",
    details: `
      Checks syntax, structure, ids, references, conditions, secrets and acceptance criteria, and whether the journey
      compiles with its OpenAPI descriptions. An overlay is checked together with its base. A folder stands for the journeys and
      Arazzo documents below it. On GitHub Actions the problems are shown beside the lines. Nothing is sent anywhere.

      Exit codes: 0 no errors, 1 warnings with --fail-on-warnings, 2 errors or usage.
    `,
    examples: [
      ["Check a journey", "$0 journey lint checkout.journey.yaml"],
      [
        "Check a journey with an overlay on top",
        "$0 journey lint checkout.journey.yaml --overlay guest.overlay.yaml",
      ],
      ["Check many in a pipeline", "$0 journey lint --fail-on-warnings journeys"],
    ],
  });

  files = Option.Rest({ name: "file", required: 1 });
  failOnWarnings = Option.Boolean("--fail-on-warnings", { description: "Gate: exit 1 on warnings" });
  json = Option.Boolean("--json", { description: "Print the problems as a JSON list" });

  override async run(): Promise<number> {
    const { lintJourneys } = await import("./lint/lint-journeys.ts");
    return lintJourneys(this.context, this);
  }
}
