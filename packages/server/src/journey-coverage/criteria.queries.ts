import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { isAmong } from "../db/is-among.ts";
import { type CoverageFilter, selectCurrentArtifacts } from "./current.queries.ts";
import type { CoveredCriterion } from "@waymark/shared/journey-coverage/schema.ts";

const CriterionRow = z.object({
  owner_id: z.string(),
  owner_path: z.string(),
  criterion_id: z.string(),
  description: z.string(),
  severity: z.string(),
  proven_by: z.array(z.string()),
  is_provable: z.boolean(),
  is_current: z.boolean().nullable(),
  status: z.enum(["proven", "failed", "unproven"]).nullable(),
  run_id: z.string().nullable(),
  document_id: z.string().nullable(),
  document_path: z.string().nullable(),
  document_version: z.number().nullable(),
  environment_id: z.string().nullable(),
  environment_name: z.string().nullable(),
  origin: z.enum(["cloud", "uploaded"]).nullable(),
  ended_at: z.string().nullable(),
  proven_by_then: z.array(z.string()).nullable(),
});

/**
 * Lists every acceptance criterion of the current journeys with the verdict that decides its state: of the newest verdicts of each
 * journey in each environment, one that failed counts more than one that proved it, and both more than those of older versions.
 */
// oxlint-disable-next-line max-lines-per-function -- one statement
export async function listCriteria(
  tx: DatabaseTransactionConnection,
  { organizationId, since, environmentId, origin, serviceId, journeyIds }: CoverageFilter,
): Promise<CoveredCriterion[]> {
  const rows = await tx.any(sql.type(CriterionRow)`
    WITH current AS MATERIALIZED (${selectCurrentArtifacts(organizationId)}),
    declared AS MATERIALIZED (
      SELECT DISTINCT ON (c.owner_document_id, c.criterion_id)
             c.owner_document_id, c.criterion_id, c.description, c.severity, c.proven_by,
             bool_or(cardinality(c.proven_by) > 0) OVER (PARTITION BY c.owner_document_id, c.criterion_id) AS is_provable
      FROM journey_criteria c
      JOIN journey_documents d
        ON d.organization_id = c.organization_id AND d.id = c.document_id AND d.archived_at IS NULL
      WHERE c.organization_id = ${organizationId} AND ${isAmong(sql.fragment`c.owner_document_id`, journeyIds)}
        AND ${isAmong(sql.fragment`c.document_id`, journeyIds)} AND (${serviceId}::uuid IS NULL OR c.document_id IN (
        SELECT o.document_id FROM source_bindings b
        JOIN journey_operations o ON o.organization_id = b.organization_id AND o.source_document_id = b.document_id
        WHERE b.organization_id = ${organizationId} AND b.service_id = ${serviceId}::uuid))
      -- As its owner has it, rather than a variant.
      ORDER BY c.owner_document_id, c.criterion_id, c.document_id <> c.owner_document_id, c.document_id
    ), decisive AS MATERIALIZED (
      SELECT DISTINCT ON (v.owner_document_id, v.criterion_id) v.*
      FROM (
        SELECT v.*, c.artifact_hash IS NOT NULL AS is_current, d.path AS document_path
        FROM journey_criterion_verdicts v
        JOIN journey_documents d
          ON d.organization_id = v.organization_id AND d.id = v.document_id AND d.archived_at IS NULL
        LEFT JOIN current c ON c.artifact_hash = v.artifact_hash
        WHERE v.organization_id = ${organizationId} AND v.ended_at >= ${since}::timestamptz
          AND (${environmentId}::uuid IS NULL OR v.environment_id = ${environmentId}::uuid)
          AND (${origin}::text IS NULL OR v.origin = ${origin})
          AND ${isAmong(sql.fragment`v.document_id`, journeyIds)}
      ) v
      -- A failure counts until something newer ran: a new version alone proves nothing.
      WHERE v.is_current OR v.status IN ('proven', 'failed')
      ORDER BY v.owner_document_id, v.criterion_id,
               CASE WHEN v.status = 'failed' THEN 1 WHEN v.status = 'proven' THEN 2 ELSE 5 END
                 + CASE WHEN v.is_current THEN 0 ELSE 2 END,
               v.ended_at DESC, v.run_id
    )
    SELECT d.owner_document_id AS owner_id, owner.path AS owner_path, d.criterion_id, d.description, d.severity,
           d.proven_by, d.is_provable, v.is_current, v.status, v.run_id, v.document_id, v.document_path, v.document_version,
           v.environment_id, e.name AS environment_name, v.origin, v.ended_at, b.proven_by AS proven_by_then
    FROM declared d
    JOIN journey_documents owner ON owner.organization_id = ${organizationId} AND owner.id = d.owner_document_id
    LEFT JOIN decisive v ON v.owner_document_id = d.owner_document_id AND v.criterion_id = d.criterion_id
    LEFT JOIN environments e ON e.organization_id = ${organizationId} AND e.id = v.environment_id
    LEFT JOIN build_criteria b
      ON b.organization_id = ${organizationId} AND b.artifact_hash = v.artifact_hash
        AND b.owner_document_id = v.owner_document_id AND b.criterion_id = v.criterion_id`);
  return rows.map(toCriterion);
}

function toCriterion(row: z.infer<typeof CriterionRow>): CoveredCriterion {
  return {
    journeyId: row.owner_id,
    journeyPath: row.owner_path,
    id: row.criterion_id,
    text: row.description,
    severity: row.severity,
    state: stateOf(row),
    provenBy: row.proven_by,
    verdict: verdictOf(row),
  };
}

function stateOf({
  is_current,
  status,
  is_provable,
}: z.infer<typeof CriterionRow>): CoveredCriterion["state"] {
  if (status === null) return is_provable ? "notRun" : "unproven";
  return is_current === true || status === "failed" ? status : "stale";
}

function verdictOf(row: z.infer<typeof CriterionRow>): CoveredCriterion["verdict"] {
  const {
    run_id: runId,
    document_id,
    document_path,
    document_version,
    environment_id,
    origin,
    ended_at,
  } = row;
  if (
    runId === null ||
    document_id === null ||
    document_path === null ||
    document_version === null ||
    environment_id === null ||
    origin === null ||
    ended_at === null
  )
    return null;
  return {
    runId,
    journeyId: document_id,
    journeyPath: document_path,
    version: document_version,
    environmentId: environment_id,
    environmentName: row.environment_name ?? "",
    origin,
    endedAt: ended_at,
    by: row.proven_by_then ?? [],
  };
}
