import { createHash } from "node:crypto";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type DocumentHead, findArchivedHead, findHeads } from "@waymark/server/journeys/changes.queries.ts";
import type { VersionConflict } from "@waymark/shared/errors/schema.ts";
import type { ChangesetRequest, TextChange } from "./changeset.ts";

/** A change and what it does to the document that is stored. */
export interface PlannedChange {
  change: TextChange;
  /** Undefined for a new document. */
  head: DocumentHead | undefined;
  /** SHA-256 of the text, in hexadecimal; null where there is none. */
  hash: string | null;
  effect: "none" | "version" | "archive";
}

/**
 * Determines the effect of a changeset on the current documents. Call it again under the lock, because they may have
 * changed.
 *
 * @throws AppError `permission_denied`, `document_managed` or `version_conflict`
 */
export async function planChanges(
  tx: DatabaseTransactionConnection,
  request: ChangesetRequest,
  changes: readonly TextChange[],
): Promise<PlannedChange[]> {
  const { actor, revivedId } = request;
  const { organizationId } = actor;
  const paths = changes.map(({ path }) => path);
  const heads = await findHeads(tx, { organizationId, paths });
  const archived =
    revivedId === undefined ? null : await findArchivedHead(tx, { organizationId, documentId: revivedId });
  const planned = changes.map((change) => {
    const head = heads.get(change.path);
    if (archived !== null && head !== undefined) throw pathTaken(head);
    return head === undefined && archived !== null
      ? { change, head: archived, hash: hashOf(change), effect: "version" as const }
      : planChange(change, head);
  });
  for (const { head } of planned) {
    authorize(actor, "journeys:write", head === undefined ? {} : { workflowId: head.id });
  }
  assertNotManaged(request, planned);
  const conflicts = planned.flatMap(conflictOf);
  if (conflicts.length > 0) throw versionConflict(conflicts);
  return planned;
}

function pathTaken({ path }: DocumentHead): AppError {
  return new AppError(
    "document_in_use",
    `${path} belongs to another document now: archive that one to bring this one back.`,
  );
}

function planChange(change: TextChange, head: DocumentHead | undefined): PlannedChange {
  const hash = hashOf(change);
  if (hash === null) return { change, head, hash, effect: "archive" };
  const isSame = head?.hash.toString("hex") === hash;
  return { change, head, hash, effect: isSame ? "none" : "version" };
}

function hashOf({ text }: TextChange): string | null {
  return text === null ? null : createHash("sha256").update(text).digest("hex");
}

/**
 * Returns the conflict of a change. A text that is stored already conflicts with nothing, whatever version it is based
 * on.
 */
function conflictOf({ change, head, effect }: PlannedChange): VersionConflict[] {
  const { path, baseVersion } = change;
  const headVersion = head?.version ?? null;
  const isThere = effect !== "archive" || head !== undefined;
  if (effect === "none" || (isThere && headVersion === baseVersion)) return [];
  return [{ path, baseVersion, headVersion, documentId: head?.id ?? null }];
}

function assertNotManaged({ changeset }: ChangesetRequest, planned: readonly PlannedChange[]): void {
  if (changeset.unlock === true) return;
  const managed = planned.find(
    ({ head, effect }) =>
      // A text that is equal changes nothing, unless it makes another repository the owner.
      (effect !== "none" || changeset.managedBy !== undefined) &&
      head !== undefined &&
      head.managedRepository !== null &&
      head.managedRepository !== changeset.managedBy?.repository,
  )?.head;
  if (managed === undefined) return;
  throw new AppError(
    "document_managed",
    `${managed.path} belongs to the repository ${managed.managedRepository ?? ""}: change it there and push, or send unlock: true to change it here once.`,
  );
}

function versionConflict(conflicts: VersionConflict[]): AppError {
  const [first] = conflicts;
  const more = conflicts.length > 1 ? ` and ${conflicts.length - 1} more` : "";
  return new AppError(
    "version_conflict",
    `${describe(first)}${more}. Nothing was stored: read the newest version, merge your change into it, and send it with that version as baseVersion.`,
    { data: { conflicts } },
  );
}

function describe(conflict: VersionConflict | undefined): string {
  if (conflict === undefined) return "";
  const { path, baseVersion, headVersion } = conflict;
  if (headVersion === null) return `${path} is not there (any more)`;
  if (baseVersion === null) return `${path} is there already, at version ${headVersion}`;
  return `${path} is at version ${headVersion}, and your change was made from version ${baseVersion}`;
}
