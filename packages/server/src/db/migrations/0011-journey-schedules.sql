-- Schedules of journeys, and what became of each of their ticks. Postgres is the truth: the key of a tick makes it impossible that two
-- workers start it.

CREATE TABLE journey_schedules (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  name text NOT NULL,
  document_id uuid NOT NULL,
  -- Null: the newest at each tick; in a protected environment the released one.
  version integer CHECK (version > 0),
  environment_id uuid NOT NULL,
  -- Five fields. The server and the workers compute its times: Postgres has no cron expressions.
  cron text NOT NULL,
  time_zone text NOT NULL,
  overlap text NOT NULL CHECK (overlap IN ('skip', 'queue')),
  catch_up text NOT NULL CHECK (catch_up IN ('none', 'one')),
  jitter_seconds integer NOT NULL CHECK (jitter_seconds >= 0),
  is_enabled boolean NOT NULL DEFAULT true,
  -- The reason why Waymark paused it.
  paused_reason text,
  failures_in_row integer NOT NULL DEFAULT 0,
  -- The first tick that nothing was decided about, by its expression; null while it is paused.
  next_due_at timestamptz,
  -- When a scheduler looks at that tick: later by its jitter. If it waits for a run, the time of the tick after it.
  next_at timestamptz,
  -- The run before has not ended, and the first tick waits for that. Its end sets next_at.
  is_waiting boolean NOT NULL DEFAULT false,
  -- Until then a scheduler works on it.
  claimed_until timestamptz,
  -- Rises with each change by a key: a scheduler decides by what it has read, or not at all.
  revision integer NOT NULL DEFAULT 1,
  created_by_key_id uuid NOT NULL,
  updated_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, name),
  FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents (organization_id, id),
  FOREIGN KEY (organization_id, document_id, version)
    REFERENCES journey_document_versions (organization_id, document_id, version),
  FOREIGN KEY (organization_id, environment_id) REFERENCES environments (organization_id, id),
  CHECK (is_enabled = (next_at IS NOT NULL)),
  CHECK ((next_due_at IS NULL) = (next_at IS NULL)),
  CHECK (NOT (is_enabled AND paused_reason IS NOT NULL))
);
CREATE INDEX journey_schedules_due ON journey_schedules (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX journey_schedules_by_document ON journey_schedules (organization_id, document_id);
-- For the foreign key's own check when an environment is deleted.
CREATE INDEX journey_schedules_by_environment ON journey_schedules (organization_id, environment_id);
CREATE INDEX journey_schedules_paused ON journey_schedules (organization_id) WHERE paused_reason IS NOT NULL;

CREATE TABLE journey_schedule_ticks (
  organization_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  -- By the expression, without jitter.
  due_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('started', 'skipped', 'missed', 'refused')),
  -- No foreign key: runs and ticks are kept for different times.
  run_id uuid,
  reason text,
  decided_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, schedule_id, due_at),
  FOREIGN KEY (organization_id, schedule_id) REFERENCES journey_schedules (organization_id, id) ON DELETE CASCADE,
  CHECK ((outcome = 'started') = (run_id IS NOT NULL)),
  CHECK ((outcome = 'started') = (reason IS NULL))
);
-- For their retention.
CREATE INDEX journey_schedule_ticks_by_time ON journey_schedule_ticks (organization_id, due_at);

CREATE INDEX journey_runs_unfinished_by_schedule ON journey_runs (organization_id, schedule_id)
  WHERE schedule_id IS NOT NULL AND status IN ('queued', 'running');

ALTER TABLE journey_schedules ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_schedules_own ON journey_schedules USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_schedule_ticks ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_schedule_ticks_own ON journey_schedule_ticks
  USING (organization_id = (SELECT current_organization_id()));

-- In the transaction that ends a run, whoever ends it.
CREATE FUNCTION end_scheduled_run() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM end_journey_schedule_run(NEW.organization_id, NEW.schedule_id, NEW.id, NEW.status, NEW.error_code);
  RETURN NULL;
END
$$;
CREATE TRIGGER ended_when_scheduled AFTER UPDATE ON journey_runs
  FOR EACH ROW WHEN (NEW.schedule_id IS NOT NULL AND OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL)
  EXECUTE FUNCTION end_scheduled_run();
