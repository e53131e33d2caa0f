-- Services, scan runs, their waiting payloads, and the snapshots that their rows belong to.
-- Rows are stored once per distinct content: a run refers to a snapshot, whose id is a hash of the content.

CREATE TABLE services (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The newest promoted run, by (ordered_at, id). It only moves forward.
  current_run_id uuid,
  current_ordered_at timestamptz,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, name)
);
ALTER TABLE services ENABLE ROW LEVEL SECURITY;
CREATE POLICY services_own ON services USING (organization_id = (SELECT current_organization_id()));

CREATE TABLE snapshots (
  organization_id uuid NOT NULL,
  id bytea NOT NULL CHECK (length(id) = 32),
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  findings_by_severity jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  -- What a completed run's counts are checked against.
  UNIQUE (organization_id, id, endpoint_count, finding_count)
);
ALTER TABLE snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshots_own ON snapshots USING (organization_id = (SELECT current_organization_id()));

-- No foreign key from the rows to their snapshot: it would be checked once per row, up to 2,500 times a scan.
-- They are written and deleted only together with their snapshot, in one transaction.
CREATE TABLE snapshot_endpoints (
  organization_id uuid NOT NULL,
  snapshot_id bytea NOT NULL,
  ordinal integer NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  operation_id text,
  tags text[] NOT NULL,
  summary text,
  PRIMARY KEY (organization_id, snapshot_id, ordinal)
);
ALTER TABLE snapshot_endpoints ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshot_endpoints_own ON snapshot_endpoints USING (organization_id = (SELECT current_organization_id()));

CREATE TABLE snapshot_findings (
  organization_id uuid NOT NULL,
  snapshot_id bytea NOT NULL,
  ordinal integer NOT NULL,
  code text NOT NULL,
  severity text NOT NULL,
  message text NOT NULL,
  method text,
  path text,
  PRIMARY KEY (organization_id, snapshot_id, ordinal)
);
ALTER TABLE snapshot_findings ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshot_findings_own ON snapshot_findings USING (organization_id = (SELECT current_organization_id()));

CREATE TABLE scan_runs (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('accepted', 'completed', 'failed')),
  spec_hash text NOT NULL,
  spec_format text NOT NULL,
  spec_version text,
  spec_title text,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  snapshot_id bytea,
  unchanged boolean NOT NULL DEFAULT false,
  -- Whether the run may become its service's current one.
  promote boolean NOT NULL,
  -- The receive time, or the client's Scanned-At where that is earlier: what "newer" goes by.
  ordered_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  completed_at timestamptz,
  error_code text,
  error_message text,
  created_by_key_id uuid NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id),
  -- A completed run with wrong counts is impossible: the snapshot's counts come from the rows really inserted.
  FOREIGN KEY (organization_id, snapshot_id, endpoint_count, finding_count)
    REFERENCES snapshots (organization_id, id, endpoint_count, finding_count) ON DELETE RESTRICT,
  CHECK ((status = 'completed') = (snapshot_id IS NOT NULL)),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((status = 'failed') = (error_code IS NOT NULL AND error_message IS NOT NULL))
);
CREATE INDEX scan_runs_by_service ON scan_runs (organization_id, service_id, created_at, id);
-- For the foreign key's own check when an unused snapshot is deleted.
CREATE INDEX scan_runs_by_snapshot ON scan_runs (organization_id, snapshot_id) WHERE snapshot_id IS NOT NULL;
ALTER TABLE scan_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_runs_own ON scan_runs USING (organization_id = (SELECT current_organization_id()));

-- Which contents a service has had, and when: first and last seen of an endpoint are derived from it, so that
-- no row is ever updated per endpoint.
CREATE TABLE service_snapshots (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  snapshot_id bytea NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, service_id, snapshot_id),
  FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots (organization_id, id) ON DELETE RESTRICT
);
CREATE INDEX service_snapshots_by_snapshot ON service_snapshots (organization_id, snapshot_id);
ALTER TABLE service_snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_snapshots_own ON service_snapshots USING (organization_id = (SELECT current_organization_id()));

