import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class SecretRemoveCommand extends ConnectionCommand {
  static override paths = [["secret", "remove"]];

  static override usage = Command.Usage({
    description: "Remove a secret from an environment.",
    details:
      "Exit codes: 0 done, 2 usage or no such secret, 3 authentication or permission, 4 server or network.",
    examples: [["Remove one", "$0 secret remove PAYMENTS_TOKEN --env staging"]],
  });

  secret = Option.String({ name: "name", required: true });
  env = Option.String("--env", { description: "Name or id of the environment" });

  override async run(): Promise<number> {
    const { removeSecret } = await import("./run-secret.ts");
    return removeSecret(this.context, this);
  }
}
