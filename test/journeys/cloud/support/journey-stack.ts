import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import { compileLoaded } from "@waymark/journeys/load/compile-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { requireRedis } from "@waymark/test-support/redis.ts";
import type { ServiceProcess } from "@waymark/test-support/service-process.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type QueueName, startWorkerProcess } from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";

/** A run as its row shows it. */
export interface RunRow {
  id: string;
  status: string;
  phase: string;
  error_code: string | null;
  error_message: string | null;
  in_doubt_step: string | null;
  current_step: string | null;
  result_hash: Buffer | null;
}

export interface JourneyStack extends AsyncDisposable {
  databaseUrl: string;
  redisUrl: string | undefined;
  organizationId: string;
  startWorker: (env?: Record<string, string>) => Promise<ServiceProcess>;
  /**
   * Stores a journey, compiled for an environment whose sources have the server, or else the one that they name. Gives a function
   * that stores runs of it.
   */
  addJourney: (
    files: Record<string, string>,
    options: { server?: string; allowedHosts?: string[]; organizationId?: string },
  ) => Promise<(inputs?: Record<string, unknown>) => Promise<string>>;
  addOrganization: () => Promise<string>;
  rowOf: (runId: string) => Promise<RunRow>;
  /** Waits until a run has ended. */
  ended: (runId: string, options?: { timeoutMs?: number }) => Promise<RunRow>;
  resultOf: (runId: string) => Promise<JourneyResult>;
}

/** A database with an organization, and workers for journeys. */
export async function startJourneyStack({
  queue = "postgres",
  allow = "",
}: { queue?: QueueName; allow?: string } = {}): Promise<JourneyStack> {
  const started = new AsyncDisposableStack();
  const database = started.use(await createTestDatabase());
  const redis = queue === "redis" ? started.use(await requireRedis()) : undefined;
  const { databaseUrl } = database;
  const key = `k1:${randomBytes(32).toString("base64")}`;
  const addOrganization = async () => {
    const id = randomUUID();
    await query(database, "INSERT INTO organizations (id, name) VALUES ($1::uuid, $1::text)", [id]);
    return id;
  };
  const organizationId = await addOrganization();
  const rowOf = async (runId: string) => {
    const [row] = await query<RunRow>(database, "SELECT * FROM journey_runs WHERE id = $1", [runId]);
    if (row === undefined) throw new Error(`there is no run ${runId}`);
    return row;
  };
  return {
    databaseUrl,
    redisUrl: redis?.url,
    organizationId,
    addOrganization,
    startWorker: async (env = {}) =>
      started.use(
        await startWorkerProcess({
          databaseUrl,
          redisUrl: redis?.url,
          env: {
            WORKER_ROLES: "journeys",
            WORKER_RECONCILE_MS: "200",
            JOURNEY_EGRESS_ALLOW: allow,
            JOURNEY_KEYS: key,
            ...env,
          },
        }),
      ),
    async addJourney(
      files,
      {
        server,
        allowedHosts = server === undefined ? [] : [new URL(server).host],
        organizationId: owner = organizationId,
      },
    ) {
      const compiled = await compileFiles(files, server);
      const ids = await storeJourney(database, { organizationId: owner, compiled, allowedHosts });
      return (inputs = {}) => storeRun(database, { organizationId: owner, ...ids, inputs });
    },
    rowOf,
    async ended(runId, { timeoutMs = 90_000 } = {}) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const row = await rowOf(runId);
        if (row.result_hash !== null) return row;
        if (Date.now() > end) throw new Error(`run ${runId} is still ${row.status} (${row.phase})`);
        await sleep(50);
      }
    },
    resultOf: (runId) => readResult(database, runId),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

interface Compiled {
  artifact: string;
  programId: string;
}

