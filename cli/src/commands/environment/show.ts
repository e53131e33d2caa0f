import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class EnvironmentShowCommand extends ConnectionCommand {
  static override paths = [["environment", "show"]];

  static override usage = Command.Usage({
    description: "Show an environment's settings, the names of its secrets, and what is released for it.",
    details:
      "Exit codes: 0 done, 2 usage or no such environment, 3 authentication or permission, 4 server or network.",
    examples: [["Show one", "$0 environment show staging"]],
  });

  environment = Option.String({ name: "environment", required: true });
  json = Option.Boolean("--json", { description: "Print it as JSON" });

  override async run(): Promise<number> {
    const { printEnvironment } = await import("./run-environment.ts");
    return printEnvironment(this.context, this);
  }
}
