import type { LocalFile } from "./collect-files.ts";
import type { RemoteDocument } from "./documents-api.ts";
import type { SyncedFile } from "./sync-state.ts";

/** The changes of a file here and of its document on the server since they were last the same. */
export type FileState =
  | "same"
  | "new-here"
  | "new-there"
  | "changed-here"
  | "changed-there"
  | "changed-both"
  | "removed-here"
  | "removed-there";

export interface ComparedFile {
  path: string;
  state: FileState;
  local: LocalFile | undefined;
  remote: RemoteDocument | undefined;
  /** Undefined if they never were the same, as far as this folder knows. */
  synced: SyncedFile | undefined;
}

/** Compares by content. A file that both have and of which nothing is known counts as changed on both sides. */
export function compareFiles(
  files: ReadonlyMap<string, LocalFile>,
  remote: ReadonlyMap<string, RemoteDocument>,
  state: ReadonlyMap<string, SyncedFile>,
): ComparedFile[] {
  const paths = [...new Set([...files.keys(), ...remote.keys()])].toSorted();
  return paths.map((path) => {
    const known = state.get(path);
    const there = remote.get(path);
    // A document with another id is another document with the same path.
    const synced = there === undefined || known?.id === there.id ? known : undefined;
    const found = { path, local: files.get(path), remote: there, synced };
    return { ...found, state: stateOf(found) };
  });
}

function stateOf({ local, remote, synced }: Omit<ComparedFile, "state">): FileState {
  if (local === undefined) return synced === undefined ? "new-there" : "removed-here";
  if (remote === undefined) return synced === undefined ? "new-here" : "removed-there";
  if (local.hash === remote.headHash) return "same";
  if (synced === undefined) return "changed-both";
  if (local.hash === synced.hash) return "changed-there";
  return remote.headVersion === synced.version ? "changed-here" : "changed-both";
}
