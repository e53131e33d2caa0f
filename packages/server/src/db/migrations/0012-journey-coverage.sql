-- The operations that journeys call, the criteria that they promise, and the newest runs that have shown them. A run's
-- own facts are journey_run_operations and journey_run_criteria; coverage would have to read up to 600 runs an hour of
-- a month from them, so their newest state is kept here.

-- The operations that the newest version of a journey or an overlay calls, with all that it refers to. While that does not compile,
-- those of the last one that did.
CREATE TABLE journey_operations (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  -- The description that has the operation.
  source_document_id uuid NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  -- The path with each parameter as {}: two descriptions may name a parameter differently.
  path_key text NOT NULL,
  operation_id text,
  PRIMARY KEY (organization_id, document_id, ordinal),
  FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents (organization_id, id),
  FOREIGN KEY (organization_id, source_document_id) REFERENCES journey_documents (organization_id, id)
);
CREATE INDEX journey_operations_by_source ON journey_operations (organization_id, source_document_id);

-- Its acceptance criteria, those of its base included.
CREATE TABLE journey_criteria (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  -- The document that declares the criterion: the run of a variant proves the criterion of its base.
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  severity text NOT NULL,
  description text NOT NULL,
  -- As stepId#criterionId. Empty where nothing proves it.
  proven_by text[] NOT NULL,
  PRIMARY KEY (organization_id, document_id, owner_document_id, criterion_id),
  FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents (organization_id, id),
  FOREIGN KEY (organization_id, owner_document_id) REFERENCES journey_documents (organization_id, id)
);

-- The newest verdict of each journey in each environment on a criterion.
CREATE TABLE journey_criterion_verdicts (
  organization_id uuid NOT NULL,
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  -- The journey or variant that ran.
  document_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  origin text NOT NULL,
  document_version integer NOT NULL,
  artifact_hash bytea NOT NULL,
  -- unproven: the program has nothing that proves it. A run that did not come to it says nothing.
  status text NOT NULL CHECK (status IN ('proven', 'failed', 'unproven')),
  run_id uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, owner_document_id, criterion_id, document_id, environment_id, origin),
  FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs (organization_id, id) ON DELETE CASCADE
);
-- For the foreign key's own check when old runs are deleted.
CREATE INDEX journey_criterion_verdicts_by_run ON journey_criterion_verdicts (organization_id, run_id);

-- The calls of each journey in each environment to an operation, by the newest version that ran there.
CREATE TABLE journey_operation_calls (
  organization_id uuid NOT NULL,
  source_document_id uuid NOT NULL,
  method text NOT NULL,
  path_key text NOT NULL,
  document_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  origin text NOT NULL,
  document_version integer NOT NULL,
  artifact_hash bytea NOT NULL,
  path text NOT NULL,
  operation_id text,
  -- The sum and the statuses of all runs of the artifact in the environment.
  calls bigint NOT NULL,
  statuses integer[] NOT NULL,
  called_at timestamptz NOT NULL,
  -- Null while no step with criteria called it.
  asserted_at timestamptz,
  run_id uuid NOT NULL,
  PRIMARY KEY (organization_id, source_document_id, method, path_key, document_id, environment_id, origin),
  FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX journey_operation_calls_by_run ON journey_operation_calls (organization_id, run_id);

ALTER TABLE journey_operations ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_operations_own ON journey_operations USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_criteria ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_criteria_own ON journey_criteria USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_criterion_verdicts ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_criterion_verdicts_own ON journey_criterion_verdicts
  USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_operation_calls ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_operation_calls_own ON journey_operation_calls
  USING (organization_id = (SELECT current_organization_id()));

-- A run counts in the moment that makes it final, whoever ends it: its facts are written before.
CREATE FUNCTION count_ended_run() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM count_run_criteria(NEW), count_run_operations(NEW);
  RETURN NULL;
END
$$;
CREATE TRIGGER counted_when_final AFTER UPDATE ON journey_runs
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION count_ended_run();
