import type { Definition } from "clipanion";
import type { CliContext } from "../../context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { writeText } from "../../lib/output.ts";

/** A command with the names of its options. */
interface Completed {
  /** One word, or two in a group of commands. */
  name: string;
  description: string;
  options: { name: string; takesValue: boolean; description: string }[];
}

const SCRIPTS: Record<string, (commands: readonly Completed[]) => string> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

/** Prints a script made from the commands as they are, so that none is forgotten. */
export function runCompletion(
  { stdout }: CliContext,
  options: { shell: string | undefined; commands: readonly Definition[] },
): ExitCode {
  const script = Object.hasOwn(SCRIPTS, options.shell ?? "") ? SCRIPTS[options.shell ?? ""] : undefined;
  if (script === undefined) throw usageError(`Name a shell: ${Object.keys(SCRIPTS).join(", ")}.`);
  writeText(stdout, script(options.commands.map(toCompleted)));
  return EXIT_CODES.ok;
}

function toCompleted({ path, description = "", options }: Definition): Completed {
  return {
    name: path.replace(/^waymark /, ""),
    description: description.trim(),
    options: options.map((option) => ({
      name: option.definition.split(/[ ,]/)[0] ?? "",
      takesValue: option.definition.includes("#0"),
      description: (option.description ?? "").trim(),
    })),
  };
}

// After an option with a value, and for anything that is no option, the shell's own file names are offered.
function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options }) => {
    const [first, second = "*"] = name.split(" ");
    return `    ${first}:${second}) words="${options.map((option) => option.name).join(" ")} --help" ;;`;
  });
  const groups = [...groupsOf(commands)].map(
    ([group, names]) => `    ${group}:2) words="${names.join(" ")} --help"; names=yes ;;`,
  );
  return [
    "_waymark() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" words names=no',
    '  case "${COMP_WORDS[1]}:${COMP_WORDS[2]}" in',
    ...cases,
    "  esac",
    '  case "${COMP_WORDS[1]}:$COMP_CWORD" in',
    ...groups,
    "  esac",
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${firstWords(commands).join(" ")} --help --version"; names=yes`,
    "  fi",
    '  case "$current" in',
    '    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;',
    '    *) if [ "$names" = yes ]; then COMPREPLY=($(compgen -W "$words" -- "$current"));',
    '       else COMPREPLY=($(compgen -f -- "$current")); fi ;;',
    "  esac",
    "}",
    "complete -F _waymark waymark",
    "",
  ].join("\n");
}

/** The second words of each group of commands. */
function groupsOf(commands: readonly Completed[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = "", second] = name.split(" ");
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  return groups;
}

function firstWords(commands: readonly Completed[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, description, options }) => {
    const words = name.split(" ");
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    const before = words.length === 1 ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${words[0]}`;
    return [
      `complete -c waymark -n '${before}' -f -a ${words.at(-1)} -d ${quote(description)}`,
      ...options.map(
        (option) =>
          `complete -c waymark -n '${seen}' -l ${option.name.replace(/^--/, "")}` +
          `${option.takesValue ? " -r" : ""} -d ${quote(option.description)}`,
      ),
    ];
  });
  const groups = [...groupsOf(commands).keys()].map(
    (group) => `complete -c waymark -n __fish_use_subcommand -f -a ${group}`,
  );
  return `${[...groups, ...lines].join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
