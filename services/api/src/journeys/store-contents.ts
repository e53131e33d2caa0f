import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { bindSources } from "@waymark/server/journeys/bindings.queries.ts";
import { replaceContents } from "@waymark/server/journeys/contents.queries.ts";
import type { ChangedDocument } from "@waymark/shared/journeys/schema.ts";
import type { ExaminedChanges } from "./examine-changes.ts";

/**
 * Stores what changed journeys call and promise, and those that refer to them; binds new descriptions to their services. A journey
 * that does not compile keeps what it had: a draft takes nothing out of the coverage.
 */
export async function storeContents(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    documents,
    examined,
  }: { organizationId: string; documents: readonly ChangedDocument[]; examined: ExaminedChanges },
): Promise<void> {
  const changed = documents.flatMap(({ id, path, unchanged, archived }) => {
    const contents = examined.examinations.get(path)?.contents ?? null;
    return unchanged || archived || contents === null ? [] : [{ documentId: id, contents }];
  });
  for (const { documentId, contents } of [...changed, ...examined.dependents]) {
    await replaceContents(tx, { organizationId, documentId, contents });
  }
  if (documents.some(({ kind, unchanged }) => kind === "openapi" && !unchanged)) {
    await bindSources(tx, { organizationId, serviceId: null });
  }
}
