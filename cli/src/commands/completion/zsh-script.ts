import type { Completion } from "../../framework/option-values.ts";
import { type CompletedCommand, type CompletedOption, groupsOf, nextWords } from "./completed-command.ts";

/** The completion script for zsh, which works from a folder of `fpath` and by `eval` after `compinit`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return [
    "#compdef waymark",
    "",
    "_waymark() {",
    "  local -a names",
    "  if (( CURRENT == 2 )); then",
    ...describeWords(commands, []),
    "    return",
    "  fi",
    ...groupsOf(commands).flatMap((group) => [
      `  if [[ ${beginsWith(group)} ]] && (( CURRENT == ${group.length + 2} )); then`,
      ...describeWords(commands, group),
      "    return",
      "  fi",
    ]),
    ...commands.flatMap(commandCase),
    "}",
    "",
    'if [[ $funcstack[1] == _waymark ]]; then _waymark "$@"; else compdef _waymark waymark; fi',
    "",
  ].join("\n");
}

function describeWords(commands: readonly CompletedCommand[], before: readonly string[]): string[] {
  const words = nextWords(commands, before).map(({ word, description }) =>
    quote(`${word}:${description.replaceAll(":", String.raw`\:`)}`),
  );
  return [`    names=(${words.join(" ")})`, "    _describe command names"];
}

function commandCase({ words, options, operands }: CompletedCommand): string[] {
  const specs = [...options.map(optionSpec), quote("--help[Show the help of this command]")];
  if (operands.kind !== "none")
    specs.push(quote(`*:${operands.kind === "files" ? "file" : "value"}:${action(operands)}`));
  return [
    `  if [[ ${beginsWith(words)} ]]; then`,
    // _arguments takes the first word for the command.
    `    shift ${words.length} words; (( CURRENT -= ${words.length} ))`,
    `    _arguments ${specs.join(" ")}`,
    "    return",
    "  fi",
  ];
}

function beginsWith(words: readonly string[]): string {
  return words.map((word, index) => `$words[${index + 2}] == ${word}`).join(" && ");
}

function optionSpec({ name, description, value }: CompletedOption): string {
  const text = description.replaceAll(/[\][:\\]/g, String.raw`\$&`);
  const repeats = /repeat it/.test(description) ? "*" : "";
  if (value === undefined) return quote(`${repeats}${name}[${text}]`);
  return quote(`${repeats}${name}=[${text}]:${value.kind === "files" ? "file" : "value"}:${action(value)}`);
}

function action(value: Completion): string {
  if (value.kind === "files") return "_files";
  return value.kind === "choices" ? `(${value.choices.join(" ")})` : " ";
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
