import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class EnvironmentDeleteCommand extends ConnectionCommand {
  static override paths = [["environment", "delete"]];

  static override usage = Command.Usage({
    description: "Delete an environment with its secrets and releases.",
    details:
      "Exit codes: 0 done, 2 usage, no such environment or in use, 3 authentication or permission, 4 server or network.",
    examples: [["Delete one", "$0 environment delete staging"]],
  });

  environment = Option.String({ name: "environment", required: true });

  override async run(): Promise<number> {
    const { removeEnvironment } = await import("./run-environment.ts");
    return removeEnvironment(this.context, this);
  }
}
