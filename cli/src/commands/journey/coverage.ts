import { Command, Option } from "clipanion";
import { BaseCommand } from "../../app/base-command.ts";

export class JourneyCoverageCommand extends BaseCommand {
  static override paths = [["journey", "coverage"]];

  static override usage = Command.Usage({
    description: "Add up results: which acceptance criteria are proven, which operations were called.",
    details: `
      Reads what \`waymark journey run --report json=…\` wrote. A criterion is proven when a run proved it and none
      failed it. An operation counts once it was called, and as asserted once a step with criteria called it. With
      \`--openapi\` every operation of a description is counted, also those that no journey names.

      \`--min 80\` is a gate on acceptance criteria and operations alike; \`--min must=100\` on one of them: acceptance,
      must (the criteria of that severity), operations, asserted.

      Exit codes: 0 ok, 1 a gate does not hold, 2 usage, or a file that holds no result.
    `,
    examples: [
      ["Add up what a pipeline ran", "$0 journey coverage results/*.json"],
      [
        "Hold it to a minimum, against the whole description",
        "$0 journey coverage results.json --openapi shop=openapi.yaml --min must=100 --min operations=80",
      ],
    ],
  });

  files = Option.Rest({ name: "file", required: 1 });
  openapi = Option.Array("--openapi", [], {
    description: "Description whose operations all count: source=path; repeat it",
  });
  min = Option.Array("--min", [], {
    description: "Gate: at least so many percent, of all or of name=percent",
  });
  json = Option.Boolean("--json", { description: "Print one JSON object instead of the lines" });

  override async run(): Promise<number> {
    const { reportCoverage } = await import("./coverage/report-coverage.ts");
    return reportCoverage(this.context, this);
  }
}
