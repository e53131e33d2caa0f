import type { Definition } from "clipanion";
import type { CliContext } from "../../framework/context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { writeText } from "../../lib/output.ts";
import { bashScript } from "./bash-script.ts";
import { type CompletedCommand, toCompleted } from "./completed-command.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const SCRIPTS: Record<string, (commands: readonly CompletedCommand[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints a script generated from the registered commands, so that none is missing. */
export function runCompletion(
  { stdout }: CliContext,
  options: { shell: string | undefined; commands: readonly Definition[] },
): ExitCode {
  const script = Object.hasOwn(SCRIPTS, options.shell ?? "") ? SCRIPTS[options.shell ?? ""] : undefined;
  if (script === undefined) throw usageError(`Name a shell: ${Object.keys(SCRIPTS).join(", ")}.`);
  const commands = options.commands.filter(({ path }) => /^waymark [a-z]/.test(path));
  const firstWords = [...new Set(commands.map(({ path }) => path.split(" ")[1] ?? ""))];
  writeText(stdout, script(commands.map((each) => toCompleted(each, firstWords))));
  return EXIT_CODES.ok;
}
