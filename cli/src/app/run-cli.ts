import { Cli, type CommandClass } from "clipanion";
import { nearestName } from "@waymark/openapi/nearest-name.ts";
import { CliError, EXIT_CODES, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { VERSION } from "../lib/version.ts";
import type { CliContext } from "../framework/context.ts";
import { COMMAND_NAMES, commandName, commandsFor, FIRST_WORDS, possibleNames } from "./commands.ts";
import { suggestion } from "../framework/nearest-command.ts";
import { commandHelp, generalHelp, groupHelp, operands } from "../framework/help.ts";
import { reportError } from "../framework/report-error.ts";
import { guardOutput, writeText } from "../lib/output.ts";

const EVERY_NAME = [...FIRST_WORDS, ...COMMAND_NAMES];

/**
 * Runs one command line. Prints errors on standard error; standard output contains only the requested result.
 * @returns the exit code
 */
export async function runCli(args: readonly string[], context: Omit<CliContext, "stdin">): Promise<number> {
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
  // By name, because the definitions format the whole help: 2 ms.
  if (!isGroup(options.join(" ")) && !options.includes("--help") && !options.includes("-h")) return undefined;
  const names = possibleNames(options);
  return firstHelp(names, (name) => commandHelp(cli, name) ?? groupHelp(cli, name)) ?? generalHelp(cli);
}

function firstHelp(names: readonly string[], helpOf: (name: string) => string | undefined) {
  return names.map(helpOf).find((help) => help !== undefined);
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
      `Unknown ${what} "${printable(optionName(first), 60)}".${suggestion(first, EVERY_NAME)} Commands: ${FIRST_WORDS.join(", ")}. See waymark --help.`,
    );
  }
  const called = commandName(args);
  if (called === undefined) return usageError(unknownCommand(args));
  const help = `See waymark ${called} --help.`;
  const message = error instanceof Error ? error.message : "";
  const missing = /Not enough arguments to option (-[\w-]+)/.exec(message)?.[1];
  if (missing !== undefined) return usageError(`The option ${missing} needs a value. ${help}`);
  const known = cli
    .definitions()
    .flatMap(({ options }) => options.flatMap(({ definition }) => definition.split(/[ ,]/)));
  const unknown = args.map(optionName).find((name) => /^-[^-]|^--./.test(name) && !known.includes(name));
  if (unknown !== undefined) return unknownOption(unknown, known, help);
  const command = cli.definitions().find(({ path }) => path === `waymark ${called}`);
  const taken = command === undefined ? "" : operands(command);
  if (taken !== "") {
    return usageError(`waymark ${called} has too few or too many arguments: it takes${taken}. ${help}`);
  }
  const quotes = first === "scan" ? " Put a pattern in quotes, so that the shell passes it on." : "";
  return usageError(`waymark ${called} accepts only options, no other arguments.${quotes} ${help}`);
}

function unknownOption(name: string, known: readonly string[], help: string): CliError {
  const meant = nearestName(
    name,
    known.filter((each) => each.startsWith("--")),
  );
  const didYouMean = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return usageError(`Unknown option "${printable(name, 60)}".${didYouMean} ${help}`);
}

function unknownCommand(args: readonly string[]): string {
  const group = possibleNames(args).find(isGroup) ?? "";
  const help = `See waymark ${group} --help.`;
  const name = args[group.split(" ").length];
  if (name === undefined) return `waymark ${group} needs the name of a command. ${help}`;
  const typed = `${group} ${name}`;
  return `Unknown command "${printable(typed, 60)}".${suggestion(typed, EVERY_NAME)} ${help}`;
}

/** True if names of commands begin with these words. */
function isGroup(words: string): boolean {
  return COMMAND_NAMES.some((name) => name.startsWith(`${words} `));
}

function optionName(argument: string): string {
  return argument.replace(/=.*/s, "");
}
