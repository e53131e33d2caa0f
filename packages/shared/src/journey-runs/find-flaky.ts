import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

/** How many runs of the journey before and after a run are looked at. */
const NEAR_RUNS = 50;

/**
 * The nearest run that says that this one is flaky: of the same program, with the same environment, inputs and handling of contracts,
 * one of both passed and the other failed.
 */
export async function findOppositeRun(
  tx: DatabaseTransactionConnection,
  { organizationId, runId }: { organizationId: string; runId: string },
): Promise<string | null> {
  return tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    SELECT n.id
    FROM journey_runs r
    CROSS JOIN LATERAL (
      (SELECT * FROM journey_runs b
       WHERE b.organization_id = r.organization_id AND b.document_id = r.document_id
         AND (b.created_at, b.id) < (r.created_at, r.id)
       ORDER BY b.created_at DESC, b.id DESC LIMIT ${NEAR_RUNS})
      UNION ALL
      (SELECT * FROM journey_runs a
       WHERE a.organization_id = r.organization_id AND a.document_id = r.document_id
         AND (a.created_at, a.id) > (r.created_at, r.id)
       ORDER BY a.created_at, a.id LIMIT ${NEAR_RUNS})
    ) n
    WHERE r.organization_id = ${organizationId} AND r.id = ${runId} AND r.status IN ('passed', 'failed')
      AND n.status = CASE r.status WHEN 'passed' THEN 'failed' ELSE 'passed' END
      AND n.program_id = r.program_id AND n.environment_id = r.environment_id
      AND n.environment_revision = r.environment_revision AND n.strict_contract = r.strict_contract
      AND n.inputs::jsonb = r.inputs::jsonb
    ORDER BY greatest(n.created_at - r.created_at, r.created_at - n.created_at)
    LIMIT 1`);
}
