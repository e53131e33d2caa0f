import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyResultCommand extends ConnectionCommand {
  static override paths = [["journey", "result"]];

  static override usage = Command.Usage({
    description: "Show how a run of a journey on the server went, and write its reports.",
    details: `
      Every step is shown as journey run shows it. The reports are those of journey run.

      Exit codes: those of journey run; also 2 while the run has no result, 3 access, 4 server unavailable.
    `,
    examples: [
      [
        "Show a run, and write its JUnit report",
        "$0 journey result 019a0000-0000-7000-8000-000000000001 --report junit=journeys.xml",
      ],
    ],
  });

  runId = Option.String({ name: "run", required: true });
  report = Option.Array("--report", [], {
    description: `Report: format=path (${REPORT_FORMATS.join(", ")}), - for standard output; repeat it`,
  });

  override async run(): Promise<number> {
    const { showResult } = await import("./cloud/show-result.ts");
    return showResult(this.context, this);
  }
}
