import type { Definition } from "clipanion";
import { type Commands, operands, optionRows, visibleCommands } from "../../framework/help.ts";
import { VERSION } from "../../lib/version.ts";

const EXIT_STATUS = [
  ["0", "Done, and every gate passes."],
  ["1", "A gate fails."],
  ["2", "The command line or a file is wrong, or the server refused it as invalid."],
  ["3", "Authentication or permission."],
  ["4", "The server or the network, after all retries."],
  ["5", "Waiting timed out; the scan is stored."],
] as const;

const VARIABLES = [
  ["SERVICE_API_KEY", "The API key, unless an option gives one."],
  [
    "WAYMARK_ID_TOKEN, WAYMARK_ID_TOKEN_FILE",
    "The token of a build, which it exchanges for a key if it has none.",
  ],
  ["WAYMARK_AUDIENCE", "What that token is for, if it is not the address of the server."],
  ["SERVICE_API_URL", "The address of the server."],
  ["WAYMARK_ALLOWED_HOSTS", "Hosts that may get the key although a file of the checkout names them."],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "The proxy, and the hosts to reach without it."],
] as const;

/** The manual page of all commands, in the format of `man`. */
export function manualPage(cli: Commands): string {
  return [
    String.raw`.TH WAYMARK 1 "" "waymark ${escaped(VERSION)}" "User commands"`,
    ".SH NAME",
    String.raw`waymark \- submits API descriptions to Waymark, and tests APIs with journeys`,
    ".SH SYNOPSIS",
    String.raw`\fBwaymark\fR \fIcommand\fR [\fIoptions\fR]`,
    ".SH COMMANDS",
    ...visibleCommands(cli).flatMap(commandSection),
    ".SH EXIT STATUS",
    "Each command says which of these it uses, and which mean something else there.",
    ...EXIT_STATUS.flatMap(([code, meaning]) => [".TP", `\\fB${code}\\fR`, textLine(meaning)]),
    ".SH ENVIRONMENT",
    ...VARIABLES.flatMap(([names, meaning]) => [".TP", `\\fB${escaped(names)}\\fR`, textLine(meaning)]),
    ".SH FILES",
    ".TP",
    String.raw`\fBwaymark.yaml\fR`,
    "Settings of a project. It is searched upwards to the root of the repository.",
    "",
  ].join("\n");
}

function commandSection(command: Definition): string[] {
  const { path, description = "", details = "", examples = [] } = command;
  const options = optionRows(command);
  return [
    `.SS ${escaped(path)}${escaped(operands(command))}`,
    textLine(description.trim()),
    ...paragraphs(details),
    ...options.flatMap(([option = "", about = ""]) => [".TP", `\\fB${escaped(option)}\\fR`, textLine(about)]),
    ...examples.flatMap(([label, line]) => [
      ".PP",
      textLine(`${label.trim()}:`),
      ".PP",
      ".nf",
      `    ${escaped(line.trim())}`,
      ".fi",
    ]),
  ];
}

function paragraphs(text: string): string[] {
  const found = text.trim();
  if (found === "") return [];
  return found.split(/\n\s*\n/).flatMap((paragraph) => [".PP", ...paragraph.split("\n").map(textLine)]);
}

/** A line of text, which must not look like a request to the formatter. */
function textLine(text: string): string {
  return escaped(text.trim()).replace(/^(?=[.'])/, String.raw`\&`);
}

function escaped(text: string): string {
  return text.replaceAll("\\", String.raw`\e`).replaceAll("-", String.raw`\-`);
}
