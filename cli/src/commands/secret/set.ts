import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class SecretSetCommand extends ConnectionCommand {
  static override paths = [["secret", "set"]];

  static override usage = Command.Usage({
    description: "Set a secret of an environment, with the value from standard input.",
    details: `
      A value is never an argument: other users of the machine can read command lines, and shells keep them. One line break
      at its end is dropped. The value is encrypted, sent only to its hosts, and can't be read again.

      Exit codes: 0 done, 2 usage or refused, 3 authentication or permission, 4 server or network.
    `,
    examples: [
      ["From a file", "$0 secret set PAYMENTS_TOKEN --env staging < token.txt"],
      [
        "From a secret store, for one host",
        "vault read -field=token kv/payments | $0 secret set PAYMENTS_TOKEN --env staging --host payments.example.com",
      ],
    ],
  });

  secret = Option.String({ name: "name", required: true });
  env = Option.String("--env", { description: "Name or id of the environment" });
  host = Option.Array("--host", [], {
    description: "Host that the value may be sent to; repeat it (default: the environment's servers)",
  });

  override async run(): Promise<number> {
    const { setFromStandardInput } = await import("./run-secret.ts");
    return setFromStandardInput(this.context, this);
  }
}
