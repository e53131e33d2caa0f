import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import type { JourneyRun, JourneyRunCi } from "@waymark/shared/journey-runs/schema.ts";
import type { JourneyRunEnd } from "./work/queries.ts";

/** This server's build of the program of an uploaded result. */
export interface UploadTarget {
  documentId: string;
  documentVersion: number;
  environmentId: string;
  environmentRevision: number;
  storesBodies: boolean;
  artifactHash: Buffer;
}

const TargetRow = z.object({
  document_id: z.string(),
  document_version: z.number(),
  environment_id: z.string(),
  environment_revision: z.number(),
  stores_bodies: z.boolean(),
  artifact_hash: z.instanceof(Buffer),
});

/**
 * The build of a program: that of the journey at `path` first, then that with the same file, then the newest. Its version is the
 * newest with the text that was built.
 */
export async function findUploadTarget(
  tx: DatabaseTransactionConnection,
  built: { organizationId: string; programId: string; artifactHash: Buffer | null; path: string | null },
): Promise<UploadTarget | null> {
  const { organizationId, programId, path } = built;
  const hash = built.artifactHash === null ? null : sql.binary(built.artifactHash);
  const row = await tx.maybeOne(sql.type(TargetRow)`
    SELECT b.document_id, b.environment_id, b.environment_revision, e.stores_bodies, b.artifact_hash,
           (SELECT max(same.version) FROM journey_document_versions v
            JOIN journey_document_versions same
              ON same.organization_id = v.organization_id AND same.document_id = v.document_id
                 AND same.blob_hash = v.blob_hash
            WHERE v.organization_id = b.organization_id AND v.document_id = b.document_id
              AND v.version = b.document_version) AS document_version
    FROM journey_builds b
    JOIN journey_documents d ON d.organization_id = b.organization_id AND d.id = b.document_id
    JOIN environments e ON e.organization_id = b.organization_id AND e.id = b.environment_id
    WHERE b.organization_id = ${organizationId} AND b.program_id = ${programId} AND b.artifact_hash IS NOT NULL
    ORDER BY (d.path = ${path}) DESC NULLS LAST, (b.artifact_hash = ${hash}::bytea) DESC NULLS LAST, b.created_at DESC
    LIMIT 1`);
  if (row === null) return null;
  return {
    documentId: row.document_id,
    documentVersion: row.document_version,
    environmentId: row.environment_id,
    environmentRevision: row.environment_revision,
    storesBodies: row.stores_bodies,
    artifactHash: row.artifact_hash,
  };
}

interface RunRef {
  organizationId: string;
  runId: string;
}

const EarlierRow = z.object({ origin: z.string(), request_hash: z.instanceof(Buffer).nullable() });

/** Whether the run with this id is the same upload (`same`), something else (`other`), or not there (null). */
export async function findEarlierUpload(
  tx: DatabaseTransactionConnection,
  { organizationId, runId, requestHash }: RunRef & { requestHash: Buffer },
): Promise<"same" | "other" | null> {
  const row = await tx.maybeOne(sql.type(EarlierRow)`
    SELECT origin, request_hash FROM journey_runs WHERE organization_id = ${organizationId} AND id = ${runId}`);
  if (row === null) return null;
  return row.origin === "uploaded" && row.request_hash?.equals(requestHash) === true ? "same" : "other";
}

