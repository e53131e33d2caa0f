import { Command } from "clipanion";
import { ServerCommand } from "../framework/server-command.ts";

export class LogoutCommand extends ServerCommand {
  static override paths = [["logout"]];

  static override usage = Command.Usage({
    description: "Remove the API key that waymark login stored for a server.",
    details: `
      Removes the key from this machine, and sends nothing. The server still accepts the key: revoke it in the console if
      nothing else uses it.

      Exit codes: 0 no key is stored any more, 2 usage.
    `,
    examples: [["Remove the key of a server", "$0 logout --api-url https://waymark.example.com"]],
  });

  override async run(): Promise<number> {
    const { runLogout } = await import("./login/run-logout.ts");
    return runLogout(this.context, this);
  }
}
