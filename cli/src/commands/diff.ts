import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../framework/connection-command.ts";
import {
  jsonOption,
  lintTimeoutOption,
  pluginsOption,
  rulesOption,
  severityOption,
  stdinNameOption,
} from "../framework/shared-options.ts";

export class DiffCommand extends ConnectionCommand {
  static override paths = [["diff"]];

  static override usage = Command.Usage({
    description: "Compare two OpenAPI files: endpoints, findings, and what breaks clients.",
    details: `
      Compares what clients may send and get, operation by operation. A change breaks if a client that keeps to the first file can stop
      working with the second one. Each of the two is a file, - for standard input, or REV:path for a file of a git revision, with the
      files that it refers to in that revision. These need no server and no key.

      current is the description of the service's current run, as the server stores it, and a run's id the one of that run: the key
      needs endpoints:read, and services:read. A file of that name is ./current. With --allow-url, an address is read over the network,
      without any credentials; what it refers to in other files is not.

      Changes with an exception in waymark.yaml pass the gates. Changes that are approved on the server pass them, too, where one of the
      two is current or a run of that service.

      Without a gate, the exit code is 0 whatever changed. --fail-on breaking counts changes that break clients, --fail-on maybe also
      those that may, and --fail-on <severity> the findings that the second file adds.

      Exit codes: 0 ok, 1 a gate failed, 2 usage or spec.
    `,
    examples: [
      ["What a branch changes", "$0 diff main:openapi.yaml openapi.yaml"],
      ["Fail on changes that break clients", "$0 diff main:openapi.yaml openapi.yaml --fail-on breaking"],
      ["Compare with what the service offers now", "$0 diff current openapi.yaml --service orders"],
      [
        "Show the changes in GitLab's merge request",
        "$0 diff main:api.yaml api.yaml --format codequality > changes.json",
      ],
      [
        "Fail on endpoints that disappeared and on new findings",
        "$0 diff base.yaml head.yaml --fail-on-removed --fail-on high",
      ],
    ],
  });

  base = Option.String({ name: "base" });
  head = Option.String({ name: "head" });
  service = Option.String("--service", { description: "Name of the service whose current run is current" });
  allowUrl = Option.Boolean("--allow-url", {
    description: "Read a description from an http:// or https:// address, without credentials",
  });
  stdinName = stdinNameOption();
  lint = Option.Boolean("--lint", { description: "Lint both files and compare the findings" });
  rules = rulesOption();
  severity = severityOption();
  lintTimeout = lintTimeoutOption();
  allowPlugins = pluginsOption();
  failOn = Option.Array("--fail-on", [], {
    description:
      "Gate: exit 1 on changes that break clients (breaking, or maybe), or on new findings of this severity or above (info, low, medium, high, critical); repeat it for both",
  });
  failOnRemoved = Option.Boolean("--fail-on-removed", {
    description: "Gate: exit 1 if endpoints are missing",
  });
  allowOutside = Option.Boolean("--allow-outside", {
    description: "Follow references to files outside the folder of each file",
  });
  format = Option.String("--format", {
    description:
      "How to print the result: text (default), markdown, json (one object), jsonl (a line for each finding, change and result), sarif (2.1.0), junit (XML), codequality (GitLab), github or azure (annotations)",
  });
  json = jsonOption();

  override async run(): Promise<number> {
    const { runDiff } = await import("./diff/run-diff.ts");
    return runDiff(this.context, this);
  }
}
