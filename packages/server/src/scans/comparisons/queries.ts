import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { comparedOf, notComparedOf, pendingOf, sameOf } from "./comparison-of.ts";
import { Comparison, type NotComparedReason } from "@waymark/shared/scans/comparisons/schema.ts";

const ComparisonRow = z.object({
  scan_run_id: z.string(),
  previous_run_id: z.string().nullable(),
  has_description: z.boolean(),
  base_has_description: z.boolean(),
  is_same: z.boolean(),
  base_run_id: z.string().nullable(),
  outcome: z.enum(["compared", "too_large", "failed"]).nullable(),
  breaking: z.number().nullable(),
  maybe: z.number().nullable(),
  safe: z.number().nullable(),
  approved: z.number().nullable(),
  not_compared: Comparison.shape.notCompared.nullable(),
  verdict_count: z.number().nullable(),
  compared_at: z.string().nullable(),
  engine: z.number().nullable(),
});
type ComparisonRow = z.infer<typeof ComparisonRow>;

/** Reads how the descriptions of runs compare with those of the runs before them, by the ids of the runs. */
export async function readComparisons(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunIds }: { organizationId: string; scanRunIds: readonly string[] },
): Promise<Map<string, Comparison>> {
  const rows = await tx.any(sql.type(ComparisonRow)`
    SELECT * FROM read_comparisons(${organizationId}, ${sql.array([...scanRunIds], "uuid")})`);
  return new Map(rows.map((row) => [row.scan_run_id, toComparison(row)]));
}

function toComparison(row: ComparisonRow): Comparison {
  const against = row.base_run_id ?? row.previous_run_id;
  if (row.outcome === "compared")
    return comparedOf(against, {
      counts: {
        breaking: row.breaking ?? 0,
        maybe: row.maybe ?? 0,
        safe: row.safe ?? 0,
        approved: row.approved ?? 0,
      },
      verdictCount: row.verdict_count ?? 0,
      notCompared: row.not_compared ?? [],
      comparedAt: row.compared_at,
      engine: row.engine,
    });
  const reason = row.outcome ?? missing(row);
  if (reason !== null) return notComparedOf(against, reason);
  return row.is_same ? sameOf(against) : pendingOf(against);
}

/** Says what is missing for a comparison; null if nothing is. */
function missing(row: ComparisonRow): NotComparedReason | null {
  if (row.previous_run_id === null) return "no_base";
  if (!row.has_description) return "no_description";
  return row.base_has_description ? null : "no_base_description";
}

/**
 * True if the last change of a service's description in the last days breaks clients, and not all of it is approved. False if its
 * description was not compared.
 */
export async function breaksClients(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId, days }: { organizationId: string; serviceId: string; days: number },
): Promise<boolean> {
  const row = await tx.maybeOne(sql.type(z.object({ breaks: z.boolean() }))`
    SELECT c.breaking > count_approved(r, c.fingerprints[1 : c.breaking]) AS breaks
    FROM scan_runs r
    CROSS JOIN LATERAL valid_comparison(r.organization_id, r.id) c
    WHERE r.organization_id = ${organizationId} AND r.service_id = ${serviceId} AND r.promote AND r.status = 'completed'
      AND r.ordered_at > now() - ${days} * interval '1 day'
      AND c.outcome = 'compared' AND c.breaking + c.maybe + c.safe > 0
    ORDER BY r.ordered_at DESC, r.id DESC
    LIMIT 1`);
  return row?.breaks ?? false;
}
