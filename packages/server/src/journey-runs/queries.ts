import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { readBlob } from "../db/blobs.ts";
import { joinOwner, PRINCIPAL_SUMMARY } from "../db/principal-summary.ts";
import { KeyOwner } from "@waymark/shared/api-keys/schema.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { type JourneyRun, JourneyRunCi, JourneyRunStatus } from "@waymark/shared/journey-runs/schema.ts";

const RunRow = z.object({
  id: z.string(),
  document_id: z.string(),
  document_path: z.string(),
  document_title: z.string().nullable(),
  document_version: z.number(),
  environment_id: z.string(),
  environment_name: z.string(),
  environment_revision: z.number(),
  artifact_hash: z.instanceof(Buffer),
  program_id: z.string(),
  origin: z.enum(["cloud", "uploaded"]),
  trigger: z.enum(["manual", "cli", "api", "schedule", "rerun"]),
  rerun_of: z.string().nullable(),
  status: JourneyRunStatus,
  phase: z.enum(["main", "recovery"]),
  inputs: z.string(),
  seed: z.string(),
  strict_contract: z.boolean(),
  current_step: z.string().nullable(),
  step_count: z.number(),
  passed_step_count: z.number(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  in_doubt_step: z.string().nullable(),
  outcome_digest: z.string().nullable(),
  kept: z.enum(["evidence", "result", "run"]),
  ci: JourneyRunCi.nullable(),
  result_hash: z.instanceof(Buffer).nullable(),
  created_by_key_id: z.string(),
  creator: KeyOwner,
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});

const SELECT_RUN = sql.fragment`
  SELECT r.id, r.document_id, d.path AS document_path, d.title AS document_title, r.document_version, r.environment_id,
         e.name AS environment_name, r.environment_revision, r.artifact_hash, r.program_id, r.origin, r.trigger,
         r.rerun_of, r.status, r.phase, r.inputs, r.seed, r.strict_contract, r.current_step, r.step_count,
         r.passed_step_count, r.error_code, r.error_message, r.in_doubt_step, r.outcome_digest, r.kept, r.ci,
         r.result_hash, r.created_by_key_id, ${PRINCIPAL_SUMMARY} AS creator, r.created_at, r.started_at, r.ended_at
  FROM journey_runs r
  JOIN journey_documents d ON d.organization_id = r.organization_id AND d.id = r.document_id
  JOIN environments e ON e.organization_id = r.organization_id AND e.id = r.environment_id
  ${joinOwner({ organizationId: sql.fragment`r.organization_id`, keyId: sql.fragment`r.created_by_key_id` })}`;

/** A run, with fields that only the server needs. */
export interface FoundJourneyRun {
  run: JourneyRun;
  /** The inputs as the caller gave them. */
  inputs: Record<string, unknown>;
  resultHash: Buffer | null;
}

interface RunRef {
  organizationId: string;
  runId: string;
}

export async function findJourneyRun(
  tx: DatabaseTransactionConnection,
  { organizationId, runId }: RunRef,
): Promise<FoundJourneyRun | null> {
  const row = await tx.maybeOne(sql.type(RunRow)`
    ${SELECT_RUN} WHERE r.organization_id = ${organizationId} AND r.id = ${runId}`);
  return row === null ? null : toFound(row);
}

export interface JourneyRunFilter {
  journeyId: string | null;
  environmentId: string | null;
  status: JourneyRun["status"] | null;
  origin: JourneyRun["origin"] | null;
  since: string | null;
}

/** Lists runs, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listJourneyRuns(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; limit: number; afterId: string | null; filter: JourneyRunFilter },
): Promise<JourneyRun[]> {
  const { organizationId, limit, afterId, filter } = options;
  // Not by id: an uploaded run keeps the id that its command gave it.
  const rows = await tx.any(sql.type(RunRow)`
    ${SELECT_RUN}
    WHERE r.organization_id = ${organizationId}
      AND (${afterId}::uuid IS NULL
           OR r.created_at <= (SELECT c.created_at FROM journey_runs c
                               WHERE c.organization_id = ${organizationId} AND c.id = ${afterId}::uuid)
              AND (r.created_at, r.id) < (SELECT c.created_at, c.id FROM journey_runs c
                                          WHERE c.organization_id = ${organizationId} AND c.id = ${afterId}::uuid))
      AND (${filter.journeyId}::uuid IS NULL OR r.document_id = ${filter.journeyId}::uuid)
      AND (${filter.environmentId}::uuid IS NULL OR r.environment_id = ${filter.environmentId}::uuid)
      AND (${filter.status}::text IS NULL OR r.status = ${filter.status})
      AND (${filter.origin}::text IS NULL OR r.origin = ${filter.origin})
      AND (${filter.since}::timestamptz IS NULL OR r.created_at >= ${filter.since}::timestamptz)
    ORDER BY r.created_at DESC, r.id DESC
    LIMIT ${limit + 1}`);
  return rows.map((row) => toFound(row).run);
}

/** A run that is to be stored, and waits for a worker from then on. */
export interface NewJourneyRun extends RunRef {
  documentId: string;
  documentVersion: number;
  environmentId: string;
  environmentRevision: number;
  artifactHash: Buffer;
  programId: string;
  trigger: JourneyRun["trigger"];
  rerunOf: string | null;
  scheduleId: string | null;
  inputs: Record<string, unknown>;
  seed: string;
  strictContract: boolean;
  keyId: string;
  /** The Idempotency-Key of the request; null without one. */
  request: RunRequestId | null;
  /** The W3C `traceparent` of the request, if that is traced. */
  traceParent?: string | undefined;
}

/** A request that starts one run, however often it arrives. */
export interface RunRequestId {
  idempotencyKey: string;
  hash: Buffer;
}

const StartedRow = z.object({
  id: z.string(),
  artifact_hash: z.instanceof(Buffer),
  program_id: z.string(),
  request_hash: z.instanceof(Buffer).nullable(),
});

/** The run that an earlier request of the key with this Idempotency-Key started. */
export async function findRunOfRequest(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    keyId,
    idempotencyKey,
  }: { organizationId: string; keyId: string; idempotencyKey: string },
): Promise<{ runId: string; artifact: string; programId: string; hash: Buffer | null } | null> {
  const row = await tx.maybeOne(sql.type(StartedRow)`
    SELECT id, artifact_hash, program_id, request_hash FROM journey_runs
    WHERE organization_id = ${organizationId} AND created_by_key_id = ${keyId} AND idempotency_key = ${idempotencyKey}`);
  if (row === null) return null;
  return {
    runId: row.id,
    artifact: row.artifact_hash.toString("hex"),
    programId: row.program_id,
    hash: row.request_hash,
  };
}

