import { commandHelp, type Commands, generalHelp, groupHelp } from "../../framework/help.ts";
import { suggestion } from "../../framework/nearest-command.ts";
import type { CliContext } from "../../framework/context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { writeText } from "../../lib/output.ts";
import { printable } from "../../lib/text.ts";

/** Prints the help of a command or a group, the list of commands, or the manual page. */
export async function runHelp(
  { stdout }: CliContext,
  { names, man, cli }: { names: readonly string[]; man: boolean; cli: Commands },
): Promise<ExitCode> {
  if (man) {
    const { manualPage } = await import("./manual-page.ts");
    writeText(stdout, manualPage(cli));
    return EXIT_CODES.ok;
  }
  const name = names.join(" ");
  const help = name === "" ? generalHelp(cli) : (commandHelp(cli, name) ?? groupHelp(cli, name));
  if (help === undefined) {
    throw usageError(
      `There is no command "${printable(name, 60)}".${suggestion(name, commandNames(cli))} See waymark help.`,
    );
  }
  writeText(stdout, help);
  return EXIT_CODES.ok;
}

function commandNames(cli: Commands): string[] {
  return cli.definitions().map(({ path }) => path.replace(/^waymark /, ""));
}
