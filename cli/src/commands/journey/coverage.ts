import { Command, Option } from "clipanion";
import { usageError } from "../../lib/cli-error.ts";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class JourneyCoverageCommand extends ConnectionCommand {
  static override paths = [["journey", "coverage"]];

  static override usage = Command.Usage({
    description: "Add up results: which acceptance criteria are proven, which operations were called.",
    details: `
      Reads the results of \`waymark journey run --report json=…\`. A criterion is proven if a run proved it and no run
      failed it. An operation counts if it was called, and as asserted if a step with criteria called it. With
      \`--openapi\`, every operation of a description counts, including those that no journey calls.

      \`--min 80\` is a gate on acceptance criteria and operations alike; \`--min must=100\` on one of them: acceptance,
      must (the criteria of that severity), operations, asserted.

      With \`--cloud\` it reads the server's coverage instead of files: what runs of the newest versions proved and
      called lately, in the cloud runner or uploaded, and the operations of the scanned services. A criterion is also stale
      there, if only an older version proved it.

      Exit codes: 0 ok, 1 a gate failed, 2 usage, or a file without a result, 3 access, 4 server unavailable.
    `,
    examples: [
      ["Add up what a pipeline ran", "$0 journey coverage results/*.json"],
      [
        "Hold it to a minimum, against the whole description",
        "$0 journey coverage results.json --openapi shop=openapi.yaml --min must=100 --min operations=80",
      ],
      [
        "Apply a minimum to the coverage on the server, by cloud runs of the last week",
        "$0 journey coverage --cloud --service shop --origin cloud --window 7 --min must=100 --min operations=80",
      ],
    ],
  });

  files = Option.Rest({ name: "file" });
  cloud = Option.Boolean("--cloud", { description: "Read the coverage on the server, not files" });
  window = Option.String("--window", {
    description: "With --cloud: runs of the last so many days (default 30)",
  });
  env = Option.String("--env", { description: "With --cloud: only runs in this environment" });
  service = Option.String("--service", { description: "With --cloud: only what calls this service" });
  origin = Option.String("--origin", { description: "With --cloud: only cloud or uploaded runs" });
  severity = Option.String("--severity", { description: "With --cloud: only criteria of this severity" });
  openapi = Option.Array("--openapi", [], {
    description: "Description whose operations all count: source=path; repeat it",
  });
  min = Option.Array("--min", [], {
    description: "Gate: minimum percentage, of all or as name=percent",
  });
  json = Option.Boolean("--json", { description: "Print one JSON object instead of the lines" });

  override async run(): Promise<number> {
    if (this.cloud === true) {
      const { reportCloudCoverage } = await import("./coverage/report-cloud-coverage.ts");
      return reportCloudCoverage(this.context, this);
    }
    const { window, env, service, origin, severity, files } = this;
    if ([window, env, service, origin, severity].some((value) => value !== undefined)) {
      throw usageError("--window, --env, --service, --origin and --severity need --cloud.");
    }
    if (files.length === 0) throw usageError("Name files with results, or pass --cloud.");
    const { reportCoverage } = await import("./coverage/report-coverage.ts");
    return reportCoverage(this.context, this);
  }
}
