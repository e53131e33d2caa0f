import { createHash } from "node:crypto";
import { query } from "./sql.ts";
import type { TestDatabase } from "./test-database.ts";

/** The journey of every organization that is added here. */
export const DOCUMENT = "dddddddd-dddd-4ddd-8ddd-dddddddddddd";
/** Its environment. */
export const ENVIRONMENT = "eeeeeeee-eeee-4eee-8eee-eeeeeeeeeeee";
/** The artifact of every run that is added here. */
export const ARTIFACT = hashOf("artifact");

export function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** An organization with a journey, an environment and an artifact, without a build. */
export async function addJourneyOrganization(
  database: Pick<TestDatabase, "databaseUrl">,
  id: string,
): Promise<void> {
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1::uuid, $1::text)", [id]);
  await query(
    database,
    "INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, $2, 8, 'artifact')",
    [id, ARTIFACT],
  );
  await query(
    database,
    `WITH document AS (
       INSERT INTO journey_documents (organization_id, id, path, kind, journey_key, head_version)
       VALUES ($1, $2, 'a.journey.yaml', 'journey', 'a', 1))
     INSERT INTO journey_document_versions (organization_id, document_id, version, blob_hash, changeset_id, origin, error_count,
                                            warning_count, created_by_key_id)
     VALUES ($1, $2, 1, $3, $2, 'api', 0, 0, $2)`,
    [id, DOCUMENT, ARTIFACT],
  );
  await query(
    database,
    `INSERT INTO environments (organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected, stores_bodies,
                               created_by_key_id)
     VALUES ($1, $2, 'test', '{}', '{}', '{}', '{api.example}', false, true, $2)`,
    [id, ENVIRONMENT],
  );
  await query(
    database,
    `INSERT INTO build_criteria (organization_id, artifact_hash, owner_document_id, criterion_id, severity, description, proven_by)
     VALUES ($1, $2, $3, 'AC-1', 'must', 'd', '{}')`,
    [id, ARTIFACT, DOCUMENT],
  );
}

/** A run that waits for a worker. */
export async function addJourneyRun(
  database: TestDatabase,
  { organizationId, expired = false }: { organizationId: string; expired?: boolean },
): Promise<string> {
  const id = crypto.randomUUID();
  await query(
    database,
    `INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision,
       artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id)
     VALUES ($1, $2, $3, 1, $4, 1, $5, 'p', 'cloud', 'api', 'queued', '{}', 's', false, $3)`,
    [organizationId, id, DOCUMENT, ENVIRONMENT, ARTIFACT],
  );
  await query(
    database,
    `INSERT INTO journey_run_tickets (organization_id, run_id, expires_at)
     VALUES ($1, $2, now() + $3::interval)`,
    [organizationId, id, expired ? "-1 second" : "1 hour"],
  );
  return id;
}

/** A build of the journey, as old as that. */
export async function addJourneyBuild(
  database: TestDatabase,
  { organizationId, artifact, ageDays }: { organizationId: string; artifact: Buffer; ageDays: number },
): Promise<void> {
  await query(
    database,
    "INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, $2, 8, 'artifact') ON CONFLICT DO NOTHING",
    [organizationId, artifact],
  );
  await query(
    database,
    `INSERT INTO journey_builds (organization_id, build_key, document_id, document_version, environment_id, environment_revision,
       inputs, compiler_version, problems, artifact_hash, program_id, needs, created_at)
     VALUES ($1, sha256($2), $3, 1, $4, 1, '[]', '1', '[]', $2, 'p', '{}', now() - $5 * interval '1 day')`,
    [organizationId, artifact, DOCUMENT, ENVIRONMENT, ageDays],
  );
}

/** Runs of a stored journey that have ended, the last one of them `daysAgo` days ago and the others a minute earlier each. */
export async function addEndedRuns(
  database: Pick<TestDatabase, "databaseUrl">,
  {
    journeyId,
    environmentId,
    statuses,
    daysAgo = 0,
  }: { journeyId: string; environmentId: string; statuses: readonly string[]; daysAgo?: number },
): Promise<void> {
  await query(
    database,
    `INSERT INTO blobs (organization_id, hash, size, bytes)
     SELECT organization_id, $2, 8, 'artifact' FROM journey_documents WHERE id = $1 ON CONFLICT DO NOTHING`,
    [journeyId, ARTIFACT],
  );
  await query(
    database,
    `INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision, artifact_hash,
       program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id, created_at, ended_at, outcome_digest, kept)
     SELECT d.organization_id, gen_random_uuid(), d.id, 1, $2, 1, $3, 'p', 'cloud', 'api', s.status, '{}', 's', false, d.id, t.at, t.at, '', 'run'
     FROM journey_documents d, unnest($4::text[]) WITH ORDINALITY s (status, n),
          LATERAL (SELECT now() - (cardinality($4::text[]) - s.n) * interval '1 minute' - $5 * interval '1 day' AS at) t
     WHERE d.id = $1`,
    [journeyId, environmentId, ARTIFACT, statuses, daysAgo],
  );
}
