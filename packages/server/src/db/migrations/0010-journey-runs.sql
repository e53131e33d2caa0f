-- Builds of journeys, and their runs in the worker. Postgres is the truth: a ticket is the outbox of an unfinished run and the lease
-- of the worker that has it, so a run is accepted in one transaction and survives its worker.

-- Builds of journeys. Equal inputs are never built twice; a build that failed keeps its problems.
CREATE TABLE journey_builds (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- SHA-256 over everything that the build reads: versions of documents, environment, compiler.
  build_key bytea NOT NULL CHECK (length(build_key) = 32),
  document_id uuid NOT NULL,
  document_version integer NOT NULL,
  environment_id uuid NOT NULL,
  environment_revision integer NOT NULL,
  -- All documents that were read: [{"documentId", "version"}].
  inputs jsonb NOT NULL,
  compiler_version text NOT NULL,
  problems jsonb NOT NULL,
  -- Null where the journey does not compile. It is the SHA-256 of the artifact's bytes, which lie in blobs.
  artifact_hash bytea,
  program_id text,
  -- The inputs and the names of the secrets that a run of the artifact has to be given, as JSON.
  needs text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, build_key),
  FOREIGN KEY (organization_id, document_id, document_version)
    REFERENCES journey_document_versions (organization_id, document_id, version),
  FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs (organization_id, hash) ON DELETE RESTRICT,
  CHECK ((artifact_hash IS NULL) = (program_id IS NULL)),
  CHECK ((artifact_hash IS NULL) = (needs IS NULL))
);
-- For the foreign keys' own checks, and to find the artifact of a result.
CREATE INDEX journey_builds_by_artifact ON journey_builds (organization_id, artifact_hash) WHERE artifact_hash IS NOT NULL;
CREATE INDEX journey_builds_by_program ON journey_builds (organization_id, program_id) WHERE program_id IS NOT NULL;
CREATE INDEX journey_builds_by_document ON journey_builds (organization_id, document_id, document_version);

-- The operations of an artifact.
CREATE TABLE build_operations (
  organization_id uuid NOT NULL,
  artifact_hash bytea NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  -- The path with each parameter as {}: two descriptions may name a parameter differently.
  path_key text NOT NULL,
  operation_id text,
  -- The description that has it, which is bound to a service.
  source_document_id uuid,
  PRIMARY KEY (organization_id, artifact_hash, ordinal),
  FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs (organization_id, hash) ON DELETE RESTRICT
);

-- The acceptance criteria of an artifact. The owner is the document that declares one, so that the run of a variant proves the
-- criterion of its base.
CREATE TABLE build_criteria (
  organization_id uuid NOT NULL,
  artifact_hash bytea NOT NULL,
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  severity text NOT NULL,
  description text NOT NULL,
  -- As stepId#criterionId.
  proven_by text[] NOT NULL,
  PRIMARY KEY (organization_id, artifact_hash, owner_document_id, criterion_id),
  FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs (organization_id, hash) ON DELETE RESTRICT
);

