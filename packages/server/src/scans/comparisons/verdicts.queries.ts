import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { PrincipalSummary } from "@waymark/shared/api-keys/schema.ts";
import { APPROVAL_LIMITS, type ApprovedChange } from "@waymark/shared/scans/approvals/schema.ts";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { JOIN_APPROVER } from "../approver.queries.ts";
import { PRINCIPAL_SUMMARY } from "../../db/principal-summary.ts";
import {
  type StoredVerdict,
  unpackVerdicts,
  VERDICTS_PER_PART,
  verdictsOfPart,
} from "../../lib/stored-verdicts.ts";

/** Reads verdicts on the changes of a run's description, the most severe first: up to `limit + 1` from a place on. */
export async function listVerdicts(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; scanRunId: string; offset: number; limit: number },
): Promise<Verdict[]> {
  const { organizationId, scanRunId, offset, limit } = options;
  const first = Math.floor(offset / VERDICTS_PER_PART);
  const last = Math.floor((offset + limit) / VERDICTS_PER_PART);
  const parts = await tx.maybeOneFirst(sql.type(z.object({ parts: z.array(z.instanceof(Buffer)) }))`
    SELECT c.verdict_parts[${first + 1} : ${last + 1}] AS parts FROM valid_comparison(${organizationId}, ${scanRunId}) c`);
  const wanted = unpackVerdicts(parts ?? [], {
    offset: offset - first * VERDICTS_PER_PART,
    limit: limit + 1,
  });
  const approvals = await findApprovals(tx, { organizationId, scanRunId, verdicts: wanted });
  return wanted.map((verdict) => ({ ...verdict, approval: approvals.get(verdict.fingerprint) ?? null }));
}

const ApprovalRow = z.object({
  fingerprint: z.string(),
  reason: z.string(),
  until: z.string().nullable(),
  created_by_key_id: z.string(),
  approver: PrincipalSummary.nullable(),
  created_at: z.string(),
});

async function findApprovals(
  tx: DatabaseTransactionConnection,
  wanted: { organizationId: string; scanRunId: string; verdicts: readonly StoredVerdict[] },
): Promise<Map<string, NonNullable<Verdict["approval"]>>> {
  const fingerprints = wanted.verdicts.map(({ fingerprint }) => fingerprint);
  const rows = await tx.any(sql.type(ApprovalRow)`
    SELECT a.fingerprint, a.reason, to_char(a.until, 'YYYY-MM-DD') AS until, a.created_by_key_id,
           ${PRINCIPAL_SUMMARY} AS approver, a.created_at
    FROM scan_runs r
    CROSS JOIN LATERAL approvals_of_run(r, ${sql.array(fingerprints, "text")}) a
    ${JOIN_APPROVER}
    WHERE r.organization_id = ${wanted.organizationId} AND r.id = ${wanted.scanRunId}
    -- The one that the run used up counts.
    ORDER BY a.used_by_run_id NULLS FIRST`);
  return new Map(
    rows.map(({ fingerprint, reason, until, created_by_key_id, approver, created_at }) => [
      fingerprint,
      { reason, until, approvedBy: created_by_key_id, approver, approvedAt: created_at },
    ]),
  );
}

/** Returns those of these fingerprints that are no change of a run. None if the run is not compared, or not all of its changes are stored. */
export async function listUnknownChanges(
  tx: DatabaseTransactionConnection,
  wanted: { organizationId: string; scanRunId: string; fingerprints: readonly string[] },
): Promise<readonly string[]> {
  return tx.anyFirst(sql.type(z.object({ fingerprint: z.string() }))`
    SELECT DISTINCT named.fingerprint
    FROM unnest(${sql.array([...wanted.fingerprints], "text")}) AS named (fingerprint)
    CROSS JOIN valid_comparison(${wanted.organizationId}, ${wanted.scanRunId}) c
    WHERE c.outcome = 'compared' AND cardinality(c.fingerprints) = c.breaking + c.maybe + c.safe
      AND named.fingerprint <> ALL (c.fingerprints)`);
}

/** Reads changes of a run as approvals keep them, by their fingerprints. Changes that the run does not have, or that are not stored, are left out. */
export async function readApprovedChanges(
  tx: DatabaseTransactionConnection,
  wanted: { organizationId: string; scanRunId: string; fingerprints: readonly string[] },
): Promise<Map<string, ApprovedChange>> {
  const { organizationId, scanRunId, fingerprints } = wanted;
  // Verdicts and their fingerprints are in one order, so only the parts that have them are read.
  const parts = await tx.anyFirst(sql.type(z.object({ part: z.instanceof(Buffer) }))`
    SELECT c.verdict_parts[wanted.part] AS part
    FROM valid_comparison(${organizationId}, ${scanRunId}) c
    CROSS JOIN LATERAL (
      SELECT DISTINCT (array_position(c.fingerprints, named.fingerprint) - 1) / ${VERDICTS_PER_PART}::int + 1 AS part
      FROM unnest(${sql.array([...fingerprints], "text")}) AS named (fingerprint)) wanted
    WHERE c.verdict_parts[wanted.part] IS NOT NULL`);
  const verdicts = parts
    .flatMap(verdictsOfPart)
    .filter(({ fingerprint }) => fingerprints.includes(fingerprint));
  return new Map(
    verdicts.map(({ fingerprint, id, level, message, operations, operationCount }) => [
      fingerprint,
      { id, level, message, operations: operations.slice(0, APPROVAL_LIMITS.operationsMax), operationCount },
    ]),
  );
}
