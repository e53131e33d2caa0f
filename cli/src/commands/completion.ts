import { Command, Option } from "clipanion";
import { BaseCommand } from "../framework/base-command.ts";

export class CompletionCommand extends BaseCommand {
  static override paths = [["completion"]];

  static override usage = Command.Usage({
    description: "Print a script for bash, zsh or fish that completes commands and options.",
    examples: [
      ["bash, in ~/.bashrc", 'eval "$($0 completion bash)"'],
      ["zsh, in ~/.zshrc after compinit", 'eval "$($0 completion zsh)"'],
      ["fish", "$0 completion fish > ~/.config/fish/completions/waymark.fish"],
    ],
  });

  shell = Option.String({ required: false });

  override async run(): Promise<number> {
    const { runCompletion } = await import("./completion/run-completion.ts");
    return runCompletion(this.context, { shell: this.shell, commands: this.cli.definitions() });
  }
}
