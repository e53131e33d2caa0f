import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const BindingRow = z.object({
  service_id: z.string(),
  path_prefix: z.string(),
  how: z.enum(["spec-hash", "name", "manual"]),
});

/** The service whose scans have the operations of a description. */
export interface SourceBinding {
  serviceId: string;
  pathPrefix: string;
  how: z.infer<typeof BindingRow>["how"];
}

export async function findBinding(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<SourceBinding | null> {
  const row = await tx.maybeOne(sql.type(BindingRow)`
    SELECT service_id, path_prefix, how FROM source_bindings
    WHERE organization_id = ${organizationId} AND document_id = ${documentId}`);
  return row === null ? null : { serviceId: row.service_id, pathPrefix: row.path_prefix, how: row.how };
}

/**
 * Binds descriptions that are bound to none to the service that was scanned from the same bytes: by the current scans of all
 * services, or by all scans of one.
 */
export async function bindSources(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: { organizationId: string; serviceId: string | null },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`SELECT FROM bind_sources(${organizationId}, ${serviceId}::uuid)`);
}

/** Binds a description to a service by hand. Nothing else changes such a binding. */
export async function bindSource(
  tx: DatabaseTransactionConnection,
  binding: { organizationId: string; documentId: string; serviceId: string; pathPrefix: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO source_bindings (organization_id, document_id, service_id, path_prefix, how)
    VALUES (${binding.organizationId}, ${binding.documentId}, ${binding.serviceId}, ${binding.pathPrefix}, 'manual')
    ON CONFLICT (organization_id, document_id) DO UPDATE
    SET service_id = excluded.service_id, path_prefix = excluded.path_prefix, how = excluded.how, bound_at = now()`);
}

/** Takes a binding back. The description is bound again by the next scan of its bytes. */
export async function unbindSource(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM source_bindings WHERE organization_id = ${organizationId} AND document_id = ${documentId}`);
}
