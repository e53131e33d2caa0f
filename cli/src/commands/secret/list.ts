import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class SecretListCommand extends ConnectionCommand {
  static override paths = [["secret", "list"]];

  static override usage = Command.Usage({
    description: "List the secrets of an environment: names, hosts, versions and last use, no values.",
    details:
      "Exit codes: 0 done, 2 usage or no such environment, 3 authentication or permission, 4 server or network.",
    examples: [["List them", "$0 secret list --env staging"]],
  });

  env = Option.String("--env", { description: "Name or id of the environment" });
  json = Option.Boolean("--json", { description: "Print them as a JSON list" });

  override async run(): Promise<number> {
    const { printSecrets } = await import("./run-secret.ts");
    return printSecrets(this.context, this);
  }
}
