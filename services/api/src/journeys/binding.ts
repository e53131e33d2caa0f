import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { bindSources, findBinding } from "@waymark/server/journeys/bindings.queries.ts";
import type { JourneyDocument, JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";

/** A binding with all other names of its service, by which a key may be limited. */
export type FoundBinding = NonNullable<JourneyDocumentDetail["binding"]> & {
  serviceAliases: readonly string[];
};

/**
 * The service of a description. It is the one whose current scan was made from the same bytes: scan and version carry the same
 * SHA-256. Once found it stays, so that a later scan or version does not separate them.
 */
export async function findOrMakeBinding(
  tx: DatabaseTransactionConnection,
  { organizationId, document }: { organizationId: string; document: JourneyDocument },
): Promise<FoundBinding | null> {
  if (document.kind !== "openapi") return null;
  const documentId = document.id;
  let binding = await findBinding(tx, { organizationId, documentId });
  if (binding === null) {
    await bindSources(tx, { organizationId, serviceId: null });
    binding = await findBinding(tx, { organizationId, documentId });
  }
  if (binding === null) return null;
  const service = await findServiceNames(tx, { organizationId, serviceId: binding.serviceId });
  return service === null ? null : { ...binding, serviceName: service.name, serviceAliases: service.aliases };
}