/** Lets one of several equal requests at a time start its run. */
export async function lockRunRequest(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    keyId,
    idempotencyKey,
  }: { organizationId: string; keyId: string; idempotencyKey: string },
): Promise<void> {
  const name = `journey_runs ${organizationId} ${keyId} ${idempotencyKey}`;
  await tx.query(sql.type(z.object({ locked: z.string() }))`
    SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))::text AS locked`);
}

/** Stores a run with its ticket. Gives the name of the limit that it would exceed; then nothing is stored. */
export async function insertJourneyRun(
  tx: DatabaseTransactionConnection,
  run: NewJourneyRun,
): Promise<string | null> {
  const { organizationId, runId } = run;
  const { waitingMax, startedPerHourMax, waitMinutesMax } = JOURNEY_RUN_LIMITS;
  const exceeded = await tx.oneFirst(sql.type(z.object({ name: z.string().nullable() }))`
    SELECT exceeded_journey_run_limit(${organizationId}, ${waitingMax}, ${startedPerHourMax}) AS name`);
  if (exceeded !== null) return exceeded;
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision,
                              artifact_hash, program_id, origin, trigger, rerun_of, schedule_id, status, inputs,
                              seed, strict_contract, created_by_key_id, idempotency_key, request_hash)
    VALUES (${organizationId}, ${runId}, ${run.documentId}, ${run.documentVersion}, ${run.environmentId},
            ${run.environmentRevision}, ${sql.binary(run.artifactHash)}, ${run.programId}, 'cloud', ${run.trigger},
            ${run.rerunOf}, ${run.scheduleId}, 'queued', ${JSON.stringify(run.inputs)}, ${run.seed}, ${run.strictContract}, ${run.keyId},
            ${run.request?.idempotencyKey ?? null}, ${run.request === null ? null : sql.binary(run.request.hash)})`);
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_run_tickets (organization_id, run_id, expires_at, trace_parent)
    VALUES (${organizationId}, ${runId}, now() + ${waitMinutesMax} * interval '1 minute', ${run.traceParent ?? null})`);
  return null;
}

