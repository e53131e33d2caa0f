import { type CompletedCommand, groupsOf, nextWords } from "./completed-command.ts";

/**
 * The completion script for bash. It needs no features after bash 3.2, which macOS has. For files it offers nothing, and bash's own
 * completion (`-o default`) takes over: that quotes names with spaces.
 */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const groups = groupsOf(commands);
  return [
    "_waymark() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}" at=2',
    "  COMPREPLY=()",
    "  # The = of --option=value is a word of its own.",
    '  if [ "$current" = "=" ]; then current=""; previous="${COMP_WORDS[COMP_CWORD-1]}"',
    '  elif [ "$previous" = "=" ]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi',
    ...groups.map((words) => {
      const next = words.length + 1;
      const longer = `command="$command \${COMP_WORDS[${next}]}"; at=${next + 1}`;
      return `  if [ "$command" = "${words.join(" ")}" ] && [ "$COMP_CWORD" -gt ${next} ]; then ${longer}; fi`;
    }),
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    _waymark_words "${[...nextWords(commands, []).map(({ word }) => word), "--help", "--version"].join(" ")}"`,
    "    return",
    "  fi",
    '  case "$command" in',
    ...groups.map(
      (group) =>
        `    "${group.join(" ")}") _waymark_words "${nextWords(commands, group)
          .map(({ word }) => word)
          .join(" ")} --help" ;;`,
    ),
    ...commands.flatMap(commandCase),
    "  esac",
    "}",
    "",
    "# Offers words, and no files where none of them fits.",
    "_waymark_words() {",
    "  compopt +o default 2>/dev/null",
    '  COMPREPLY=($(compgen -W "$1" -- "$current"))',
    "  # The value of --report=json=path goes on.",
    '  case "${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac',
    "}",
    "",
    "complete -o default -F _waymark waymark",
    "",
  ].join("\n");
}

function commandCase({ words, options, operands }: CompletedCommand): string[] {
  const names = [...options.map(({ name }) => name), "--help"].join(" ");
  const values = options.flatMap(({ name, value }) => {
    if (value === undefined) return [];
    if (value.kind === "files") return [`        ${name}) return ;;`];
    const offered = value.kind === "choices" ? value.choices.join(" ") : "";
    return [`        ${name}) _waymark_words "${offered}"; return ;;`];
  });
  const other =
    operands.kind === "choices"
      ? `[ "$COMP_CWORD" -gt "$at" ] || _waymark_words "${operands.choices.join(" ")}"`
      : operands.kind === "none"
        ? `_waymark_words "${names}"`
        : ":";
  return [
    `    "${words.join(" ")}")`,
    ...(values.length === 0 ? [] : ['      case "$previous" in', ...values, "      esac"]),
    `      case "$current" in -*) _waymark_words "${names}" ;; *) ${other} ;; esac ;;`,
  ];
}