CREATE TABLE journey_runs (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  document_id uuid NOT NULL,
  document_version integer NOT NULL,
  environment_id uuid NOT NULL,
  environment_revision integer NOT NULL,
  artifact_hash bytea NOT NULL,
  program_id text NOT NULL,
  -- An uploaded result is a claim of who uploaded it.
  origin text NOT NULL CHECK (origin IN ('cloud', 'uploaded')),
  trigger text NOT NULL CHECK (trigger IN ('manual', 'cli', 'api', 'schedule', 'rerun')),
  rerun_of uuid,
  schedule_id uuid,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'passed', 'failed', 'error', 'aborted')),
  -- recovery: the worker was lost, and only the teardown runs.
  phase text NOT NULL DEFAULT 'main' CHECK (phase IN ('main', 'recovery')),
  -- As the caller gave them, JSON: no value of a secret input.
  inputs text NOT NULL,
  seed text NOT NULL,
  strict_contract boolean NOT NULL,
  -- The step that has begun last and not ended.
  current_step text,
  step_count integer NOT NULL DEFAULT 0,
  passed_step_count integer NOT NULL DEFAULT 0,
  error_code text,
  error_message text,
  -- The step that may or may not have taken effect at the target when the worker was lost.
  in_doubt_step text,
  outcome_digest text,
  -- How much of it retention has left: all, all but the evidence, or only what is in this table and its facts.
  kept text NOT NULL DEFAULT 'evidence' CHECK (kept IN ('evidence', 'result', 'run')),
  -- SHA-256 of the result without its steps, which lies in blobs. Null before the end, and when the result was deleted for its age.
  result_hash bytea,
  ci jsonb,
  created_by_key_id uuid NOT NULL,
  -- The Idempotency-Key of the request, and SHA-256 of what it asked for: the same request starts one run. An uploaded run has
  -- only the hash: its id is the uploader's.
  idempotency_key text,
  request_hash bytea CHECK (length(request_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, document_id, document_version)
    REFERENCES journey_document_versions (organization_id, document_id, version),
  FOREIGN KEY (organization_id, environment_id) REFERENCES environments (organization_id, id),
  FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs (organization_id, hash) ON DELETE RESTRICT,
  FOREIGN KEY (organization_id, result_hash) REFERENCES blobs (organization_id, hash) ON DELETE RESTRICT,
  CHECK ((status IN ('queued', 'running')) = (ended_at IS NULL)),
  CHECK ((ended_at IS NULL) = (outcome_digest IS NULL)),
  CHECK ((result_hash IS NOT NULL) = (ended_at IS NOT NULL AND kept <> 'run'))
);
CREATE INDEX journey_runs_by_time ON journey_runs (organization_id, created_at, id);
CREATE UNIQUE INDEX journey_runs_by_request ON journey_runs (organization_id, created_by_key_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX journey_runs_by_document ON journey_runs (organization_id, document_id, created_at, id);
-- For the foreign keys' own checks when an unused blob is deleted.
CREATE INDEX journey_runs_by_artifact ON journey_runs (organization_id, artifact_hash);
CREATE INDEX journey_runs_by_environment ON journey_runs (organization_id, environment_id);
CREATE INDEX journey_runs_for_retention ON journey_runs (organization_id, kept, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX journey_runs_by_result ON journey_runs (organization_id, result_hash) WHERE result_hash IS NOT NULL;

-- The outbox and the lease: one row per unfinished run, deleted in the transaction that ends it.
CREATE TABLE journey_run_tickets (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  -- When a worker may claim it: now, or the end of a lease.
  available_at timestamptz NOT NULL DEFAULT now(),
  -- After this time a run that was never claimed ends as an error.
  expires_at timestamptz NOT NULL,
  -- Counted at each claim. It is the fencing token too: who holds an older number may not write.
  attempts integer NOT NULL DEFAULT 0,
  -- A claimed ticket whose lease has ended has lost its worker.
  is_claimed boolean NOT NULL DEFAULT false,
  -- How many workers were lost with it.
  losses integer NOT NULL DEFAULT 0,
  cancel_requested_at timestamptz,
  -- The run's state after its last step, encrypted: it holds what steps obtained, tokens too. The steps are in their own rows.
  checkpoint bytea,
  -- The W3C traceparent of the request that started it, if that is traced.
  trace_parent text,
  PRIMARY KEY (organization_id, run_id),
  FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs (organization_id, id)
) WITH (
  -- A queue's table, as scan_payloads.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000
);
ALTER TABLE journey_run_tickets ALTER COLUMN checkpoint SET STORAGE EXTERNAL;
CREATE INDEX journey_run_tickets_due ON journey_run_tickets (organization_id, available_at);

-- A run's steps, written while it runs. Texts of JSON, not jsonb, which can't hold every text of a response.
CREATE TABLE journey_run_steps (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  seq integer NOT NULL,
  -- Which attempt wrote it.
  attempt integer NOT NULL,
  step_id text NOT NULL,
  phase text NOT NULL CHECK (phase IN ('main', 'teardown')),
  workflow text,
  status text NOT NULL CHECK (status IN ('passed', 'failed', 'error', 'skipped', 'timedOut')),
  ms double precision NOT NULL,
  -- The step's result without its evidence.
  result text NOT NULL,
  -- Apart, because it is kept for a shorter time; null where there is none, or none any more.
  evidence text,
  PRIMARY KEY (organization_id, run_id, seq),
  FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs (organization_id, id)
);

-- The end of a run, as finish_journey_run and store_uploaded_run write it: its outcome; its result without the steps, compressed, with
-- the hash and the size of the text; the steps that were not written before; the calls and the criteria, for coverage.
CREATE TYPE journey_run_end AS (
  outcome jsonb, result_hash bytea, result_size integer, result bytea, steps journey_run_steps[], operations jsonb, criteria jsonb
);

-- The calls of a run, for coverage: written in the transaction that ends it.
CREATE TABLE journey_run_operations (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  calls integer NOT NULL,
  statuses integer[] NOT NULL,
  asserted boolean NOT NULL,
  PRIMARY KEY (organization_id, run_id, ordinal),
  FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs (organization_id, id)
);

CREATE TABLE journey_run_criteria (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('proven', 'failed', 'notRun', 'unproven')),
  PRIMARY KEY (organization_id, run_id, owner_document_id, criterion_id),
  FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs (organization_id, id)
);

ALTER TABLE journey_builds ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_builds_own ON journey_builds USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE build_operations ENABLE ROW LEVEL SECURITY;
CREATE POLICY build_operations_own ON build_operations USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE build_criteria ENABLE ROW LEVEL SECURITY;
CREATE POLICY build_criteria_own ON build_criteria USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_runs_own ON journey_runs USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_run_tickets ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_tickets_own ON journey_run_tickets USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_run_steps ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_steps_own ON journey_run_steps USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_run_operations ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_operations_own ON journey_run_operations
  USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_run_criteria ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_criteria_own ON journey_run_criteria USING (organization_id = (SELECT current_organization_id()));

-- Final is final, whoever tries. Only retention takes the result away.
CREATE FUNCTION keep_final_runs() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  OLD.kept := NEW.kept;
  OLD.result_hash := CASE WHEN NEW.kept = 'run' THEN NULL ELSE OLD.result_hash END;
  IF NEW IS NOT DISTINCT FROM OLD THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the run % has ended: it is not changed any more', OLD.id USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER kept_when_final BEFORE UPDATE ON journey_runs
  FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION keep_final_runs();
