import { Cli, type CommandClass } from "clipanion";
import { CliError, EXIT_CODES, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { VERSION } from "../version.ts";
import type { CliContext } from "../context.ts";
import { COMMAND_NAMES, commandName, commandsFor, FIRST_WORDS } from "./commands.ts";
import { nearestCommand } from "./nearest-command.ts";
import { commandHelp, generalHelp, groupHelp } from "./help.ts";
import { reportError } from "./report-error.ts";
import { guardOutput, writeText } from "../lib/output.ts";

/**
 * Runs one command line. Prints errors on standard error; standard output contains only the requested result.
 * @returns the exit code
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  guardOutput(context.stdout, context.env);
  guardOutput(context.stderr, context.env);
  const cli = createCli(await commandsFor(args));
  if (args.length === 0) {
    writeText(context.stderr, generalHelp(cli));
    return EXIT_CODES.usage;
  }
  const help = requestedHelp(cli, args);
  if (help !== undefined) {
    writeText(context.stdout, help);
    return EXIT_CODES.ok;
  }
  let command;
  try {
    command = cli.process([...args], context);
  } catch (error) {
    return reportError(syntaxError(cli, args, error), context);
  }
  return cli.run(command, context);
}

// `--help` works anywhere before "--", also after other arguments.
function requestedHelp(cli: Cli<CliContext>, args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  const [first = "", second = ""] = options;
  const isGroupAlone = options.length === 1 && groupHelp(cli, first) !== undefined;
  if (!isGroupAlone && !options.includes("--help") && !options.includes("-h")) return undefined;
  return (
    commandHelp(cli, `${first} ${second}`) ??
    commandHelp(cli, first) ??
    groupHelp(cli, first) ??
    generalHelp(cli)
  );
}

function createCli(commands: readonly CommandClass<CliContext>[]): Cli<CliContext> {
  const cli = new Cli<CliContext>({
    binaryLabel: "Waymark",
    binaryName: "waymark",
    binaryVersion: VERSION,
    enableColors: false,
  });
  for (const command of commands) cli.register(command);
  return cli;
}

// Replaces clipanion's message, which repeats the complete command line, including the key.
function syntaxError(cli: Cli<CliContext>, args: readonly string[], error: unknown): CliError {
  const [first = ""] = args;
  if (!FIRST_WORDS.includes(first)) {
    const what = first.startsWith("-") ? "option" : "command";
    return usageError(
      `Unknown ${what} "${printable(optionName(first), 60)}".${suggestion(first)} Commands: ${FIRST_WORDS.join(", ")}. See waymark --help.`,
    );
  }
  const called = commandName(args);
  if (called === undefined) return usageError(unknownCommand(first, args[1]));
  const help = `See waymark ${called} --help.`;
  const message = error instanceof Error ? error.message : "";
  const missing = /Not enough arguments to option (-[\w-]+)/.exec(message)?.[1];
  if (missing !== undefined) return usageError(`The option ${missing} needs a value. ${help}`);
  const known = cli.definitions().flatMap(({ options }) => options.map(({ definition }) => definition));
  const unknown = args
    .map(optionName)
    .find(
      (name) =>
        /^-[^-]|^--./.test(name) && !known.some((definition) => definition.split(/[ ,]/).includes(name)),
    );
  if (unknown !== undefined) return usageError(`Unknown option "${printable(unknown, 60)}". ${help}`);
  if (called.includes(" ")) return usageError(`waymark ${called} has too few or too many arguments. ${help}`);
  return usageError(`waymark ${first} accepts only options, no other arguments. ${help}`);
}

function unknownCommand(group: string, name: string | undefined): string {
  const help = `See waymark ${group} --help.`;
  if (name === undefined) return `waymark ${group} needs the name of a command. ${help}`;
  const typed = `${group} ${name}`;
  return `Unknown command "${printable(typed, 60)}".${suggestion(typed)} ${help}`;
}

function suggestion(typed: string): string {
  const inGroup = COMMAND_NAMES.find((name) => name.endsWith(` ${typed}`));
  const meant = inGroup ?? nearestCommand(typed, [...FIRST_WORDS, ...COMMAND_NAMES]);
  return meant === undefined ? "" : ` Did you mean "waymark ${meant}"?`;
}

function optionName(argument: string): string {
  return argument.replace(/=.*/s, "");
}
