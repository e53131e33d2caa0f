import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class EnvironmentListCommand extends ConnectionCommand {
  static override paths = [["environment", "list"]];

  static override usage = Command.Usage({
    description: "List the environments that journeys run in.",
    details: "Exit codes: 0 done, 2 usage, 3 authentication or permission, 4 server or network.",
    examples: [["List them", "$0 environment list"]],
  });

  json = Option.Boolean("--json", { description: "Print them as a JSON list" });

  override async run(): Promise<number> {
    const { printEnvironments } = await import("./run-environment.ts");
    return printEnvironments(this.context, this);
  }
}
