import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { listCursor } from "@waymark/server/lib/cursor.ts";
import { readComparisons } from "@waymark/server/scans/comparisons/queries.ts";
import { listVerdicts } from "@waymark/server/scans/comparisons/verdicts.queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type Comparison, VERDICTS_MAX } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";

/** A position is the number of verdicts before it. */
const CURSORS = listCursor(z.int().min(0).max(VERDICTS_MAX), { list: "getScanRunChanges" });

type VerdictPage = Pick<ScanChanges, "comparison" | "verdicts" | "nextCursor">;

/** Reads how the description of a run compares with that of the run before it, and a page of the verdicts. */
export async function readVerdictPage(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    scanRunId: string;
    query: { against: string; limit: number; cursor?: string | undefined };
  },
): Promise<VerdictPage> {
  const { organizationId, scanRunId, query } = options;
  const found = await readComparisons(tx, { organizationId, scanRunIds: [scanRunId] });
  const comparison = found.get(scanRunId);
  if (comparison === undefined) throw new AppError("not_found", "The scan run was deleted meanwhile.");
  const isOther = query.against !== "previous" && query.against.toLowerCase() !== comparison.against;
  const shown = isOther ? ofOtherBase(query.against) : comparison;
  // The verdicts of another base, or of other rules, have other places.
  const cursors = CURSORS.below(`${scanRunId} ${shown.against} ${shown.rules?.version}`);
  const offset = cursors.read(query.cursor) ?? 0;
  if (shown.comparedAt === null) return { comparison: shown, verdicts: [] };
  const { limit } = query;
  const rows = await listVerdicts(tx, { organizationId, scanRunId, offset, limit });
  const { page, nextCursor } = cursors.page(rows, limit, () => offset + limit);
  return { comparison: shown, verdicts: [...page], nextCursor };
}

function ofOtherBase(against: string): Comparison {
  return {
    status: "not_compared",
    reason: "other_base",
    against,
    counts: null,
    notListed: 0,
    notCompared: [],
    comparedAt: null,
    rules: null,
  };
}