/** Whether the organization has uploaded as many results within an hour as it may. */
async function isUploadLimitReached(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<boolean> {
  const { uploadedPerHourMax } = JOURNEY_RUN_LIMITS;
  const uploaded = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM (
      SELECT FROM journey_runs
      WHERE organization_id = ${organizationId} AND created_at > now() - interval '1 hour' AND origin = 'uploaded'
      LIMIT ${uploadedPerHourMax}) uploaded`);
  return uploaded >= uploadedPerHourMax;
}

/** A limit of uploads that is reached. */
export type ReachedUploadLimit =
  | "uploadedPerHourMax"
  | "uploadedWithSecretPerHourMax"
  | "uploadedWithSecretPerHourMaxOfKey";

/**
 * Returns the limit of uploads that the organization or its key has reached, or null. Whoever reaches a limit of results with a
 * secret uploads nothing at all for the rest of the hour: otherwise the refusal would tell that a guess is right.
 */
export async function reachedUploadLimit(
  tx: DatabaseTransactionConnection,
  { organizationId, keyId }: { organizationId: string; keyId: string },
): Promise<ReachedUploadLimit | null> {
  if (await isUploadLimitReached(tx, organizationId)) return "uploadedPerHourMax";
  const { uploadedWithSecretPerHourMax, uploadedWithSecretPerHourMaxOfKey } = JOURNEY_RUN_LIMITS;
  const found = await tx.one(sql.type(z.object({ all: z.number(), own: z.number() }))`
    SELECT count(*)::int AS all, count(*) FILTER (WHERE actor_key_id = ${keyId})::int AS own
    FROM audit_events
    WHERE organization_id = ${organizationId} AND action = 'journey_result.secret_found'
      AND created_at > now() - interval '1 hour'`);
  if (found.own >= uploadedWithSecretPerHourMaxOfKey) return "uploadedWithSecretPerHourMaxOfKey";
  return found.all >= uploadedWithSecretPerHourMax ? "uploadedWithSecretPerHourMax" : null;
}

/** Lets uploads that contain a secret be stored one after the other, so that they are counted exactly. */
export async function lockSecretUploads(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('journey_result.secret_found ' || ${organizationId}::uuid, 0))`);
}

/** An uploaded result as a run. */
export interface UploadedRun extends RunRef, UploadTarget {
  programId: string;
  trigger: JourneyRun["trigger"];
  /** JSON, without secrets. */
  inputs: string;
  seed: string;
  strictContract: boolean;
  ci: JourneyRunCi | null;
  keyId: string;
  startedAt: string;
  requestHash: Buffer;
}

/** Stores an uploaded result as a run that has ended. False if there is a run with this id: then nothing was written. */
export async function storeUploadedRun(
  tx: DatabaseTransactionConnection,
  run: UploadedRun,
  { outcome, result, steps, operations, criteria }: JourneyRunEnd,
): Promise<boolean> {
  const { organizationId, runId, artifactHash, requestHash, ...columns } = run;
  const texts = (of: (step: (typeof steps)[number]) => string | null) => sql.array(steps.map(of), "text");
  return tx.oneFirst(sql.type(z.object({ stored: z.boolean() }))`
    SELECT store_uploaded_run(
      ${organizationId}, ${runId}, 1,
      ROW(${JSON.stringify(outcome)}::jsonb, ${sql.binary(result.hash)}, ${result.size}::integer, ${sql.binary(result.bytes)}, ARRAY(
        SELECT ROW(${organizationId}::uuid, ${runId}::uuid, s.seq, 1, s.step_id, s.phase, s.workflow, s.status, s.ms, s.result,
                   s.evidence)::journey_run_steps
        FROM unnest(
          ${sql.array(
            steps.map(({ seq }) => seq),
            "int4",
          )}, ${texts(({ stepId }) => stepId)}, ${texts(({ phase }) => phase)},
          ${texts(({ workflow }) => workflow)}, ${texts(({ status }) => status)},
          ${sql.array(
            steps.map(({ ms }) => ms),
            "float8",
          )}, ${texts((step) => step.result)}, ${texts(({ evidence }) => evidence)}
        ) AS s (seq, step_id, phase, workflow, status, ms, result, evidence)),
        ${JSON.stringify(operations)}::jsonb, ${JSON.stringify(criteria)}::jsonb)::journey_run_end,
      ${JSON.stringify(columns)}::jsonb, ${sql.binary(artifactHash)}, ${sql.binary(requestHash)}) AS stored`);
}
