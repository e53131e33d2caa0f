import { Builtins, type CommandClass } from "clipanion";
import { ScanCommand } from "../commands/scan.ts";
import type { CliContext } from "../framework/context.ts";

type Load = () => Promise<CommandClass<CliContext>>;

/** Every command by name. Only the requested one is loaded. */
const COMMANDS: Record<string, Load> = {
  scan: async () => ScanCommand,
  init: async () => (await import("../commands/init.ts")).InitCommand,
  flush: async () => (await import("../commands/flush.ts")).FlushCommand,
  doctor: async () => (await import("../commands/doctor.ts")).DoctorCommand,
  login: async () => (await import("../commands/login.ts")).LoginCommand,
  logout: async () => (await import("../commands/logout.ts")).LogoutCommand,
  diff: async () => (await import("../commands/diff.ts")).DiffCommand,
  minify: async () => (await import("../commands/minify.ts")).MinifyCommand,
  approve: async () => (await import("../commands/approve.ts")).ApproveCommand,
  decide: async () => (await import("../commands/decide.ts")).DecideCommand,
  decisions: async () => (await import("../commands/decisions.ts")).DecisionsCommand,
  comment: async () => (await import("../commands/comment.ts")).CommentCommand,
  help: async () => (await import("../commands/help.ts")).HelpCommand,
  completion: async () => (await import("../commands/completion.ts")).CompletionCommand,
  "journey new": async () => (await import("../commands/journey/new.ts")).JourneyNewCommand,
  "journey lint": async () => (await import("../commands/journey/lint.ts")).JourneyLintCommand,
  "journey build": async () => (await import("../commands/journey/build.ts")).JourneyBuildCommand,
  "journey run": async () => (await import("../commands/journey/run.ts")).JourneyRunCommand,
  "journey try": async () => (await import("../commands/journey/try.ts")).JourneyTryCommand,
  "journey coverage": async () => (await import("../commands/journey/coverage.ts")).JourneyCoverageCommand,
  "journey edit": async () => (await import("../commands/journey/edit.ts")).JourneyEditCommand,
  "journey import": async () => (await import("../commands/journey/import.ts")).JourneyImportCommand,
  "journey push": async () => (await import("../commands/journey/push.ts")).JourneyPushCommand,
  "journey pull": async () => (await import("../commands/journey/pull.ts")).JourneyPullCommand,
  "journey status": async () => (await import("../commands/journey/status.ts")).JourneyStatusCommand,
  "journey runs": async () => (await import("../commands/journey/runs.ts")).JourneyRunsCommand,
  "journey cancel": async () => (await import("../commands/journey/cancel.ts")).JourneyCancelCommand,
  "journey result": async () => (await import("../commands/journey/result.ts")).JourneyResultCommand,
  "journey upload": async () => (await import("../commands/journey/upload.ts")).JourneyUploadCommand,
  "journey schedule list": async () =>
    (await import("../commands/journey/schedule/list.ts")).ScheduleListCommand,
  "journey schedule set": async () =>
    (await import("../commands/journey/schedule/set.ts")).ScheduleSetCommand,
  "journey schedule pause": async () =>
    (await import("../commands/journey/schedule/pause.ts")).SchedulePauseCommand,
  "journey schedule resume": async () =>
    (await import("../commands/journey/schedule/resume.ts")).ScheduleResumeCommand,
  "journey schedule remove": async () =>
    (await import("../commands/journey/schedule/remove.ts")).ScheduleRemoveCommand,
  "journey export": async () => (await import("../commands/journey/export.ts")).JourneyExportCommand,
  "environment list": async () => (await import("../commands/environment/list.ts")).EnvironmentListCommand,
  "environment show": async () => (await import("../commands/environment/show.ts")).EnvironmentShowCommand,
  "environment set": async () => (await import("../commands/environment/set.ts")).EnvironmentSetCommand,
  "environment delete": async () =>
    (await import("../commands/environment/delete.ts")).EnvironmentDeleteCommand,
  "secret set": async () => (await import("../commands/secret/set.ts")).SecretSetCommand,
  "secret list": async () => (await import("../commands/secret/list.ts")).SecretListCommand,
  "secret remove": async () => (await import("../commands/secret/remove.ts")).SecretRemoveCommand,
};

/** The first words of all commands. */
export const FIRST_WORDS = [...new Set(Object.keys(COMMANDS).map((name) => name.split(" ")[0] ?? ""))];

/** The names of all commands, of one to three words. */
export const COMMAND_NAMES = Object.keys(COMMANDS);

/** Returns the first three, two and one words of a command line: each may be the name of a command or a group. */
export function possibleNames(args: readonly string[]): string[] {
  return [3, 2, 1].filter((words) => args.length >= words).map((words) => args.slice(0, words).join(" "));
}

/** The name of the command at the start of a command line. */
export function commandName(args: readonly string[]): string | undefined {
  return possibleNames(args).find((name) => Object.hasOwn(COMMANDS, name));
}

/** Commands whose output covers all other commands. */
const DESCRIBES_ALL = new Set(["completion", "help"]);

/**
 * The commands to register for a command line: only the one that it names, because parsing takes longer with each command.
 * Help, completion and command lines without a known command need all of them.
 */
export async function commandsFor(args: readonly string[]): Promise<CommandClass<CliContext>[]> {
  const load = COMMANDS[commandName(args) ?? ""];
  if (load !== undefined && !DESCRIBES_ALL.has(args[0] ?? "")) return [await load()];
  const all = await Promise.all(Object.values(COMMANDS).map((each) => each()));
  return [...all, Builtins.VersionCommand];
}
