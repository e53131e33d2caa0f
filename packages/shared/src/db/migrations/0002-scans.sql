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

-- The outbox: one row per accepted run, deleted when the run is completed.
CREATE TABLE scan_payloads (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  -- The request body as received, compressed by the api.
  body bytea NOT NULL,
  body_encoding text NOT NULL CHECK (body_encoding IN ('zstd', 'identity')),
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
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, key)
);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['services', 'snapshots', 'snapshot_endpoints', 'snapshot_findings',
                                      'scan_runs', 'scan_payloads', 'idempotency_keys']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY %I ON %I USING (organization_id = (SELECT current_organization_id()))',
                   tenant_table || '_own', tenant_table);
  END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE ON services, scan_runs TO waymark_app;
GRANT SELECT, INSERT ON snapshots, snapshot_endpoints, snapshot_findings TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON scan_payloads, idempotency_keys TO waymark_app;

-- What a scan of this service meets: the service if there is one, and the first answer if its key was seen.
-- One round trip, the organization set for this statement's transaction alone.
CREATE FUNCTION find_scan_target(p_organization_id uuid, p_service_name text, p_idempotency_key text)
RETURNS TABLE (
  service_id uuid, replayed_run_id uuid, replayed_body_hash bytea,
  replayed_service_id uuid, replayed_service_created boolean, replayed_created_at timestamptz
)
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  RETURN QUERY
    SELECT s.id, k.scan_run_id, k.body_hash, r.service_id, k.service_created, r.created_at
    FROM (SELECT 1) one
    LEFT JOIN services s ON s.organization_id = p_organization_id AND s.name = p_service_name
    LEFT JOIN idempotency_keys k
      ON k.organization_id = p_organization_id AND k.key = p_idempotency_key
      AND k.created_at > now() - interval '24 hours'
    LEFT JOIN scan_runs r ON r.organization_id = p_organization_id AND r.id = k.scan_run_id;
END
$$;

-- Stores a run, its payload, its idempotency key and, where p_service_is_new, its service: all or nothing.
-- No row when the idempotency key is taken: the caller reads the target again and answers from what it finds.
-- Raises WM001 when the service that should be new was created by somebody else meanwhile.
CREATE FUNCTION accept_scan_run(
  p_organization_id uuid, p_scan_run_id uuid,
  p_service_id uuid, p_service_name text, p_service_is_new boolean,
  p_spec_hash text, p_spec_format text, p_spec_version text, p_spec_title text,
  p_endpoint_count integer, p_finding_count integer,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid,
  p_body bytea, p_body_encoding text, p_body_bytes integer,
  p_idempotency_key text, p_body_hash bytea
) RETURNS TABLE (created_at timestamptz)
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);

  IF p_idempotency_key IS NOT NULL THEN
    -- An identical request in flight holds the key's row: wait for it a moment, then say that it is in progress.
    PERFORM set_config('lock_timeout', '2s', true);
    INSERT INTO idempotency_keys AS k (organization_id, key, body_hash, scan_run_id, service_created)
    VALUES (p_organization_id, p_idempotency_key, p_body_hash, p_scan_run_id, p_service_is_new)
    ON CONFLICT (organization_id, key) DO UPDATE
      SET body_hash = excluded.body_hash, scan_run_id = excluded.scan_run_id,
          service_created = excluded.service_created, created_at = now()
      WHERE k.created_at <= now() - interval '24 hours';
    IF NOT FOUND THEN
      RETURN;
    END IF;
  END IF;

  IF p_service_is_new THEN
    INSERT INTO services (organization_id, id, name)
    VALUES (p_organization_id, p_service_id, p_service_name)
    ON CONFLICT (organization_id, name) DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'service exists' USING ERRCODE = 'WM001';
    END IF;
  END IF;

  INSERT INTO scan_payloads (organization_id, scan_run_id, body, body_encoding, body_bytes)
  VALUES (p_organization_id, p_scan_run_id, p_body, p_body_encoding, p_body_bytes);

  RETURN QUERY
    INSERT INTO scan_runs AS r (
      organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
      endpoint_count, finding_count, promote, ordered_at, created_at, created_by_key_id
    ) VALUES (
      p_organization_id, p_scan_run_id, p_service_id, 'accepted',
      p_spec_hash, p_spec_format, p_spec_version, p_spec_title,
      p_endpoint_count, p_finding_count, p_promote, least(now(), p_scanned_at), now(), p_created_by_key_id
    ) RETURNING r.created_at;
