import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { Command, Option } from "clipanion";
import {
  allowHostOption,
  allowHttpOption,
  apiKeyFileOption,
  apiKeyOption,
  apiUrlOption,
  certificateOption,
} from "../../framework/shared-options.ts";
import { JourneyDocumentCommand } from "./document-command.ts";

export class JourneyRunCommand extends JourneyDocumentCommand {
  static override paths = [["journey", "run"]];

  static override usage = Command.Usage({
    description: "Run journeys, from documents or artifacts, and show what they proved.",
    details: `
      A folder stands for the journeys and Arazzo documents below it. Shows every step as it runs, with its assertions and outputs. In CI (the variable CI is set), a journey that passes is
      one line; failures are shown completely, with actual and expected values and file:line.

      An input is taken from the data row, otherwise from \`--input\`, \`--inputs\`, the environment in waymark.yaml, or
      the journey's default, in this order. A secret \`env:NAME\` is the variable NAME, or the file of
      \`--secret NAME=path\`. Secrets are redacted in all output.

      With \`--cloud\` the server runs its own documents of these paths, in its environment \`--env\`. Push them first. An
      interrupt cancels the run, whose teardown still runs.

      With \`--upload\` the server stores the results, as claims of this machine: they count where it has built the same
      program, so give the environment's name with \`--env\`. An upload that fails is a warning; \`--spool\` keeps its result for
      waymark flush, and \`--require-upload\` makes it an error. \`--replay\` repeats a run of the server here: its
      artifact, seed and inputs, with the secrets of this machine.

      Exit codes: 0 passed, 1 a journey failed, 2 usage or a document that does not compile, 3 a secret or input is
      missing or wrong, 4 the target can't be reached, 5 ended by a limit or interrupted. Of several, the highest: a document
      that does not compile stops no other, unless \`--bail\` is given.
    `,
    examples: [
      ["Run a journey", "$0 journey run checkout.journey.yaml --server shop=http://127.0.0.1:8080"],
      [
        "Run an artifact, with inputs",
        "$0 journey run checkout.artifact.json --input item=book --input count=2",
      ],
      [
        "Run many in a pipeline, with reports",
        "$0 journey run --parallel 4 --report junit=journeys.xml --report json=results.json journeys",
      ],
      [
        "Run on the server what was pushed to it",
        "$0 journey run --cloud --env staging checkout.journey.yaml",
      ],
      [
        "Run in a pipeline, and show the results on the server",
        "$0 journey run --env staging --upload --spool .waymark-spool journeys/*.journey.yaml",
      ],
      [
        "Repeat a run of the server on this machine",
        "$0 journey run --replay 019a0000-0000-7000-8000-000000000001 --server shop=http://127.0.0.1:8080",
      ],
      ["Run once per row of a table", "$0 journey run checkout.journey.yaml --data orders.csv --bail"],
    ],
  });

  files = Option.Rest({ name: "file" });
  input = Option.Array("--input", [], {
    description: "Input: name=value, converted to the type in the journey; repeat it",
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
  bail = Option.Boolean("--bail", { description: "Start no further run after one that did not pass" });
  strictContract = Option.Boolean("--strict-contract", {
    description: "Fail if a response contradicts the OpenAPI description",
  });
  followRedirects = Option.Boolean("--follow-redirects", {
    description: "Follow redirects; without it, a redirect is the response",
  });
  timeout = Option.String("--timeout", { description: "Seconds that a run may take (default 900)" });
  seed = Option.String("--seed", {
    description: "Seed of generated values: that of a result repeats its values",
  });
  report = Option.Array("--report", [], {
    description: `Report: format=path (${REPORT_FORMATS.join(", ")}), - for standard output; repeat it`,
  });
  caCert = certificateOption();
  forbidPrivate = Option.Boolean("--forbid-private", {
    description: "Refuse targets on this machine and in private networks",
  });
  quiet = Option.Boolean("--quiet", { description: "Print only what did not pass" });
  verbose = Option.Boolean("--verbose", { description: "Print every step, also in CI" });
  cloud = Option.Boolean("--cloud", { description: "Let the server run its documents of these paths" });
  wait = Option.Boolean("--wait", true, {
    description: "With --cloud: wait for the result; --no-wait prints the run",
  });
  upload = Option.Boolean("--upload", { description: "Upload the results to the server" });
  requireUpload = Option.Boolean("--require-upload", {
    description: "Upload them, and fail if one is not stored",
  });
  spool = Option.String("--spool", { description: "Folder for results that could not be uploaded" });
  replay = Option.String("--replay", { description: "Repeat this run of the server here, by its id" });
  apiKey = apiKeyOption();
  apiKeyFile = apiKeyFileOption();
  apiUrl = apiUrlOption();
  allowHost = allowHostOption();
  allowHttp = allowHttpOption();

  override async run(): Promise<number> {
    if (this.cloud === true) {
      const { runInCloud } = await import("./cloud/run-in-cloud.ts");
      return runInCloud(this.context, this);
    }
    const { runJourneys } = await import("./run/run-journeys.ts");
    return runJourneys(this.context, this);
  }
}
