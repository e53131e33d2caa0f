import type { Completion } from "../../framework/option-values.ts";
import { type CompletedCommand, groupsOf, nextWords } from "./completed-command.ts";

/** The completion script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const before = [[], ...groupsOf(commands)];
  return [
    "# Whether the command line begins with these words.",
    "function __waymark_in",
    "    set -l line (commandline -opc)",
    "    test (count $line) -gt (count $argv); or return 1",
    "    set -l last (math (count $argv) + 1)",
    '    test "$line[2..$last]" = "$argv"',
    "end",
    "",
    "# Whether the command line has exactly these words before the cursor.",
    "function __waymark_after",
    "    set -l line (commandline -opc)",
    "    set -e line[1]",
    '    test "$line" = "$argv"',
    "end",
    "",
    "complete -c waymark -f",
    ...before.flatMap((words) =>
      nextWords(commands, words).map(
        ({ word, description }) =>
          `complete -c waymark -n ${quote(`__waymark_after ${words.join(" ")}`.trim())} -a ${word} -d ${quote(description)}`,
      ),
    ),
    ...commands.flatMap(commandLines),
    "complete -c waymark -l help -d 'Show the help'",
    "",
  ].join("\n");
}

function commandLines({ words, options, operands }: CompletedCommand): string[] {
  const start = `complete -c waymark -n ${quote(`__waymark_in ${words.join(" ")}`)}`;
  return [
    ...options.map(({ name, description, value }) => {
      const flag = name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
      return `${start} ${flag}${offered(value)} -d ${quote(description)}`;
    }),
    ...(operands.kind === "files" ? [`${start} -F`] : []),
    ...(operands.kind === "choices"
      ? [
          `complete -c waymark -n ${quote(`__waymark_after ${words.join(" ")}`)} -a ${quote(operands.choices.join(" "))}`,
        ]
      : []),
  ];
}

function offered(value: Completion | undefined): string {
  if (value === undefined) return "";
  if (value.kind === "files") return " -r -F";
  return value.kind === "choices" ? ` -x -a ${quote(value.choices.join(" "))}` : " -x";
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