-- What a body that comes again needs neither parsing nor validation for: it is what a completed run left. A
-- contract version of its own, so that another version's answers are never given.
CREATE TABLE scan_receipts (
  organization_id uuid NOT NULL,
  contract_version integer NOT NULL,
  body_hash bytea NOT NULL CHECK (length(body_hash) = 32),
  service_id uuid NOT NULL,
  spec_hash text NOT NULL,
  spec_format text NOT NULL,
  spec_version text,
  spec_title text,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  snapshot_id bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, contract_version, body_hash),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id),
  FOREIGN KEY (organization_id, snapshot_id, endpoint_count, finding_count)
    REFERENCES snapshots (organization_id, id, endpoint_count, finding_count) ON DELETE RESTRICT
);
CREATE INDEX scan_receipts_by_snapshot ON scan_receipts (organization_id, snapshot_id);
ALTER TABLE scan_receipts ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_receipts_own ON scan_receipts USING (organization_id = (SELECT current_organization_id()));

-- The outbox: one row per accepted run, deleted when the run is completed.
CREATE TABLE scan_payloads (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  -- The rows of the scan, or the request body as received, compressed by the api.
  body bytea NOT NULL,
  body_encoding text NOT NULL CHECK (body_encoding IN ('zstd', 'identity', 'rows')),
  -- SHA-256 of the decoded body: the receipt that the completed run leaves is found by it.
  body_hash bytea NOT NULL CHECK (length(body_hash) = 32),
  -- Decoded size in bytes, so that a batch can be bounded before anything is decoded.
  body_bytes integer NOT NULL,
  -- The contract that the body was validated with; null where nobody said.
  contract_version integer,
  -- The W3C traceparent of the request that brought the scan; null for requests without one.
  trace_parent text,
  -- When a worker may claim it: now, or the end of a lease or of a pause between attempts. Null when given up.
  available_at timestamptz DEFAULT now(),
  -- Counted at each claim. It is the fencing token too: a worker with an older number may not write.
  attempts integer NOT NULL DEFAULT 0,
  -- Of `attempts`, those that ended because the database was away, full or out of time.
  attempts_excused integer NOT NULL DEFAULT 0,
  last_error text,
  PRIMARY KEY (organization_id, scan_run_id)
) WITH (
  -- A queue's table: its rows live for moments, so it is vacuumed by count and not by share, also its large values.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000
);
-- The body is compressed already: don't let Postgres try again.
ALTER TABLE scan_payloads ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX scan_payloads_due ON scan_payloads (organization_id, available_at) WHERE available_at IS NOT NULL;
ALTER TABLE scan_payloads ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_payloads_own ON scan_payloads USING (organization_id = (SELECT current_organization_id()));

CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  scan_run_id uuid NOT NULL,
  -- Whether that first request created the service: its repetition needs the same permission again.
  service_created boolean NOT NULL,
  -- The first answer, to be given again.
  answered_status text NOT NULL CHECK (answered_status IN ('accepted', 'completed')),
  answered_unchanged boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, key)
);
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY idempotency_keys_own ON idempotency_keys USING (organization_id = (SELECT current_organization_id()));

-- A snapshot's counts are the counts of its rows, because nothing can make them differ: the services' role stores and
-- deletes snapshots through two functions only, and rows of a stored snapshot are neither changed nor deleted.
CREATE FUNCTION keep_rows_of_snapshots() RETURNS trigger
LANGUAGE plpgsql
SET search_path = public, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT FROM gone JOIN snapshots n ON n.organization_id = gone.organization_id AND n.id = gone.snapshot_id) THEN
    RAISE EXCEPTION 'rows of a stored snapshot are neither changed nor deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION refuse_truncate() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION '% is not truncated: it has the rows of stored snapshots', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER kept_from_delete AFTER DELETE ON snapshot_endpoints REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
CREATE TRIGGER kept_from_update AFTER UPDATE ON snapshot_endpoints REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON snapshot_endpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
CREATE TRIGGER kept_from_delete AFTER DELETE ON snapshot_findings REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
CREATE TRIGGER kept_from_update AFTER UPDATE ON snapshot_findings REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON snapshot_findings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();

-- A snapshot's rows as the worker sends them: the table's columns without the organization, which is a parameter.
CREATE TYPE snapshot_endpoint_row AS (
  snapshot_id bytea, ordinal integer, method text, path text, operation_id text, tags text[], summary text
);
CREATE TYPE snapshot_finding_row AS (
  snapshot_id bytea, ordinal integer, code text, severity text, message text, method text, path text
);
