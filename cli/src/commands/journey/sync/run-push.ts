import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyPushCommand } from "../push.ts";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import type { VersionConflict } from "@waymark/shared/errors/schema.ts";
import type { JourneyChangeset, JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { writeLine } from "../../../lib/output.ts";
import { plural } from "../../../lib/text.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { type CollectedFiles, collectFiles } from "./collect-files.ts";
import { compareFiles } from "./compare.ts";
import { sendChangeset } from "./documents-api.ts";
import { planPush, type PushPlan } from "./plan-push.ts";
import { type Conflict, printConflicts } from "./print-conflicts.ts";
import { printPushed } from "./print-pushed.ts";
import { programIds } from "./program-ids.ts";
import { findSource } from "../../../ci/source.ts";
import { openSync, type SyncContext } from "./sync-context.ts";
import { writeState } from "./sync-state.ts";

/** The options of `waymark journey push` as given. */
type PushFlags = OptionsOf<JourneyPushCommand>;

const MERGE_HINT =
  "Nothing was pushed. Fetch the newest versions (waymark journey pull --force replaces your files; keep a copy), put your changes in, and push again.";

/** Sends every file that differs, in one changeset. @returns the exit code: 1 for a conflict */
export async function runPush(context: CliContext, flags: PushFlags): Promise<number> {
  const names = flags.files.length === 0 ? ["."] : flags.files;
  const collected = await collectFiles(context, names);
  const sync = await openSync(context, flags, context.cwd);
  const { commit, branch, ...facts } = await findSource(context);
  const source = { ...(commit === undefined ? {} : { commit }), ...(branch === undefined ? {} : { branch }) };
  const repository = flags.managed === true ? facts.repository : undefined;
  if (flags.managed === true && repository === undefined) {
    throw usageError("--managed needs the address of the repository: there is no git remote named origin.");
  }
  const compared = compareFiles(collected.files, sync.remote, sync.state);
  const isPruned = flags.prune === true ? goneFrom(context.cwd, names) : () => false;
  const plan = await planPush(sync.connection, compared, { repository, isPruned });
  for (const note of [...collected.notes, ...plan.notes]) sync.reporter.omission(note);
  if (plan.conflicts.length > 0) return refuse(context, sync, plan.conflicts);
  if (plan.changes.length === 0) {
    writeLine(context.stdout, `Nothing to push: ${plural(collected.files.size, "file")} as on the server.`);
    await remember(context, sync, collected, undefined);
    return JOURNEY_EXIT.passed;
  }
  const changeset: JourneyChangeset = {
    ...(flags.message === undefined ? {} : { message: flags.message }),
    ...(flags.dryRun === true ? { dryRun: true } : {}),
    ...(repository === undefined ? {} : { managedBy: { repository } }),
    ...(Object.keys(source).length === 0 ? {} : { source }),
    changes: await withPrograms(context, plan, collected),
  };
  const outcome = await sendChangeset(sync.connection, changeset, randomUUID());
  if (!outcome.ok) return refuse(context, sync, conflictsOf(plan, outcome.conflicts));
  printPushed(context, outcome.result);
  if (flags.dryRun !== true) await remember(context, sync, collected, outcome.result);
  return JOURNEY_EXIT.passed;
}

function conflictsOf({ changes }: PushPlan, refused: readonly VersionConflict[]): Conflict[] {
  const heads = new Map(refused.map((conflict) => [conflict.path, conflict]));
  return changes.flatMap((change) => {
    const conflict = heads.get(change.path);
    if (conflict === undefined) return [];
    const { documentId: id, headVersion: version } = conflict;
    const head = id === null || version === null ? undefined : { id, version };
    return [{ path: change.path, text: change.text ?? "", head }];
  });
}

/** Returns a test that is true for a path in one of the folders that has no file any more. */
function goneFrom(cwd: string, names: readonly string[]): (path: string) => boolean {
  const folders = names.map((name) => path.relative(cwd, path.resolve(cwd, name)).replaceAll("\\", "/"));
  return (file) =>
    folders.some((folder) => folder === "" || file.startsWith(`${folder}/`)) &&
    !existsSync(path.join(cwd, file));
}

async function refuse(
  context: CliContext,
  { connection }: SyncContext,
  conflicts: readonly Conflict[],
): Promise<number> {
  await printConflicts(context, connection, conflicts);
  writeLine(context.stderr, MERGE_HINT);
  return JOURNEY_EXIT.failed;
}

async function withPrograms(
  context: CliContext,
  { changes }: PushPlan,
  { files }: CollectedFiles,
): Promise<JourneyChangeset["changes"]> {
  const { changesetFilesMax } = JOURNEY_LIMITS;
  if (changes.length > changesetFilesMax) {
    throw usageError(
      `${changes.length} files differ, and a push takes at most ${changesetFilesMax}: push folders one after another.`,
    );
  }
  const sent = changes.flatMap((change) => files.get(change.path) ?? []);
  const ids = await programIds(context, sent);
  return changes.map((change) => {
    const programId = ids.get(change.path);
    return programId === undefined ? change : { ...change, programId };
  });
}

/** Files that are as on the server are remembered too: nobody needs to pull them. */
async function remember(
  { cwd }: CliContext,
  { owner, remote, state }: SyncContext,
  { files }: CollectedFiles,
  result: JourneyChangesetResult | undefined,
): Promise<void> {
  for (const [file, { hash }] of files) {
    const there = remote.get(file);
    if (there?.headHash === hash) state.set(file, { id: there.id, version: there.headVersion, hash });
  }
  for (const { path: file, id, version, archived } of result?.documents ?? []) {
    const hash = files.get(file)?.hash;
    if (archived || hash === undefined) state.delete(file);
    else state.set(file, { id, version, hash });
  }
  await writeState(cwd, { owner, files: state });
}
