import type { PreparedRun } from "@waymark/server/journey-runs/start/prepare-run.ts";
import { query } from "../sql.ts";
import { addJourneyOrganization, ARTIFACT, DOCUMENT, ENVIRONMENT, hashOf } from "../stored-journeys.ts";

const RESULT = hashOf("result");

interface Database {
  databaseUrl: string;
}

/** An organization with a journey and an environment, for schedules without builds. @returns its id */
export async function addScheduleOrganization(database: Database): Promise<string> {
  const id = crypto.randomUUID();
  await addJourneyOrganization(database, id);
  await query(
    database,
    "INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, $2, 6, 'result')",
    [id, RESULT],
  );
  return id;
}

/** Returns what a build of that journey for that environment would give. */
export function preparedRun(): PreparedRun {
  const at = "2026-01-01T00:00:00.000Z";
  return {
    target: {
      document: {
        id: DOCUMENT,
        path: "a.journey.yaml",
        kind: "journey",
        journeyKey: "a",
        title: null,
        isTemplate: false,
        tags: [],
        infoVersion: null,
        headVersion: 1,
        headHash: "",
        errorCount: 0,
        warningCount: 0,
        base: null,
        drift: null,
        lastRun: null,
        lastRuns: [],
        recentStatuses: [],
        criteria: null,
        managedBy: null,
        createdAt: at,
        updatedAt: at,
        archivedAt: null,
      },
      environment: {
        id: ENVIRONMENT,
        name: "test",
        servers: {},
        variables: {},
        inputs: {},
        allowedHosts: [],
        protected: false,
        storesBodies: true,
        revision: 1,
        createdAt: at,
        updatedAt: at,
      },
      version: 1,
      release: null,
      isReadable: true,
    },
    artifactHash: ARTIFACT,
    programId: "p",
    needs: { inputs: [], required: [], secretInputs: [], passwordInputs: [], secretNames: [] },
    inputs: {},
  };
}

interface UnfinishedRun {
  runId: string;
  /** By the clock of the scheduler that started it. */
  startedAt: number;
  /** A tick waits for its end. */
  isAwaited: boolean;
}

export async function unfinishedRuns(database: Database): Promise<UnfinishedRun[]> {
  const rows = await query<{ id: string; decided_at: Date; is_waiting: boolean }>(
    database,
    `SELECT r.id, t.decided_at, s.is_waiting FROM journey_runs r
     JOIN journey_schedule_ticks t ON t.schedule_id = r.schedule_id AND t.run_id = r.id
     JOIN journey_schedules s ON s.id = r.schedule_id
     WHERE r.status IN ('queued', 'running')`,
  );
  return rows.map((row) => ({
    runId: row.id,
    startedAt: row.decided_at.getTime(),
    isAwaited: row.is_waiting,
  }));
}

/** Ends the runs whose time is over as a worker does. The outcome `cancelled` is that of a cancelled run. */
export async function endRuns(
  database: Database,
  {
    now,
    durationOf = () => 0,
    outcome = "passed",
  }: { now: number; durationOf?: (runId: string) => number; outcome?: string },
): Promise<void> {
  const ended = (await unfinishedRuns(database))
    .filter(({ runId, startedAt }) => startedAt + durationOf(runId) <= now)
    .map(({ runId }) => runId);
  if (ended.length === 0) return;
  await query(
    database,
    `WITH ticket AS (DELETE FROM journey_run_tickets WHERE run_id = ANY($1))
     UPDATE journey_runs SET status = $2, error_code = $3, ended_at = now(), outcome_digest = 'd', result_hash = $4
     WHERE id = ANY($1)`,
    [ended, outcome === "cancelled" ? "aborted" : outcome, outcome === "cancelled" ? outcome : null, RESULT],
  );
}
