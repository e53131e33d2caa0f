import { Command, Option } from "clipanion";
import { BaseCommand } from "../app/base-command.ts";
import {
  configOption,
  formatOption,
  jsonOption,
  lintTimeoutOption,
  pluginsOption,
  rulesOption,
  severityOption,
  stdinNameOption,
} from "./shared-options.ts";

export class DiffCommand extends BaseCommand {
  static override paths = [["diff"]];

  static override usage = Command.Usage({
    description: "Compare two OpenAPI files: their endpoints and findings.",
    details: `
      Compares like a Waymark server compares two runs, without a server or a key: method, path, operationId, tags and summary of each
      endpoint. Parameters, bodies and responses are not compared. A removed endpoint breaks its clients, and a changed operationId breaks
      generated clients; a path parameter with another name breaks none. Gates have the exit codes of waymark scan: --fail-on counts the findings that
      the second file adds.

      Exit codes: 0 ok, 1 a gate failed, 2 usage or spec.
    `,
    examples: [
      ["What a branch changes", "git show main:openapi.yaml | $0 diff - openapi.yaml"],
      [
        "Fail on endpoints that disappeared and on new findings",
        "$0 diff base.yaml head.yaml --fail-on-removed --fail-on high",
      ],
    ],
  });

  base = Option.String({ name: "base" });
  head = Option.String({ name: "head" });
  override config = configOption();
  stdinName = stdinNameOption();
  lint = Option.Boolean("--lint", { description: "Lint both files and compare the findings" });
  rules = rulesOption();
  severity = severityOption();
  lintTimeout = lintTimeoutOption();
  allowPlugins = pluginsOption();
  failOn = Option.String("--fail-on", {
    description: "Gate: exit 1 on new findings of this severity or above (info, low, medium, high, critical)",
  });
  failOnRemoved = Option.Boolean("--fail-on-removed", {
    description: "Gate: exit 1 if endpoints are missing",
  });
  allowOutside = Option.Boolean("--allow-outside", {
    description: "Follow references to files outside the folder of each file",
  });
  format = formatOption();
  json = jsonOption();

  override async run(): Promise<number> {
    const { runDiff } = await import("./diff/run-diff.ts");
    return runDiff(this.context, this);
  }
}
