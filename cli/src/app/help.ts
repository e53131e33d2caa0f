import type { Cli, Definition } from "clipanion";
import { VERSION } from "../version.ts";
import type { CliContext } from "../context.ts";
import { PLACEHOLDERS } from "./option-placeholders.ts";

/** How the server is reached, the same for each command: shown behind the command's own options. */
const CONNECTION_OPTIONS = /^--(api-key|api-key-file|api-url|ca-cert|allow-host|allow-http)\b/;

/** The list of commands. */
export function generalHelp(cli: Cli<CliContext>): string {
  const commands = rowsOf(cli.definitions());
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
    "",
  ].join("\n");
}

/** The help of one command, or undefined if it doesn't exist. */
export function commandHelp(cli: Cli<CliContext>, name: string): string | undefined {
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
  return rows.length === 0 ? [] : ["Options:", ...table(ownOptionsFirst(rows)), ""];
}

/** The commands of a group, such as `journey`; undefined if no command starts with that word. */
export function groupHelp(cli: Cli<CliContext>, group: string): string | undefined {
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

function rowsOf(commands: readonly Definition[]): string[][] {
  return commands.map(({ path, description }) => [path.replace(/^waymark /, ""), description?.trim() ?? ""]);
}

/** The positional arguments of a command: ` <file>`, ` [file] ...`. */
function operands({ usage }: Definition): string {
  const withoutOptions = usage.replaceAll(/\[-{1,2}[^\]]*\]/g, "");
  return (withoutOptions.match(/[<[][\w-]+[>\]](?: \.\.\.)?/g) ?? [])
    .map((operand) => ` ${operand}`)
    .join("");
}

function optionRows(command: Definition): string[][] {
  return command.options.map(({ definition, description = "" }) => [
    definition.replace(/(--[\w-]+) #0/, (_, name: string) => `${name} ${PLACEHOLDERS[name] ?? "<value>"}`),
    description.trim(),
  ]);
}

function ownOptionsFirst(rows: readonly string[][]): string[][] {
  const isOwn = ([option = ""]: readonly string[]) => !CONNECTION_OPTIONS.test(option);
  return [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))];
}

function table(rows: readonly string[][]): string[] {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`);
}
