import type { Definition } from "clipanion";
import { type Completion, completionOf } from "../../app/option-values.ts";

export interface CompletedOption {
  name: string;
  description: string;
  /** What is offered for its value; undefined for an option without one. */
  value: Completion | undefined;
}

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** One word, or two in a group of commands. */
  words: readonly string[];
  description: string;
  options: CompletedOption[];
  /** What is offered for arguments that are no options. */
  operands: Completion;
}

/** Commands whose operands are a fixed set of words; the first one is. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  completion: ["bash", "zsh", "fish"],
};

/** Reads a command as it is registered, so that no option is forgotten. */
export function toCompleted({ path, usage, description = "", options }: Definition): CompletedCommand {
  const name = path.replace(/^waymark /, "");
  const choices = OPERANDS[name];
  const takesOperands = usage.replaceAll(/\[-{1,2}[^\]]*\]/g, "").match(/[<[][\w-]+[>\]]/) !== null;
  return {
    words: name.split(" "),
    description: description.trim(),
    options: options.flatMap((option) => {
      const value = option.definition.includes("#0");
      return option.definition
        .replace(/ #\d+/g, "")
        .split(",")
        .map((each) => ({
          name: each.trim(),
          description: (option.description ?? "").trim(),
          value: value ? completionOf(each.trim()) : undefined,
        }));
    }),
    operands:
      choices === undefined ? { kind: takesOperands ? "files" : "none" } : { kind: "choices", choices },
  };
}

/** What can follow the given words of a command line: the next words of commands, with descriptions. */
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

/** The first words of groups of commands. */
export function groupsOf(commands: readonly CompletedCommand[]): string[] {
  return [
    ...new Set(commands.flatMap(({ words: [first = "", second] }) => (second === undefined ? [] : first))),
  ];
}
