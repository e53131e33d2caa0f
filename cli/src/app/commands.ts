import { Builtins, type CommandClass } from "clipanion";
import { ScanCommand } from "../commands/scan.ts";
import type { CliContext } from "../context.ts";

type Load = () => Promise<CommandClass<CliContext>>;

/** Every command by name. Only the requested one is loaded. */
const COMMANDS: Record<string, Load> = {
  scan: async () => ScanCommand,
  flush: async () => (await import("../commands/flush.ts")).FlushCommand,
  doctor: async () => (await import("../commands/doctor.ts")).DoctorCommand,
  diff: async () => (await import("../commands/diff.ts")).DiffCommand,
  completion: async () => (await import("../commands/completion.ts")).CompletionCommand,
  "journey new": async () => (await import("../commands/journey/new.ts")).JourneyNewCommand,
  "journey lint": async () => (await import("../commands/journey/lint.ts")).JourneyLintCommand,
  "journey build": async () => (await import("../commands/journey/build.ts")).JourneyBuildCommand,
  "journey run": async () => (await import("../commands/journey/run.ts")).JourneyRunCommand,
  "journey coverage": async () => (await import("../commands/journey/coverage.ts")).JourneyCoverageCommand,
  "journey edit": async () => (await import("../commands/journey/edit.ts")).JourneyEditCommand,
  "journey import": async () => (await import("../commands/journey/import.ts")).JourneyImportCommand,
  "journey export": async () => (await import("../commands/journey/export.ts")).JourneyExportCommand,
};

/** The first words of all commands. */
export const FIRST_WORDS = [...new Set(Object.keys(COMMANDS).map((name) => name.split(" ")[0] ?? ""))];

/** The names of all commands, of one word or two. */
export const COMMAND_NAMES = Object.keys(COMMANDS);

/** The name of the command at the start of a command line: one word, or two for a group of commands. */
export function commandName([first = "", second = ""]: readonly string[]): string | undefined {
  return [`${first} ${second}`, first].find((name) => Object.hasOwn(COMMANDS, name));
}

/**
 * The commands to register for a command line: only the one that it names, because parsing takes longer with each command.
 * Help, completion and command lines without a known command need all of them.
 */
export async function commandsFor(args: readonly string[]): Promise<CommandClass<CliContext>[]> {
  const load = COMMANDS[commandName(args) ?? ""];
  if (load !== undefined && args[0] !== "completion") return [await load()];
  const all = await Promise.all(Object.values(COMMANDS).map((each) => each()));
  return [...all, Builtins.VersionCommand];
}
