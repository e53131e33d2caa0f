import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { ScanGates, type ScanGatesPayload } from "@waymark/shared/scans/gates/schema.ts";

/** Stores the verdict of a run's gates. Returns false, and stores nothing, if the run has one of another key. */
export async function storeScanGates(
  tx: DatabaseTransactionConnection,
  verdict: ScanGatesPayload & { organizationId: string; scanRunId: string; apiKeyId: string },
): Promise<boolean> {
  const { organizationId, scanRunId, apiKeyId, gates } = verdict;
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    UPDATE scan_runs r SET gates = jsonb_build_object(
      'gates', ${JSON.stringify(gates)}::jsonb, 'judgedByKeyId', ${apiKeyId}::text,
      'judgedAt', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    WHERE r.organization_id = ${organizationId} AND r.id = ${scanRunId}
      AND (r.gates IS NULL OR r.gates->>'judgedByKeyId' = ${apiKeyId})`);
  return rowCount > 0;
}

/** Returns the verdict of a run's gates; null if it has none. */
export async function findScanGates(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: { organizationId: string; scanRunId: string },
): Promise<ScanGates | null> {
  const verdict = await tx.maybeOneFirst(sql.type(z.object({ gates: ScanGates.nullable() }))`
    SELECT r.gates FROM scan_runs r WHERE r.organization_id = ${organizationId} AND r.id = ${scanRunId}`);
  return verdict ?? null;
}
