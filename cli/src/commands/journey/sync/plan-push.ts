import type { DocumentChange } from "@waymark/shared/journeys/schema.ts";
import type { ApiConnection } from "../../../api/api-client.ts";
import type { ComparedFile } from "./compare.ts";
import { readRemote } from "./documents-api.ts";
import type { Conflict } from "./print-conflicts.ts";

export interface PushPlan {
  changes: DocumentChange[];
  /** Found before anything is sent. */
  conflicts: Conflict[];
  notes: string[];
}

export interface PushScope {
  /** The repository that owns the documents; undefined if none does. */
  repository: string | undefined;
  /** True if a path lies in the pushed files and folders, so that a document without a file is archived. */
  isPruned: (path: string) => boolean;
}

/** Plans a push: it sends each file that differs, with the version that it was made from. */
export async function planPush(
  connection: ApiConnection,
  compared: readonly ComparedFile[],
  scope: PushScope,
): Promise<PushPlan> {
  const plan: PushPlan = { changes: [], conflicts: [], notes: [] };
  for (const file of compared) {
    if (file.local === undefined) addRemoval(plan, file, scope);
    else await addFile(connection, plan, { ...file, local: file.local }, scope);
  }
  return plan;
}

function addRemoval(plan: PushPlan, { path, remote, synced }: ComparedFile, scope: PushScope): void {
  if (remote === undefined || !scope.isPruned(path)) return;
  const { repository } = scope;
  const isOwned = repository !== undefined && remote.managedBy?.repository === repository;
  // A document that never was here belongs to somebody else.
  if (synced === undefined && !isOwned) return;
  plan.changes.push({ path, text: null, baseVersion: synced?.version ?? remote.headVersion });
}

async function addFile(
  connection: ApiConnection,
  plan: PushPlan,
  file: ComparedFile & { local: NonNullable<ComparedFile["local"]> },
  { repository }: PushScope,
): Promise<void> {
  const { path, state, local, remote, synced } = file;
  const send = (baseVersion: number | null) => {
    plan.changes.push({ path, text: local.text, kind: local.kind, baseVersion });
  };
  if (remote === undefined) {
    if (local.hash === synced?.hash) plan.notes.push(`${path} was archived on the server: it is not pushed.`);
    else send(null);
  } else if (state === "same") {
    if (repository !== undefined && remote.managedBy?.repository !== repository) send(remote.headVersion);
  } else if (state === "changed-there") {
    plan.notes.push(`${path} has changed on the server only: waymark journey pull fetches it.`);
  } else if (synced !== undefined) send(synced.version);
  else {
    const head = { id: remote.id, version: remote.headVersion };
    const isOwned = repository !== undefined && remote.managedBy?.repository === repository;
    // This is a checkout that never pulled, as in CI. It replaces a version that its repository pushed, and no other.
    if (isOwned && (await readRemote(connection, head)).origin === "cli") send(head.version);
    else plan.conflicts.push({ path, text: local.text, head });
  }
}
