import type { Cli, Definition } from "clipanion";
import { readmeFile, VERSION } from "../lib/version.ts";
import type { CliContext } from "./context.ts";
import { PLACEHOLDERS } from "./option-placeholders.ts";

/** The registered commands. */
export type Commands = Pick<Cli<CliContext>, "definitions">;

/** The options for reaching the server, the same for each command, shown after the command's own options. */
const CONNECTION_OPTIONS = /^--(api-key|api-key-file|api-url|ca-cert|allow-host|allow-http|config)\b/;

/** The list of commands. */
export function generalHelp(cli: Commands): string {
  const commands = rowsOf(visibleCommands(cli));
  return [
    `waymark ${VERSION}: submits API descriptions to Waymark, and tests APIs with journeys.`,
    "",
    "Usage: waymark <command> [options]",
    "",
    "Commands:",
    ...table(commands),
    "",
    "Options:",
    ...table([
      ["--help", "Show this help; after a command, the help of that command"],
      ["--version", "Show the version"],
    ]),
    "",
    "Try: waymark scan --service orders --spec openapi.yaml",
    "More: waymark help <command>, and waymark help --man for the whole manual page",
    `Documentation: ${readmeFile()}`,
    "",
  ].join("\n");
}

/** The help of one command, or undefined if it doesn't exist. */
export function commandHelp(cli: Commands, name: string): string | undefined {
  const command = cli.definitions().find(({ path }) => path === `waymark ${name}`);
  if (command === undefined) return undefined;
  const { description = "", details = "", examples = [] } = command;
  return [
    description.trim(),
    "",
    `Usage: waymark ${name}${operands(command)}${command.options.length === 0 ? "" : " [options]"}`,
    "",
    ...optionsOf(command),
    ...(details.trim() === "" ? [] : [details.trim(), ""]),
    "Examples:",
    ...examples.flatMap(([label, line]) => [`  ${label.trim()}:`, `    ${line.trim()}`]),
    "",
  ].join("\n");
}

function optionsOf(command: Definition): string[] {
  const rows = optionRows(command);
  return rows.length === 0 ? [] : ["Options:", ...table(rows), ""];
}

/** The commands of a group, such as `journey`; undefined if no command starts with that word. */
export function groupHelp(cli: Commands, group: string): string | undefined {
  const commands = cli.definitions().filter(({ path }) => path.startsWith(`waymark ${group} `));
  if (commands.length === 0) return undefined;
  return [
    `Usage: waymark ${group} <command> [options]`,
    "",
    "Commands:",
    ...table(rowsOf(commands)),
    "",
    `See waymark ${group} <command> --help for what a command takes.`,
    "",
  ].join("\n");
}

/** The commands, without those that are options, such as `--version`. */
export function visibleCommands(cli: Commands): Definition[] {
  return cli.definitions().filter(({ path }) => /^waymark [a-z]/.test(path));
}

function rowsOf(commands: readonly Definition[]): string[][] {
  return commands.map(({ path, description }) => [path.replace(/^waymark /, ""), description?.trim() ?? ""]);
}

/** The positional arguments of a command: ` <file>`, ` [file] ...`. */
export function operands({ path, usage }: Definition): string {
  const withoutOptions = usage.replaceAll(/\[-{1,2}[^\]]*\]/g, "");
  const found = withoutOptions.match(/[<[][\w-]+[>\]](?: \.\.\.)?|\.\.\./g) ?? [];
  // clipanion leaves out the name of arguments that may all be missing.
  const unnamed = path === "waymark help" ? "[command] ..." : "[file] ...";
  return found.map((operand) => ` ${operand === "..." ? unnamed : operand}`).join("");
}

/** The options of a command, each with its placeholder and its description. */
export function optionRows(command: Definition): string[][] {
  const rows = command.options.map(({ definition, description = "" }) => [
    definition.replace(/(--[\w-]+) #0/, (_, name: string) => `${name} ${PLACEHOLDERS[name] ?? "<value>"}`),
    description.trim(),
  ]);
  return ownOptionsFirst(rows);
}

function ownOptionsFirst(rows: readonly string[][]): string[][] {
  const isOwn = ([option = ""]: readonly string[]) => !CONNECTION_OPTIONS.test(option);
  return [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))];
}

function table(rows: readonly string[][]): string[] {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`);
}
