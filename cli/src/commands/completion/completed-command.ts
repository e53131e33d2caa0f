import type { Definition } from "clipanion";
import { operands } from "../../framework/help.ts";
import { type Completion, completionOf } from "../../framework/option-values.ts";

export interface CompletedOption {
  name: string;
  description: string;
  /** The completions for its value; undefined for an option without one. */
  value: Completion | undefined;
}

/** A command for a shell's completion. */
export interface CompletedCommand {
  /** One word, and one more for each group that it is in. */
  words: readonly string[];
  description: string;
  options: CompletedOption[];
  /** The completions for arguments other than options. */
  operands: Completion;
}

const SHELLS = ["bash", "zsh", "fish"];

/**
 * Reads the registered command, so that no option is missing.
 * @param firstWords the first words of all commands
 */
export function toCompleted(definition: Definition, firstWords: readonly string[]): CompletedCommand {
  const { path, description = "", options } = definition;
  const name = path.replace(/^waymark /, "");
  // Commands whose operands are a fixed set of words; the first one is.
  const choices = name === "completion" ? SHELLS : name === "help" ? firstWords : undefined;
  const takesOperands = operands(definition) !== "";
  return {
    words: name.split(" "),
    description: description.trim(),
    options: options.flatMap((option) => {
      const value = option.definition.includes("#0");
      const names = option.definition.replace(/ #\d+/g, "").split(",");
      // Its negation, where the description names one.
      const negations = option.description?.match(/--no-[a-z-]+/g) ?? [];
      return [...names, ...negations].map((each) => ({
        name: each.trim(),
        description: (option.description ?? "").trim(),
        value: value ? completionOf(each.trim()) : undefined,
      }));
    }),
    operands:
      choices === undefined ? { kind: takesOperands ? "files" : "none" } : { kind: "choices", choices },
  };
}

/** Returns the words of commands that can follow the given words of a command line, with descriptions. */
export function nextWords(
  commands: readonly CompletedCommand[],
  before: readonly string[],
): { word: string; description: string }[] {
  const found = new Map<string, string>();
  for (const { words, description } of commands) {
    const word = words[before.length];
    if (word === undefined || !before.every((each, index) => words[index] === each)) continue;
    found.set(word, words.length === before.length + 1 ? description : `The ${word} commands`);
  }
  return [...found].map(([word, description]) => ({ word, description }));
}

/** The words that groups of commands begin with, a group before those in it. */
export function groupsOf(commands: readonly CompletedCommand[]): string[][] {
  const groups = commands.flatMap(({ words }) =>
    words.slice(1).map((_, index) => words.slice(0, index + 1).join(" ")),
  );
  return [...new Set(groups)]
    .map((group) => group.split(" "))
    .toSorted((first, second) => first.length - second.length);
}
