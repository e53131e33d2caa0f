import { Command, Option } from "clipanion";
import { certificateOption } from "../shared-options.ts";
import { JourneyDocumentCommand } from "./document-command.ts";

export class JourneyRunCommand extends JourneyDocumentCommand {
  static override paths = [["journey", "run"]];

  static override usage = Command.Usage({
    description: "Run journeys, from documents or artifacts, and say what they proved.",
    details: `
      Every step is shown as it runs, with its assertions and the values it derived. In CI (the variable CI is set) a
      journey that passes is one line; what failed is shown in full, with actual, expected and file:line.

      An input is found in the data row, then \`--input\`, then \`--inputs\`, then the environment in waymark.yaml, then
      the journey's own default. A secret is read where the journey says: \`env:NAME\` is the variable NAME, or the file
      that \`--secret NAME=path\` gives. It is shown nowhere.

      Exit codes: 0 passed, 1 a journey failed, 2 usage or a document that does not compile, 3 a secret or input is
      missing or wrong, 4 the target can't be reached, 5 ended by a limit or interrupted. Of several, the highest.
    `,
    examples: [
      ["Run a journey", "$0 journey run checkout.journey.yaml --server shop=http://127.0.0.1:8080"],
      [
        "Run an artifact, with inputs",
        "$0 journey run checkout.artifact.json --input item=book --input count=2",
      ],
      [
        "Run many in a pipeline, with reports",
        "$0 journey run --parallel 4 --report junit=journeys.xml --report json=results.json journeys/*.journey.yaml",
      ],
      ["Run once per row of a table", "$0 journey run checkout.journey.yaml --data orders.csv --bail"],
    ],
  });

  files = Option.Rest({ name: "file", required: 1 });
  input = Option.Array("--input", [], {
    description: "Input: name=value, typed as the journey describes it; repeat it",
  });
  inputs = Option.String("--inputs", { description: "File with inputs, JSON or YAML; - for standard input" });
  data = Option.String("--data", { description: "File with rows of inputs, CSV or JSON: one run for each" });
  secret = Option.Array("--secret", [], {
    description: "File with the value of the secret env:NAME: NAME=path; repeat it",
  });
  server = Option.Array("--server", [], {
    description: "Base address of a source: source=url; repeat it",
  });
  parallel = Option.String("--parallel", { description: "How many run at the same time (default 1)" });
  bail = Option.Boolean("--bail", { description: "Start no further run once one did not pass" });
  strictContract = Option.Boolean("--strict-contract", {
    description: "Fail when a response is not as the OpenAPI description has it",
  });
  followRedirects = Option.Boolean("--follow-redirects", {
    description: "Follow redirects; without it a redirect is the answer",
  });
  timeout = Option.String("--timeout", { description: "Seconds that a run may take (default 900)" });
  seed = Option.String("--seed", {
    description: "Seed of generated values: the one that a result names repeats them",
  });
  report = Option.Array("--report", [], {
    description: "Report: format=path (json, junit, html, har, ctrf), - for standard output; repeat it",
  });
  caCert = certificateOption();
  forbidPrivate = Option.Boolean("--forbid-private", {
    description: "Refuse targets on this machine and in private networks",
  });
  quiet = Option.Boolean("--quiet", { description: "Print only what did not pass" });
  verbose = Option.Boolean("--verbose", { description: "Print every step, also in CI" });

  override async run(): Promise<number> {
    const { runJourneys } = await import("./run/run-journeys.ts");
    return runJourneys(this.context, this);
  }
}
