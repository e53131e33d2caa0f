import { withOrganizationClient } from "@waymark/shared/db/organization.ts";
import {
  completeRuns,
  insertSnapshots,
  lockClaimedRuns,
  lockMissingSnapshots,
} from "@waymark/shared/scans/persist/queries.ts";
import type { HotPool } from "@waymark/shared/db/pool.ts";
import type { PreparedRun } from "./prepare-run.ts";

/**
 * Persists runs of one organization in one transaction: their rows, unless that content is stored already, and
 * their completion. Doing it twice is the same as doing it once; a run whose lease was lost is left alone.
 *
 * @returns how many runs were completed, and how many rows were written
 */
export async function persistRuns(
  pool: HotPool,
  organizationId: string,
  runs: readonly PreparedRun[],
): Promise<{ completed: number; rows: number }> {
  return withOrganizationClient(pool, organizationId, async (client) => {
    const held = await lockClaimedRuns(
      client,
      organizationId,
      runs.map((run) => run.claimed),
    );
    const ours = runs.filter((run) => held.has(run.claimed.scanRunId));
    if (ours.length === 0) return { completed: 0, rows: 0 };

    const contents = new Map(ours.map((run) => [run.content.id, run.content]));
    const missing = await lockMissingSnapshots(client, organizationId, [...contents.keys()]);
    const added = [...contents.values()].filter((content) => missing.has(content.id));
    if (added.length > 0) await insertSnapshots(client, organizationId, added);

    await completeRuns(
      client,
      organizationId,
      ours.map((run) => ({ scanRunId: run.claimed.scanRunId, snapshotId: run.content.id })),
    );
    const rows = added.reduce((sum, content) => sum + content.endpoints.length + content.findings.length, 0);
    return { completed: ours.length, rows };
  });
}