/** Asks for the end of a run. Gives its status, which a worker changes. */
export async function cancelJourneyRun(
  tx: DatabaseTransactionConnection,
  { organizationId, runId }: RunRef,
): Promise<JourneyRun["status"]> {
  return tx.oneFirst(sql.type(z.object({ status: JourneyRunStatus }))`
    SELECT cancel_journey_run(${organizationId}, ${runId}) AS status`);
}

const StepRow = z.object({ seq: z.number(), result: z.string() });

/** The steps from `from` on, without their evidence. */
export async function listJourneyRunSteps(
  tx: DatabaseTransactionConnection,
  { organizationId, runId, from, limit }: RunRef & { from: number; limit: number },
): Promise<readonly z.infer<typeof StepRow>[]> {
  return tx.any(sql.type(StepRow)`
    SELECT seq, result FROM journey_run_steps
    WHERE organization_id = ${organizationId} AND run_id = ${runId} AND seq >= ${from}
    ORDER BY seq LIMIT ${limit}`);
}

const WholeStepRow = z.object({ result: z.string(), evidence: z.string().nullable() });

/** The text of a step with its evidence, if that is still kept. */
export async function findJourneyRunStep(
  tx: DatabaseTransactionConnection,
  { organizationId, runId, seq }: RunRef & { seq: number },
): Promise<string | null> {
  const row = await tx.maybeOne(sql.type(WholeStepRow)`
    SELECT result, evidence FROM journey_run_steps
    WHERE organization_id = ${organizationId} AND run_id = ${runId} AND seq = ${seq}`);
  return row === null ? null : wholeStep(row);
}

/** The text of the one result, made of what was stored; null before the run's end, and when it was deleted for its age. */
export async function readJourneyResult(
  tx: DatabaseTransactionConnection,
  { organizationId, runId, resultHash }: RunRef & { resultHash: Buffer | null },
): Promise<string | null> {
  const head = resultHash === null ? null : await readBlob(tx, { organizationId, hash: resultHash });
  if (head === null) return null;
  const steps = await tx.any(sql.type(WholeStepRow)`
    SELECT result, evidence FROM journey_run_steps
    WHERE organization_id = ${organizationId} AND run_id = ${runId} ORDER BY seq`);
  return `${head.toString().slice(0, -1)},"steps":[${steps.map(wholeStep).join(",")}]}`;
}

function wholeStep({ result, evidence }: z.infer<typeof WholeStepRow>): string {
  return evidence === null ? result : `${result.slice(0, -1)},"evidence":${evidence}}`;
}

function toFound(row: z.infer<typeof RunRow>): FoundJourneyRun {
  return {
    run: {
      id: row.id,
      journeyId: row.document_id,
      journeyPath: row.document_path,
      journeyTitle: row.document_title,
      version: row.document_version,
      environmentId: row.environment_id,
      environmentName: row.environment_name,
      environmentRevision: row.environment_revision,
      artifact: row.artifact_hash.toString("hex"),
      programId: row.program_id,
      origin: row.origin,
      trigger: row.trigger,
      rerunOf: row.rerun_of,
      status: row.status,
      phase: row.phase,
      seed: row.seed,
      strictContract: row.strict_contract,
      currentStep: row.current_step,
      stepCount: row.step_count,
      passedStepCount: row.passed_step_count,
      error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
      inDoubtStep: row.in_doubt_step,
      outcomeDigest: row.outcome_digest,
      kept: row.kept,
      ci: row.ci,
      createdByKeyId: row.created_by_key_id,
      creator: row.creator,
      createdAt: row.created_at,
      startedAt: row.started_at,
      endedAt: row.ended_at,
    },
    inputs: z.record(z.string(), z.unknown()).parse(JSON.parse(row.inputs)),
    resultHash: row.result_hash,
  };
}

const RunStarterRow = z.object({ scheduleId: z.string().nullable(), createdByKeyId: z.string() });
/** The origin of a run: a schedule, or a key. */
export type RunStarter = z.infer<typeof RunStarterRow>;

/** Returns who started the run; null if there is no such run. */
export function findRunStarter(
  tx: DatabaseTransactionConnection,
  { organizationId, runId }: { organizationId: string; runId: string },
): Promise<RunStarter | null> {
  return tx.maybeOne(sql.type(RunStarterRow)`
    SELECT schedule_id AS "scheduleId", created_by_key_id AS "createdByKeyId" FROM journey_runs
    WHERE organization_id = ${organizationId} AND id = ${runId}`);
}
