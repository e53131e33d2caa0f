import { Command } from "clipanion";
import { ServerCommand } from "../framework/server-command.ts";

export class LoginCommand extends ServerCommand {
  static override paths = [["login"]];

  static override usage = Command.Usage({
    description: "Store an API key for a server, so that the other commands find it.",
    details: `
      Asks for the key without showing it, or reads it from standard input. A key is never an argument: other users of the machine
      can read command lines, and shells keep them. The server must accept the key before it is stored.

      The key is kept in a file that only you can read, one for each server, below XDG_CONFIG_HOME (~/.config; APPDATA on Windows).
      It is used for that server only. --api-key, --api-key-file and SERVICE_API_KEY take precedence; pipelines use these.

      Exit codes: 0 stored, 2 usage, 3 the server refuses the key, 4 server or network.
    `,
    examples: [
      ["Type or paste the key", "$0 login --api-url https://waymark.example.com"],
      ["Take it from a password store", "pass show waymark | $0 login --api-url https://waymark.example.com"],
    ],
  });

  override async run(): Promise<number> {
    const { runLogin } = await import("./login/run-login.ts");
    return runLogin(this.context, this);
  }
}
