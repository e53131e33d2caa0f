import { Command, Option } from "clipanion";
import { certificateOption } from "../../framework/shared-options.ts";
import { JourneyDocumentCommand } from "./document-command.ts";

export class JourneyTryCommand extends JourneyDocumentCommand {
  static override paths = [["journey", "try"]];

  static override usage = Command.Usage({
    description: "Run a journey until one of its steps, and show that step's request and response.",
    details: `
      Runs the steps until and including the given one, a step of the workflow that is run, and then the teardown. The rest is not
      run, so a try proves nothing: it has no acceptance criteria and no coverage, and can't be uploaded. Secrets are redacted.

      With \`--keep\` the teardown is left out, and the outputs of the steps are kept. For an hour, the next try uses them and sends
      only what is missing, mostly one request, as long as nothing that they come from has changed. Without \`--keep\` it then
      runs the teardown. Of a journey without a teardown, outputs are always kept. They are in a file that only you can read, below
      XDG_CACHE_HOME (~/.cache; LOCALAPPDATA on Windows). It has tokens and what functions made of secrets, but no secret itself.

      Exit codes: 0 the step passed, 1 it failed or was not reached, 2 usage or a document that does not compile, 3 a secret or
      input is missing or wrong, 4 the target can't be reached, 5 ended by a limit or interrupted.
    `,
    examples: [
      [
        "Send a step's request, after the steps before it",
        "$0 journey try checkout.journey.yaml pay --server shop=http://127.0.0.1:8080",
      ],
      [
        "Work on a step: each further try sends one request",
        "$0 journey try checkout.journey.yaml pay --keep",
      ],
      ["Show what would be sent", "$0 journey try checkout.journey.yaml pay --dry-run"],
    ],
  });

  file = Option.String({ name: "file", required: true });
  step = Option.String({ name: "step", required: true });
  keep = Option.Boolean("--keep", {
    description: "Leave the teardown out, and keep the outputs for the next try",
  });
  fresh = Option.Boolean("--fresh", { description: "Use no kept outputs: run all steps before it again" });
  dryRun = Option.Boolean("--dry-run", { description: "Print the requests and send nothing" });
  json = Option.Boolean("--json", { description: "Print one JSON object instead of the lines" });
  input = Option.Array("--input", [], {
    description: "Input: name=value, converted to the type in the journey; repeat it",
  });
  inputs = Option.String("--inputs", { description: "File with inputs, JSON or YAML; - for standard input" });
  secret = Option.Array("--secret", [], {
    description: "File with the value of the secret env:NAME: NAME=path; repeat it",
  });
  server = Option.Array("--server", [], {
    description: "Base address of a source: source=url; repeat it",
  });
  followRedirects = Option.Boolean("--follow-redirects", {
    description: "Follow redirects; without it, a redirect is the response",
  });
  timeout = Option.String("--timeout", { description: "Seconds that the try may take (default 900)" });
  caCert = certificateOption();
  forbidPrivate = Option.Boolean("--forbid-private", {
    description: "Refuse targets on this machine and in private networks",
  });

  override async run(): Promise<number> {
    const { tryJourney } = await import("./try/try-journey.ts");
    return tryJourney(this.context, this);
  }
}
