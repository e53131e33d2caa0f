import type { Definition } from "clipanion";
import type { CliContext } from "../../context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";

/** A command with the names of its options. */
interface Completed {
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
  stdout.write(script(options.commands.map(toCompleted)));
  return EXIT_CODES.ok;
}

function toCompleted({ path, description = "", options }: Definition): Completed {
  return {
    name: path.split(" ")[1] ?? "",
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
    return `    ${name}) words="${options.map((option) => option.name).join(" ")} --help" ;;`;
  });
  return [
    "_waymark() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    "  esac",
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${commands.map(({ name }) => name).join(" ")} --help --version"`,
    "  fi",
    '  case "$current" in',
    '    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;',
    '    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$words" -- "$current"));',
    '       else COMPREPLY=($(compgen -f -- "$current")); fi ;;',
    "  esac",
    "}",
    "complete -F _waymark waymark",
    "",
  ].join("\n");
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, description, options }) => [
    `complete -c waymark -n __fish_use_subcommand -f -a ${name} -d ${quote(description)}`,
    ...options.map(
      (option) =>
        `complete -c waymark -n '__fish_seen_subcommand_from ${name}' -l ${option.name.replace(/^--/, "")}` +
        `${option.takesValue ? " -r" : ""} -d ${quote(option.description)}`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
