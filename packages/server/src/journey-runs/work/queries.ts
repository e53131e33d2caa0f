import type { Pool } from "pg";
import type { StepRow } from "../ending/step-rows.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";

/** A run that a worker holds. An older attempt can't write any more. */
export interface HeldRun {
  organizationId: string;
  runId: string;
  attempt: number;
}

export interface ClaimedJourneyRun extends HeldRun {
  /** The number of workers that were lost with the run. From 1 on, nothing of the main phase is sent any more. */
  lostWorkers: number;
  isCancelled: boolean;
  /** Why it only has to be ended: it never began. */
  toEnd: "cancelled" | "queue-expired" | null;
}

interface ClaimedRow {
  organization_id: string;
  run_id: string;
  attempt: number;
  lost_workers: number;
  is_cancelled: boolean;
  to_end: ClaimedJourneyRun["toEnd"];
}

/**
 * Leases due runs of one organization, the next after `afterOrganizationId`, and all of its runs that only have to be ended. Gives
 * each with what is needed to carry it out.
 */
export async function claimJourneyRuns(
  pool: Pool,
  options: { afterOrganizationId: string; runsMax: number; leaseMs: number },
): Promise<{ claimed: ClaimedJourneyRun; work: JourneyRunWork }[]> {
  const { rows } = await pool.query<ClaimedRow & WorkRow>({
    name: "claim_journey_runs",
    // The claim is complete before the work of its first run is read.
    text: `SELECT c.organization_id, c.run_id, c.attempt, c.lost_workers, c.is_cancelled, c.to_end, w.*
           FROM claim_journey_runs($1, $2, $3, $4 * interval '1 millisecond') c
           CROSS JOIN LATERAL find_journey_run_work(c.organization_id, c.run_id, c.attempt) w`,
    values: [options.afterOrganizationId, options.runsMax, JOURNEY_RUN_LIMITS.runningMax, options.leaseMs],
  });
  return rows.map((row) => ({
    claimed: {
      organizationId: row.organization_id,
      runId: row.run_id,
      attempt: row.attempt,
      lostWorkers: row.lost_workers,
      isCancelled: row.is_cancelled,
      toEnd: row.to_end,
    },
    work: workOf(row),
  }));
}

/** Extends the leases of those of these runs that are still held. Gives these, and whether they are to be cancelled. */
export async function renewJourneyRuns(
  pool: Pool,
  { runs, leaseMs }: { runs: readonly HeldRun[]; leaseMs: number },
): Promise<Map<string, { isCancelled: boolean }>> {
  const { rows } = await pool.query<{ run_id: string; is_cancelled: boolean }>({
    name: "renew_journey_runs",
    text: `SELECT run_id, is_cancelled FROM renew_journey_runs($1, $2, $3, $4 * interval '1 millisecond')`,
    values: [
      runs.map((run) => run.organizationId),
      runs.map((run) => run.runId),
      runs.map((run) => run.attempt),
      leaseMs,
    ],
  });
  return new Map(rows.map((row) => [row.run_id, { isCancelled: row.is_cancelled }]));
}

/** The data that a worker needs to carry out a run. */
export interface JourneyRunWork {
  /** The artifact's file, compressed with zstd. */
  artifact: Buffer;
  environmentId: string;
  /** The environment's hosts as they are now. */
  allowedHosts: string[];
  storesBodies: boolean;
  inputs: string;
  seed: string;
  strictContract: boolean;
  checkpoint: Buffer | null;
  /** The W3C `traceparent` of the request that started the run; null if that is not traced. */
  traceParent: string | null;
  /** False in a protected environment for which another artifact is released now, or none. */
  isAllowed: boolean;
  /** The steps as they were written, in their order. */
  steps: { result: string; evidence: string | null }[];
}

interface WorkRow {
  artifact: Buffer;
  environment_id: string;
  allowed_hosts: string[];
  stores_bodies: boolean;
  inputs: string;
  seed: string;
  strict_contract: boolean;
  checkpoint: Buffer | null;
  trace_parent: string | null;
  step_results: string[];
  step_evidence: (string | null)[];
  is_allowed: boolean;
}

/** Undefined when the caller does not hold the run any more. */
export async function findJourneyRunWork(pool: Pool, run: HeldRun): Promise<JourneyRunWork | undefined> {
  const { rows } = await pool.query<WorkRow>({
    name: "find_journey_run_work",
    text: `SELECT artifact, environment_id, allowed_hosts, stores_bodies, inputs, seed, strict_contract, checkpoint,
                  trace_parent, step_results, step_evidence, is_allowed
           FROM find_journey_run_work($1, $2, $3)`,
    values: [run.organizationId, run.runId, run.attempt],
  });
  return rows[0] && workOf(rows[0]);
}

