import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyPullCommand } from "../pull.ts";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { CliContext } from "../../../framework/context.ts";
import { CliError, EXIT_CODES } from "../../../lib/cli-error.ts";
import { writeLine } from "../../../lib/output.ts";
import { plural } from "../../../lib/text.ts";
import { replaceFile } from "../../../lib/write-file.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { sha256 } from "../files/hash.ts";
import { type ComparedFile, compareFiles } from "./compare.ts";
import { readRemote } from "./documents-api.ts";
import { printConflicts } from "./print-conflicts.ts";
import { assertShared, readKnownFiles } from "./read-known-files.ts";
import { openSync, type SyncContext } from "./sync-context.ts";
import { writeState } from "./sync-state.ts";

/** The options of `waymark journey pull` as given. */
type PullFlags = OptionsOf<JourneyPullCommand>;

/** Writes what has changed on the server. @returns the exit code: 1 if files that changed here were left alone */
export async function runPull(context: CliContext, flags: PullFlags): Promise<number> {
  const root = path.resolve(context.cwd, flags.folder ?? ".");
  await mkdir(root, { recursive: true });
  const sync = await openSync(context, flags, root);
  const files = await readKnownFiles({ ...context, cwd: root }, [
    ...sync.remote.keys(),
    ...sync.state.keys(),
  ]);
  const compared = compareFiles(files, sync.remote, sync.state);
  const conflicts = flags.force === true ? [] : compared.filter(({ state }) => state === "changed-both");
  let written = 0;
  for (const file of compared) {
    if (conflicts.includes(file)) continue;
    if (await pullFile(context, sync, { root, file, force: flags.force === true })) written++;
  }
  await writeState(root, { owner: sync.owner, files: sync.state });
  writeLine(context.stdout, `${plural(sync.remote.size, "document")}, ${plural(written, "file")} changed.`);
  if (conflicts.length === 0) return JOURNEY_EXIT.passed;
  await printConflicts(
    context,
    sync.connection,
    conflicts.flatMap(({ path: name, local, remote }) =>
      local === undefined || remote === undefined
        ? []
        : [{ path: name, text: local.text, head: { id: remote.id, version: remote.headVersion } }],
    ),
  );
  writeLine(
    context.stderr,
    "These files have changed here as well and were left alone. --force replaces them.",
  );
  return JOURNEY_EXIT.failed;
}

/** @returns whether a file was written or removed */
async function pullFile(
  { stdout }: CliContext,
  { connection, state }: SyncContext,
  { root, file, force }: { root: string; file: ComparedFile; force: boolean },
): Promise<boolean> {
  const { path: name, remote, local, synced } = file;
  if (remote === undefined) {
    // Changed here since: it is new to the server now.
    if (local === undefined || local.hash !== synced?.hash) return false;
    assertInside(root, name);
    await rm(path.join(root, name));
    state.delete(name);
    writeLine(stdout, `- ${name}  archived on the server`);
    return true;
  }
  const known = { id: remote.id, version: remote.headVersion, hash: remote.headHash };
  if (file.state === "same") {
    state.set(name, known);
    return false;
  }
  if (file.state === "changed-here" && !force) {
    writeLine(stdout, `  ${name}  changed here only`);
    return false;
  }
  const { text } = await readRemote(connection, { id: remote.id, version: remote.headVersion });
  if (sha256(text) !== remote.headHash) {
    throw new CliError(
      EXIT_CODES.unavailable,
      `The server sent another text of ${name} than it names by its hash.`,
    );
  }
  assertInside(root, name);
  await mkdir(path.dirname(path.join(root, name)), { recursive: true });
  await replaceFile(root, name, text);
  state.set(name, known);
  writeLine(stdout, `${local === undefined ? "+" : "✓"} ${name}  version ${remote.headVersion}`);
  return true;
}

/** A link in the folder must not lead a document out of it, nor to a hidden file. */
function assertInside(root: string, name: string): void {
  assertShared(root, name);
  let existing = path.join(root, name);
  while (!existsSync(existing)) existing = path.dirname(existing);
  const shown = path.relative(root, existing);
  if (shown !== "") assertShared(root, shown);
}