END
$$;

-- Leases due payloads of ONE organization: the next one after p_after_organization_id, round and round, so that
-- an organization with ten thousand runs waiting delays another's by one batch. At least one row, then as many
-- as p_limit and p_bytes_max allow. Skips what another worker is claiming at this moment.
CREATE FUNCTION claim_scan_runs(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (organization_id uuid, scan_run_id uuid, attempt integer, body bytea, body_encoding text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_wrapped boolean := false;
BEGIN
  LOOP
    SELECT p.organization_id INTO v_organization_id
    FROM scan_payloads p
    WHERE p.available_at <= now() AND p.organization_id > v_after
    ORDER BY p.organization_id
    LIMIT 1;

    IF v_organization_id IS NULL THEN
      EXIT WHEN v_wrapped;
      v_wrapped := true;
      v_after := '00000000-0000-0000-0000-000000000000';
      CONTINUE;
    END IF;

    RETURN QUERY
      WITH due AS (
        SELECT p.scan_run_id, p.body_bytes, p.available_at
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now()
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ), fitting AS (
        SELECT d.scan_run_id FROM (
          SELECT due.scan_run_id,
                 sum(due.body_bytes) OVER w AS total_bytes, row_number() OVER w AS place
          FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
        ) d WHERE d.place = 1 OR d.total_bytes <= p_bytes_max
      )
      UPDATE scan_payloads p
      SET attempts = p.attempts + 1, available_at = now() + p_lease
      FROM fitting f
      WHERE p.organization_id = v_organization_id AND p.scan_run_id = f.scan_run_id
      RETURNING p.organization_id, p.scan_run_id, p.attempts, p.body, p.body_encoding;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;

-- Runs that have been due for longer than p_older_than since they were last announced to the queue, marked as
-- announced now. Safe in every worker at once: each row is handed to one of them.
CREATE FUNCTION take_unannounced_scan_runs(p_older_than interval, p_limit integer)
RETURNS TABLE (organization_id uuid, scan_run_id uuid, publish_count integer)
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  UPDATE scan_payloads p
  SET published_at = now(), publish_count = p.publish_count + 1
  FROM (
    SELECT due.organization_id, due.scan_run_id
    FROM scan_payloads due
    WHERE due.available_at <= now() - p_older_than AND due.published_at <= now() - p_older_than
    ORDER BY due.available_at
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED
  ) due
  WHERE p.organization_id = due.organization_id AND p.scan_run_id = due.scan_run_id
  RETURNING p.organization_id, p.scan_run_id, p.publish_count
$$;

-- Of the given snapshots those that are not stored yet, each locked until the transaction ends, in the order
-- given (sorted by the caller, so that two workers with the same content wait and never deadlock).
CREATE FUNCTION lock_missing_snapshots(p_organization_id uuid, p_snapshot_ids bytea[]) RETURNS SETOF bytea
LANGUAGE plpgsql
AS $$
DECLARE
  v_snapshot_id bytea;
BEGIN
  FOREACH v_snapshot_id IN ARRAY p_snapshot_ids LOOP
    IF NOT EXISTS (SELECT FROM snapshots s WHERE s.organization_id = p_organization_id AND s.id = v_snapshot_id) THEN
      PERFORM pg_advisory_xact_lock(hashtextextended(p_organization_id::text || encode(v_snapshot_id, 'hex'), 0));
      IF NOT EXISTS (SELECT FROM snapshots s WHERE s.organization_id = p_organization_id AND s.id = v_snapshot_id) THEN
        RETURN NEXT v_snapshot_id;
      END IF;
    END IF;
  END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION
  claim_scan_runs(uuid, integer, bigint, interval), take_unannounced_scan_runs(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  claim_scan_runs(uuid, integer, bigint, interval), take_unannounced_scan_runs(interval, integer) TO waymark_app;
