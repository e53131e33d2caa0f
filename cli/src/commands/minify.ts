import { Command, Option } from "clipanion";
import { BaseCommand } from "../framework/base-command.ts";
import {
  excludePathOption,
  includePathOption,
  stdinNameOption,
  tagOption,
} from "../framework/shared-options.ts";

export class MinifyCommand extends BaseCommand {
  static override paths = [["minify"]];

  static override usage = Command.Usage({
    description: "Make an OpenAPI description small enough for a scan, as one JSON file.",
    details: `
      Leaves out white space, comments and examples, and with --include-path, --exclude-path or --tag the other operations with the components
      that only these use. What the description refers to in other files becomes part of it. What clients may send and get stays as it
      is, so that a scan has the same endpoints and diff finds no change.

      It reads files of up to 50 MB. A scan takes 10 MB and 2,000 operations: a note says if the result has more.

      Exit codes: 0 ok, 2 usage or spec.
    `,
    examples: [
      ["Make a large description scannable", "$0 minify api.github.com.yaml --out github.json"],
      [
        "Scan a part of one with too many operations",
        "$0 minify graph.yaml --include-path '/users/**' | $0 scan --service graph-users --spec -",
      ],
    ],
  });

  file = Option.String({ name: "file" });
  includePath = includePathOption();
  excludePath = excludePathOption();
  tag = tagOption();
  stdinName = stdinNameOption();
  out = Option.String("--out", { description: "File to write (default: standard output)" });
  force = Option.Boolean("--force", { description: "Replace an existing file" });
  allowOutside = Option.Boolean("--allow-outside", {
    description: "Follow references to files outside the spec's folder",
  });

  override async run(): Promise<number> {
    const { runMinify } = await import("./minify/run-minify.ts");
    return runMinify(this.context, this);
  }
}
