import type { PoolClient } from "pg";

/** The database functions that delete data of runs. There is a setting for each. */
const FUNCTIONS = {
  /** The requests and responses of a run: they may contain personal data, so they are kept for the shortest time. */
  evidence: "delete_old_evidence",
  /** The steps and the result. */
  results: "delete_old_journey_results",
  /** The run itself, with what it counts for coverage. */
  runs: "delete_old_journey_runs",
  /** Builds that no run has. */
  builds: "delete_old_journey_builds",
} as const;
export type DeletedOfJourneys = keyof typeof FUNCTIONS;

/**
 * Deletes what belongs to runs that ended more than `keepDays` ago, and contents that nothing refers to any more.
 *
 * @returns of how many runs, or how many builds; `batchMax` means that there may be more
 */
export async function deleteOfJourneys(
  client: PoolClient,
  what: DeletedOfJourneys,
  options: { organizationId: string; keepDays: number; batchMax: number },
): Promise<number> {
  const { rows } = await client.query<{ deleted: number }>(
    `SELECT ${FUNCTIONS[what]}($1, $2, $3) AS deleted`,
    [options.organizationId, options.keepDays, options.batchMax],
  );
  return rows[0]?.deleted ?? 0;
}