function workOf(row: WorkRow): JourneyRunWork {
  return {
    artifact: row.artifact,
    environmentId: row.environment_id,
    allowedHosts: row.allowed_hosts,
    storesBodies: row.stores_bodies,
    inputs: row.inputs,
    seed: row.seed,
    strictContract: row.strict_contract,
    checkpoint: row.checkpoint,
    traceParent: row.trace_parent,
    isAllowed: row.is_allowed,
    steps: row.step_results.map((result, at) => ({ result, evidence: row.step_evidence[at] ?? null })),
  };
}

/** The parameters $4 to $11 of a statement as rows. */
const STEP_ROWS = `ARRAY(
  SELECT ROW($1, $2, s.seq, $3, s.step_id, s.phase, s.workflow, s.status, s.ms, s.result, s.evidence)::journey_run_steps
  FROM unnest($4::integer[], $5::text[], $6::text[], $7::text[], $8::text[], $9::double precision[], $10::text[], $11::text[])
    AS s (seq, step_id, phase, workflow, status, ms, result, evidence))`;

function stepValues(steps: readonly StepRow[]): unknown[] {
  return [
    steps.map((step) => step.seq),
    steps.map((step) => step.stepId),
    steps.map((step) => step.phase),
    steps.map((step) => step.workflow),
    steps.map((step) => step.status),
    steps.map((step) => step.ms),
    steps.map((step) => step.result),
    steps.map((step) => step.evidence),
  ];
}

/** Writes what happened since the last time. False when the caller has lost the run: then nothing was written. */
export async function writeJourneyProgress(
  pool: Pool,
  run: HeldRun,
  progress: { steps: readonly StepRow[]; currentStep: string | null; checkpoint: Buffer | null },
): Promise<boolean> {
  const { rows } = await pool.query<{ is_held: boolean }>({
    name: "write_journey_progress",
    text: `SELECT write_journey_progress($1::uuid, $2::uuid, $3::integer, ${STEP_ROWS}, $12, $13) AS is_held`,
    values: [
      run.organizationId,
      run.runId,
      run.attempt,
      ...stepValues(progress.steps),
      progress.currentStep,
      progress.checkpoint,
    ],
  });
  return rows[0]?.is_held === true;
}

/** Gives a run back to be claimed at once, and goes on from its last checkpoint. False when the caller has lost it. */
export async function releaseJourneyRun(pool: Pool, run: HeldRun): Promise<boolean> {
  const { rows } = await pool.query<{ is_held: boolean }>(
    "SELECT release_journey_run($1, $2, $3) AS is_held",
    [run.organizationId, run.runId, run.attempt],
  );
  return rows[0]?.is_held === true;
}

/** The end of a run. */
export interface JourneyRunEnd {
  outcome: {
    status: "passed" | "failed" | "error" | "aborted";
    stepCount: number;
    passedStepCount: number;
    outcomeDigest: string;
    errorCode?: string;
    errorMessage?: string;
    inDoubtStep?: string;
    /** The end of an uploaded run; default: now. */
    endedAt?: string;
  };
  /** The result without its steps: the hash of its text, the text's size, and the text compressed with zstd. */
  result: { hash: Buffer; size: number; bytes: Buffer };
  /** Steps that were not written before, or that hold something else now. */
  steps: readonly StepRow[];
  operations: readonly {
    source: string;
    method: string;
    path: string;
    calls: number;
    statuses: number[];
    asserted: boolean;
  }[];
  /** In the order of the program. */
  criteria: readonly { id: string; status: string }[];
}

/** Ends a run, once. False when the caller has lost it: then nothing was written. */
export async function finishJourneyRun(pool: Pool, run: HeldRun, end: JourneyRunEnd): Promise<boolean> {
  const { rows } = await pool.query<{ is_held: boolean }>({
    name: "finish_journey_run",
    text: `SELECT finish_journey_run($1::uuid, $2::uuid, $3::integer,
             ROW($12, $13, $14, $15, ${STEP_ROWS}, $16, $17)::journey_run_end) AS is_held`,
    values: [
      run.organizationId,
      run.runId,
      run.attempt,
      ...stepValues(end.steps),
      JSON.stringify(end.outcome),
      end.result.hash,
      end.result.size,
      end.result.bytes,
      JSON.stringify(end.operations),
      JSON.stringify(end.criteria),
    ],
  });
  return rows[0]?.is_held === true;
}
