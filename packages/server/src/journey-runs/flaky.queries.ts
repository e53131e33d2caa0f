import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";

/** How many runs of the journey before or after a run are looked at. */
const NEAR_RUNS = 50;

const Neighbour = z.object({ id: z.string(), status: z.string() });

/**
 * The run that failed directly before this one passed, or that passed directly after this one failed: of the same program, with the
 * same environment revision, inputs and handling of contracts.
 */
export async function findFlakyRun(
  tx: DatabaseTransactionConnection,
  { organizationId, run }: { organizationId: string; run: Pick<JourneyRun, "id" | "status"> },
): Promise<string | null> {
  if (run.status !== "passed" && run.status !== "failed") return null;
  const looksBack = run.status === "passed";
  const operator = looksBack ? sql.fragment`<` : sql.fragment`>`;
  const nearestFirst = looksBack
    ? sql.fragment`n.created_at DESC, n.id DESC`
    : sql.fragment`n.created_at, n.id`;
  // Inputs are compared as text: what an uploaded result has may be no jsonb.
  const neighbour = await tx.maybeOne(sql.type(Neighbour)`
    SELECT n.id, n.status
    FROM journey_runs r
    CROSS JOIN LATERAL (
      SELECT * FROM journey_runs n
      WHERE n.organization_id = r.organization_id AND n.document_id = r.document_id
        AND (n.created_at, n.id) ${operator} (r.created_at, r.id)
      ORDER BY ${nearestFirst}
      LIMIT ${NEAR_RUNS}
    ) n
    WHERE r.organization_id = ${organizationId} AND r.id = ${run.id}
      AND n.status IN ('passed', 'failed') AND n.program_id = r.program_id
      AND n.environment_id = r.environment_id AND n.environment_revision = r.environment_revision
      AND n.strict_contract = r.strict_contract AND n.inputs = r.inputs
    ORDER BY ${nearestFirst}
    LIMIT 1`);
  return neighbour === null || neighbour.status === run.status ? null : neighbour.id;
}
