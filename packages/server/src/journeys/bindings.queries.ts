import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { JourneyBinding } from "@waymark/shared/journeys/schema.ts";

const BindingRow = z.object({
  service_id: z.string(),
  path_prefix: z.string(),
  how: JourneyBinding.shape.how,
  newer_scan_run_id: z.string().nullable(),
});

/** The service whose scans have the operations of a description. */
export interface SourceBinding {
  serviceId: string;
  pathPrefix: string;
  how: z.infer<typeof BindingRow>["how"];
  newerScanRunId: string | null;
}

export async function findBinding(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<SourceBinding | null> {
  const row = await tx.maybeOne(sql.type(BindingRow)`
    SELECT b.service_id, b.path_prefix, b.how, (
      SELECT l.scan_run_id
      FROM services s
      JOIN scan_run_descriptions l ON l.organization_id = s.organization_id AND l.scan_run_id = s.current_run_id
      JOIN journey_documents d ON d.organization_id = s.organization_id AND d.id = b.document_id
      JOIN journey_document_versions v
        ON v.organization_id = d.organization_id AND v.document_id = d.id AND v.version = d.head_version
      WHERE b.how = 'description' AND s.organization_id = b.organization_id AND s.id = b.service_id
        AND l.description_hash <> v.blob_hash) AS newer_scan_run_id
    FROM source_bindings b
    WHERE b.organization_id = ${organizationId} AND b.document_id = ${documentId}`);
  if (row === null) return null;
  const { service_id, path_prefix, how, newer_scan_run_id } = row;
  return { serviceId: service_id, pathPrefix: path_prefix, how, newerScanRunId: newer_scan_run_id };
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

/** Binds a description to a service: by hand, or to the one whose description became its text. The latter leaves a binding by hand. */
export async function bindSource(
  tx: DatabaseTransactionConnection,
  binding: {
    organizationId: string;
    documentId: string;
    serviceId: string;
    pathPrefix: string;
    how: "manual" | "description";
  },
): Promise<void> {
  const { organizationId, documentId, serviceId, pathPrefix, how } = binding;
  await tx.query(sql.type(z.object({}))`
    INSERT INTO source_bindings AS b (organization_id, document_id, service_id, path_prefix, how)
    VALUES (${organizationId}, ${documentId}, ${serviceId}, ${pathPrefix}, ${how})
    ON CONFLICT (organization_id, document_id) DO UPDATE
    SET service_id = excluded.service_id, path_prefix = excluded.path_prefix, how = excluded.how, bound_at = now()
    WHERE excluded.how = 'manual' OR b.how <> 'manual'`);
}

/** Takes a binding back. The description is bound again by the next scan of its bytes. */
export async function unbindSource(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM source_bindings WHERE organization_id = ${organizationId} AND document_id = ${documentId}`);
}