/** The first file that is a journey is compiled; its sources' servers are the one given, if any. */
export async function compileFiles(files: Record<string, string>, server?: string): Promise<Compiled> {
  const file = Object.keys(files).find((path) => path.endsWith(".journey.yaml")) ?? "";
  const journey = await loadJourney(
    {
      read: async (path) => {
        const text = files[path];
        return text === undefined ? undefined : new TextEncoder().encode(text);
      },
      parse: parseDocument,
    },
    { file, overlays: [], given: new Map() },
  );
  const names = server === undefined ? [] : Object.keys(journey.loaded.sources);
  const environment = {
    name: "test",
    servers: Object.fromEntries(names.map((name) => [name, { url: server }])),
  };
  const compiled = await compileLoaded(journey, { environment });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return { artifact: writeArtifact(compiled.artifact), programId: compiled.artifact.id };
}

async function storeJourney(
  database: { databaseUrl: string },
  {
    organizationId,
    compiled,
    allowedHosts,
  }: { organizationId: string; compiled: Compiled; allowedHosts: string[] },
) {
  const [documentId, environmentId] = [randomUUID(), randomUUID()];
  const hash = createHash("sha256").update(compiled.artifact).digest();
  await query(
    database,
    "INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
    [organizationId, hash, Buffer.byteLength(compiled.artifact), zstdCompressSync(compiled.artifact)],
  );
  await query(
    database,
    `WITH document AS (
       INSERT INTO journey_documents (organization_id, id, path, kind, journey_key, head_version)
       VALUES ($1, $2, $4, 'journey', 'a', 1))
     INSERT INTO journey_document_versions (organization_id, document_id, version, blob_hash, changeset_id, origin,
                                            error_count, warning_count, created_by_key_id)
     VALUES ($1, $2, 1, $3, $2, 'api', 0, 0, $2)`,
    [organizationId, documentId, hash, documentId],
  );
  await query(
    database,
    `INSERT INTO environments (organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected,
                               stores_bodies, created_by_key_id)
     VALUES ($1, $2, $4, '{}', '{}', '{}', $3, false, true, $2)`,
    [organizationId, environmentId, allowedHosts, environmentId],
  );
  return { documentId, environmentId, hash, programId: compiled.programId };
}

async function storeRun(
  database: { databaseUrl: string },
  run: {
    organizationId: string;
    documentId: string;
    environmentId: string;
    hash: Buffer;
    programId: string;
    inputs: Record<string, unknown>;
  },
): Promise<string> {
  const id = randomUUID();
  await query(
    database,
    `WITH run AS (
       INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id,
         environment_revision, artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract,
         created_by_key_id)
       VALUES ($1, $2, $3, 1, $4, 1, $5, $6, 'cloud', 'api', 'queued', $7, 'seed', false, $3))
     INSERT INTO journey_run_tickets (organization_id, run_id, expires_at)
     VALUES ($1, $2, now() + interval '1 hour')`,
    [
      run.organizationId,
      id,
      run.documentId,
      run.environmentId,
      run.hash,
      run.programId,
      JSON.stringify({ run: id, ...run.inputs }),
    ],
  );
  return id;
}

async function readResult(database: { databaseUrl: string }, runId: string): Promise<JourneyResult> {
  const [head] = await query<{ bytes: Buffer }>(
    database,
    `SELECT b.bytes FROM journey_runs r JOIN blobs b ON b.organization_id = r.organization_id AND b.hash = r.result_hash
     WHERE r.id = $1`,
    [runId],
  );
  const steps = await query<{ result: string; evidence: string | null }>(
    database,
    "SELECT result, evidence FROM journey_run_steps WHERE run_id = $1 ORDER BY seq",
    [runId],
  );
  const text = head === undefined ? "{}" : zstdDecompressSync(head.bytes).toString();
  const whole = steps.map(({ result, evidence }): unknown => ({
    ...JSON.parse(result),
    ...(evidence === null ? {} : { evidence: JSON.parse(evidence) }),
  }));
  return { ...JSON.parse(text), steps: whole };
}
