-- Services, scan runs, their waiting payloads, and the snapshots that their rows belong to.
-- Rows are stored once per distinct content: a run refers to a snapshot, whose id is a hash of the content.
-- Locks: none that matter, the tables are new.

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

CREATE TABLE snapshots (
  organization_id uuid NOT NULL,
  id bytea NOT NULL CHECK (length(id) = 32),
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  findings_by_severity jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  -- What a completed run's counts are held against.
  UNIQUE (organization_id, id, endpoint_count, finding_count)
);

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

-- The outbox: one row per accepted run, deleted when the run is completed.
CREATE TABLE scan_payloads (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  -- The request body as received, compressed by the api.
  body bytea NOT NULL,
  body_encoding text NOT NULL CHECK (body_encoding IN ('zstd', 'identity')),
  -- SHA-256 of the decoded body: the receipt that the completed run leaves is found by it.
  body_hash bytea NOT NULL CHECK (length(body_hash) = 32),
  -- Decoded size in bytes, so that a batch can be bounded before anything is decoded.
  body_bytes integer NOT NULL,
  -- When a worker may claim it: now, or the end of a lease or of a pause between attempts. Null when given up.
  available_at timestamptz DEFAULT now(),
  -- Counted at each claim. It is the fencing token too: who holds an older number may not write.
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  published_at timestamptz NOT NULL DEFAULT now(),
  publish_count integer NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, scan_run_id)
);
-- The body is compressed already: don't let Postgres try again.
ALTER TABLE scan_payloads ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX scan_payloads_due ON scan_payloads (organization_id, available_at) WHERE available_at IS NOT NULL;

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

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['services', 'snapshots', 'snapshot_endpoints', 'snapshot_findings',
                                      'scan_runs', 'scan_payloads', 'idempotency_keys', 'service_snapshots', 'scan_receipts']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY %I ON %I USING (organization_id = (SELECT current_organization_id()))',
                   tenant_table || '_own', tenant_table);
  END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE ON services TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  scan_runs, scan_payloads, idempotency_keys, service_snapshots, scan_receipts TO waymark_app;
-- UPDATE is what a row lock asks for; the snapshots' rows themselves are never changed.
GRANT SELECT, INSERT, UPDATE, DELETE ON snapshots TO waymark_app;
GRANT SELECT, INSERT, DELETE ON snapshot_endpoints, snapshot_findings TO waymark_app;
