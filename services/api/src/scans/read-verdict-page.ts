import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { listCursor } from "@waymark/server/lib/cursor.ts";
import { unpackVerdicts } from "@waymark/server/lib/stored-verdicts.ts";
import { listVerdicts } from "@waymark/server/scans/comparisons/verdicts.queries.ts";
import { type Comparison, type Verdict, VERDICTS_MAX } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import type { OtherComparison } from "./other-comparisons.ts";

/** A position is the number of verdicts before it. */
const CURSORS = listCursor(z.int().min(0).max(VERDICTS_MAX), { list: "getScanRunChanges" });

type VerdictPage = Pick<ScanChanges, "comparison" | "verdicts" | "nextCursor">;

interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

/** Reads a page of the verdicts of a run's own comparison: with the run before it. */
export async function readVerdictPage(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; scanRunId: string; comparison: Comparison; query: PageQuery },
): Promise<VerdictPage> {
  const { organizationId, scanRunId, comparison, query } = options;
  return pageOf({ scanRunId, comparison, query }, (offset) =>
    listVerdicts(tx, { organizationId, scanRunId, offset, limit: query.limit }),
  );
}

/** Returns a page of the verdicts of a comparison with another run. Approvals are of changes to the run before, so none is named. */
export function otherVerdictPage(
  { comparison, verdictParts }: OtherComparison,
  { scanRunId, query }: { scanRunId: string; query: PageQuery },
): Promise<VerdictPage> {
  return pageOf({ scanRunId, comparison, query }, async (offset) =>
    unpackVerdicts(verdictParts, { offset, limit: query.limit + 1 }).map((verdict) => ({
      ...verdict,
      approval: null,
    })),
  );
}

async function pageOf(
  { scanRunId, comparison, query }: { scanRunId: string; comparison: Comparison; query: PageQuery },
  list: (offset: number) => Promise<readonly Verdict[]>,
): Promise<VerdictPage> {
  // The verdicts of another base, or of other rules, have other places.
  const cursors = CURSORS.below(`${scanRunId} ${comparison.against} ${comparison.rules?.version}`);
  const offset = cursors.read(query.cursor) ?? 0;
  if (comparison.comparedAt === null) return { comparison, verdicts: [] };
  const { limit } = query;
  const { page, nextCursor } = cursors.page(await list(offset), limit, () => offset + limit);
  return { comparison, verdicts: [...page], nextCursor };
}
