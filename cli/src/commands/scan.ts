import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../framework/connection-command.ts";
import { runScan } from "./scan/run-scan.ts";
import {
  excludePathOption,
  formatOption,
  includePathOption,
  jsonOption,
  lintTimeoutOption,
  pluginsOption,
  rulesOption,
  severityOption,
  stdinNameOption,
  tagOption,
} from "../framework/shared-options.ts";

/** The most frequent command. It loads rarely needed code on demand. */
export class ScanCommand extends ConnectionCommand {
  static override paths = [["scan"]];

  static override usage = Command.Usage({
    description: "Read an OpenAPI file and submit its endpoints as a scan.",
    details: `
      Reads OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0, as JSON or YAML. Local files that paths refer to with \`$ref\` are
      read too, within the folder of the spec; nothing is ever fetched over the network.

      On success it prints three lines: the scan run's id, the address of its result, and its counts.

      With --service-from, --spec may be a pattern (\`*\`, \`**\`, \`?\`, \`{a,b}\`). All files are read before the first scan is sent, and nothing is
      sent if one of them is wrong. A scan that fails does not stop the others; the exit code is the highest one, and --json prints an
      object for each in a line of its own.

      --findings takes the reports of other tools, with or without --lint. A finding belongs to the endpoint at its place. Findings about
      files that are not scanned are left out and counted; a report of which no file is here is an error.

      With --format jsonl, each line is an object with a type: finding, endpoint-change and finding-change (what a gate compared with
      the current run), and result, which is what --json prints.

      --fail-on breaking reads the description of the service's current run before the scan is sent, and compares it with this one. What can't
      be compared fails the gate, with the reason; the first scan of a service passes. Without the gate, a summary has the comparison, and
      nothing waits for it longer than some seconds.

      Findings that somebody has decided about, on the server (waymark decide) or under decisions in \`waymark.yaml\`, don't fail --fail-on. A note
      says how many there are. If the server can't tell its decisions, none of them counts.

      A scan that becomes current sets the owner of a service that has none: the team that owner in \`waymark.yaml\` names, or the one with a handle
      that CODEOWNERS names for the description.

      After the scan is stored, the description is stored too, as one text with all that was scanned, unless the server has it. That
      never fails the scan. A description with a password or a key is not sent; secrets that look like any other text are not recognized:
      pass --no-description for a description with such examples.

      Missing options are taken from the environment, then from \`waymark.yaml\` (service, owner, spec, or services with both of each, url, lint,
      rules, gates, decisions, description; never the key): the nearest one from the working directory up to the root of its repository, or that of --config.
      Paths in it are relative to it. A pull request can change that file, so the key goes to an address
      in it only if --allow-host or WAYMARK_ALLOWED_HOSTS names the host.

      Exit codes: 0 ok, 1 a gate failed, 2 usage or spec, 3 authentication or permission, 4 server or network,
      5 waiting timed out.
    `,
    examples: [
      [
        "Scan a file, with the key from the environment (SERVICE_API_KEY)",
        "$0 scan --service orders --spec openapi.yaml",
      ],
      [
        "Name the server and the key",
        "$0 scan --service orders --spec openapi.json --api-url https://waymark.example.com --api-key wmk_…",
      ],
      ["Read the spec from another command", "generate-openapi | $0 scan --service orders --spec -"],
      [
        "Scan a repository with many services, each named after its folder or file",
        "$0 scan --spec 'services/*/openapi.yaml' --service-from file",
      ],
      [
        "Fail a pull request on changes that break clients",
        "$0 scan --service orders --spec openapi.yaml --fail-on breaking",
      ],
      [
        "Fail a pipeline on new findings and on endpoints that disappeared",
        "$0 scan --service orders --spec openapi.yaml --fail-on high --new-only --fail-on-removed",
      ],
      [
        "Submit what Spectral found, and fail on its errors",
        "$0 scan --service orders --spec openapi.yaml --findings spectral.json --fail-on high",
      ],
      [
        "Never lose a scan to a server that is down: keep it, and send it later",
        "$0 scan --service orders --spec openapi.yaml --spool .waymark-spool --on-upload-error warn",
      ],
    ],
  });

  service = Option.String("--service", { description: "Name of the service to create or update" });
  spec = Option.String("--spec", {
    description: "Local OpenAPI file, JSON or YAML; - for standard input; a pattern with --service-from",
  });
  stdinName = stdinNameOption();
  serviceFrom = Option.String("--service-from", {
    description:
      "Scan every file that matches --spec, each as the service of its title or file (title, file)",
  });
  discover = Option.Boolean("--discover", {
    description:
      "Scan every description below the working directory, each as a service of its own, as waymark init finds them",
  });
  includePath = includePathOption();
  excludePath = excludePathOption();
  tag = tagOption();
  lint = Option.Boolean("--lint", { description: "Lint the spec and submit the findings" });
  rules = rulesOption();
  severity = severityOption();
  lintTimeout = lintTimeoutOption();
  allowPlugins = pluginsOption();
  findings = Option.Array("--findings", [], {
    description:
      "Submit the findings of another tool's report, too: SARIF 2.1.0, or the JSON of Spectral or vacuum; repeat it",
  });
  failOn = Option.Array("--fail-on", [], {
    description:
      "Gate: exit 1 on changes of the current run that break clients (breaking, or maybe), or on findings of this severity or above (info, low, medium, high, critical); repeat it for both",
  });
  newOnly = Option.Boolean("--new-only", {
    description: "Count only findings that the current run doesn't have",
  });
  failOnRemoved = Option.Boolean("--fail-on-removed", {
    description: "Gate: exit 1 if endpoints of the current run are missing",
  });
  failOnBrokenJourneys = Option.Boolean("--fail-on-broken-journeys", {
    description: "Gate: exit 1 if journeys on the server call endpoints that the scan removes",
  });
  promote = Option.Boolean("--promote", {
    description:
      "Make the run the service's current one; --no-promote, the default in builds of pull requests, only stores it",
  });
  storesDescription = Option.Boolean("--description", {
    description:
      "Store the description, too, after the scan; --no-description, or description: false in waymark.yaml, sends only its endpoints",
  });
  wait = Option.Boolean("--wait", { description: "Wait until the run is completed or has failed" });
  waitTimeout = Option.String("--wait-timeout", { description: "Maximum seconds to wait (default 300)" });
  spool = Option.String("--spool", { description: "Folder for scans that could not be sent" });
  onUploadError = Option.String("--on-upload-error", {
    description: "fail (default), or warn: exit 0 if the server can't be reached",
  });
  allowOutside = Option.Boolean("--allow-outside", {
    description: "Follow references to files outside the spec's folder",
  });
  dryRun = Option.Boolean("--dry-run", { description: "Show what would be sent, and send nothing" });
  format = formatOption();
  json = jsonOption();
  quiet = Option.Boolean("--quiet", { description: "Print nothing but errors and what a scan leaves out" });
  summary = Option.String("--summary", {
    description:
      "Add a summary in Markdown to this file, for a comment; a run that does not become current is compared in it",
  });
  reportSarif = Option.String("--report-sarif", {
    description: "Write the findings to this file as SARIF 2.1.0; - for standard output",
  });
  reportJunit = Option.String("--report-junit", {
    description: "Write the findings to this file as JUnit XML; - for standard output",
  });
  reportCodequality = Option.String("--report-codequality", {
    description: "Write the findings to this file for GitLab's Code Quality; - for standard output",
  });

  override run(): Promise<number> {
    return runScan(this.context, this);
  }
}
