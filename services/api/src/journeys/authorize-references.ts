import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { Examination } from "@waymark/server/journeys/compiler/messages.ts";
import { findHeads } from "@waymark/server/journeys/changes.queries.ts";
import { listLinks } from "@waymark/server/journeys/links.queries.ts";
import { readableJourneys } from "../lib/visible-journeys.ts";
import type { PlannedChange } from "./plan-changes.ts";

/**
 * Checks that the actor may read what its texts newly refer to: a composition, a verdict and a run show what is referred to. A
 * document that this changeset creates is the actor's own.
 *
 * @throws AppError `permission_denied`, the same for a document that the actor may not read and for one that does not exist
 */
export async function authorizeReferences(
  tx: DatabaseTransactionConnection,
  {
    actor,
    planned,
    examinations,
  }: {
    actor: Actor;
    planned: readonly PlannedChange[];
    examinations: ReadonlyMap<string, Pick<Examination, "links">>;
  },
): Promise<void> {
  if (readableJourneys(actor) === null) return;
  const { organizationId } = actor;
  const created = new Set(planned.flatMap(({ change, head }) => (head === undefined ? [change.path] : [])));
  const wanted = new Set<string>();
  for (const { change, head, effect } of planned) {
    if (effect !== "version") continue;
    const known = head === undefined ? [] : await listLinks(tx, { organizationId, documentId: head.id });
    const before = new Set(known.map(({ path }) => path));
    for (const { path } of examinations.get(change.path)?.links ?? [])
      if (path !== undefined && path !== change.path && !before.has(path) && !created.has(path))
        wanted.add(path);
  }
  const heads = await findHeads(tx, { organizationId, paths: [...wanted] });
  for (const path of wanted) {
    const target = heads.get(path);
    authorize(actor, "journeys:read", target === undefined ? {} : { workflowId: target.id });
  }
}
