import { Command, Option } from "clipanion";
import { BaseCommand } from "../framework/base-command.ts";

export class HelpCommand extends BaseCommand {
  static override paths = [["help"]];

  static override usage = Command.Usage({
    description: "Show the commands, or the help of one command.",
    details:
      "The same as --help after a command. With --man, it is the whole manual page in the format of man.",
    examples: [
      ["What a command takes", "$0 help scan"],
      ["The commands of a group", "$0 help journey"],
      ["Install the manual page", "$0 help --man > /usr/local/share/man/man1/waymark.1"],
    ],
  });

  names = Option.Rest({ name: "command" });
  man = Option.Boolean("--man", { description: "Print the manual page" });

  override async run(): Promise<number> {
    const { runHelp } = await import("./help/run-help.ts");
    return runHelp(this.context, { names: this.names, man: this.man ?? false, cli: this.cli });
  }
}
