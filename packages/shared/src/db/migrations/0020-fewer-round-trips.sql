-- The hot paths in fewer statements, and rows handed over as arrays of rows instead of JSON. Measured: the rows of a
-- scan of 2,000 endpoints and 500 findings cost Postgres 28 ms of processor time as JSON and 16 ms as arrays of rows
-- (binary COPY: 15 ms, but row-level security refuses it).
-- Locks: ACCESS EXCLUSIVE on scan_payloads for a moment; a column without a default rewrites nothing.

-- A snapshot's rows as the worker sends them: the table's columns without the organization, which is a parameter.
CREATE TYPE snapshot_endpoint_row AS (
  snapshot_id bytea, ordinal integer, method text, path text, operation_id text, tags text[], summary text
);
CREATE TYPE snapshot_finding_row AS (
  snapshot_id bytea, ordinal integer, code text, severity text, message text, method text, path text
);

-- The contract that the body was validated with before it was stored; null where nobody said.
ALTER TABLE scan_payloads ADD COLUMN contract_version integer;
-- A queue's table: its rows live for moments, so it is cleared by count and not by share, also of its large values.
ALTER TABLE scan_payloads SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000
);

-- A run of a body that has a receipt, complete when this statement commits: as accept_repeated_scan_run, for callers
-- who may scan into every service and send no idempotency key, so that nothing has to be looked at before. No row
-- when there is no receipt.
CREATE FUNCTION accept_known_scan_run(
  p_organization_id uuid, p_scan_run_id uuid, p_contract_version integer, p_body_hash bytea,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid
) RETURNS TABLE (
  created_at timestamptz, unchanged boolean, service_id uuid, endpoint_count integer, finding_count integer
)
LANGUAGE plpgsql
AS $$
DECLARE
  v_receipt scan_receipts;
  v_current_run_id uuid;
  v_current_ordered_at timestamptz;
  v_unchanged boolean;
  v_ordered_at timestamptz := least(now(), p_scanned_at);
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  SELECT * INTO v_receipt FROM scan_receipts r
  WHERE r.organization_id = p_organization_id AND r.contract_version = p_contract_version
    AND r.body_hash = p_body_hash;
  IF NOT FOUND THEN
    RETURN;
  END IF;

  -- One service's runs are completed one after the other, so that "current" is never a matter of chance.
  SELECT s.current_run_id, s.current_ordered_at INTO v_current_run_id, v_current_ordered_at FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = v_receipt.service_id
  FOR NO KEY UPDATE;
  SELECT EXISTS (
    SELECT FROM scan_runs c
    WHERE c.organization_id = p_organization_id AND c.id = v_current_run_id
      AND c.snapshot_id = v_receipt.snapshot_id
  ) INTO v_unchanged;

  INSERT INTO scan_runs (
    organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
    endpoint_count, finding_count, snapshot_id, unchanged, promote, ordered_at, created_at, completed_at,
    created_by_key_id
  ) VALUES (
    p_organization_id, p_scan_run_id, v_receipt.service_id, 'completed',
    v_receipt.spec_hash, v_receipt.spec_format, v_receipt.spec_version, v_receipt.spec_title,
    v_receipt.endpoint_count, v_receipt.finding_count, v_receipt.snapshot_id, v_unchanged,
    p_promote, v_ordered_at, now(), now(), p_created_by_key_id
  );

  INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
  VALUES (p_organization_id, v_receipt.service_id, v_receipt.snapshot_id, v_ordered_at, v_ordered_at)
  ON CONFLICT ON CONSTRAINT service_snapshots_pkey DO UPDATE
    SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
    WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at;

  IF p_promote AND (v_current_run_id IS NULL
                    OR (v_ordered_at, p_scan_run_id) > (v_current_ordered_at, v_current_run_id)) THEN
    UPDATE services s SET current_run_id = p_scan_run_id, current_ordered_at = v_ordered_at
    WHERE s.organization_id = p_organization_id AND s.id = v_receipt.service_id;
  END IF;
  RETURN QUERY SELECT now(), v_unchanged, v_receipt.service_id, v_receipt.endpoint_count, v_receipt.finding_count;
END
$$;

-- Stores a run, its payload, its idempotency key and, where there is none yet, its service: all or nothing. The
-- service is p_service_id; or, for callers who may both make and change every service, whichever has the name
-- (p_find_service); or else a new one: then WM001 is raised when somebody else made it meanwhile.
-- No row when the idempotency key is taken: the caller reads the target again and answers from what it finds.
CREATE FUNCTION accept_new_scan_run(
  p_organization_id uuid, p_scan_run_id uuid,
  p_service_id uuid, p_find_service boolean, p_new_service_id uuid, p_service_name text,
  p_spec_hash text, p_spec_format text, p_spec_version text, p_spec_title text,
  p_endpoint_count integer, p_finding_count integer,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid,
  p_body bytea, p_body_encoding text, p_body_bytes integer,
  p_idempotency_key text, p_body_hash bytea, p_contract_version integer, p_trace_parent text
) RETURNS TABLE (created_at timestamptz, service_id uuid)
LANGUAGE plpgsql
AS $$
DECLARE
  v_service_id uuid := p_service_id;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  IF p_find_service THEN
    SELECT s.id INTO v_service_id FROM services s
    WHERE s.organization_id = p_organization_id AND s.name = p_service_name;
  END IF;

  IF p_idempotency_key IS NOT NULL AND NOT take_idempotency_key(
    p_organization_id, p_idempotency_key, p_body_hash, p_scan_run_id, v_service_id IS NULL, 'accepted', false
  ) THEN
    RETURN;
  END IF;

  IF v_service_id IS NULL THEN
    v_service_id := p_new_service_id;
    INSERT INTO services (organization_id, id, name)
    VALUES (p_organization_id, v_service_id, p_service_name)
    ON CONFLICT (organization_id, name) DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'service exists' USING ERRCODE = 'WM001';
    END IF;
  END IF;

  INSERT INTO scan_payloads
    (organization_id, scan_run_id, body, body_encoding, body_hash, body_bytes, contract_version, trace_parent)
  VALUES (p_organization_id, p_scan_run_id, p_body, p_body_encoding, p_body_hash, p_body_bytes,
          p_contract_version, p_trace_parent);

  INSERT INTO scan_runs (
    organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
    endpoint_count, finding_count, promote, ordered_at, created_at, created_by_key_id
  ) VALUES (
    p_organization_id, p_scan_run_id, v_service_id, 'accepted',
    p_spec_hash, p_spec_format, p_spec_version, p_spec_title,
    p_endpoint_count, p_finding_count, p_promote, least(now(), p_scanned_at), now(), p_created_by_key_id
  );
  RETURN QUERY SELECT now(), v_service_id;
END
$$;

-- As claim_scan_runs, and says with each run what its stored body must hash to and was validated with, and by which
-- numbers this database knows the types of the rows to come.
CREATE FUNCTION claim_waiting_scan_runs(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (
  organization_id uuid, scan_run_id uuid, attempt integer, body bytea, body_encoding text,
  body_hash bytea, contract_version integer, endpoint_row_type oid, finding_row_type oid
)
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
      RETURNING p.organization_id, p.scan_run_id, p.attempts, p.body, p.body_encoding,
                p.body_hash, p.contract_version,
                'snapshot_endpoint_row'::regtype::oid, 'snapshot_finding_row'::regtype::oid;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION claim_waiting_scan_runs(uuid, integer, bigint, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_waiting_scan_runs(uuid, integer, bigint, interval) TO waymark_app;

-- Persists runs of one organization: their contents' rows where they are not stored yet, and the runs' completion.
-- A run whose lease is no longer the caller's (its attempt is not the last) is left alone. Doing it twice is the same
-- as doing it once. Each p_snapshot_ids belongs to the run at its place; the rows may be in any order.
CREATE FUNCTION persist_scan_runs(
  p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_snapshot_ids bytea[],
  p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[], p_contract_version integer
) RETURNS TABLE (completed integer, row_count integer)
LANGUAGE plpgsql
AS $$
DECLARE
  v_held uuid[];
  v_snapshot_ids bytea[];
  v_missing bytea[];
  v_row_count integer := 0;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  SELECT array_agg(h.scan_run_id), array_agg(DISTINCT h.snapshot_id ORDER BY h.snapshot_id)
  INTO v_held, v_snapshot_ids
  FROM (
    SELECT p.scan_run_id, claimed.snapshot_id
    FROM scan_payloads p
    JOIN unnest(p_scan_run_ids, p_attempts, p_snapshot_ids) AS claimed (scan_run_id, attempt, snapshot_id)
      ON claimed.scan_run_id = p.scan_run_id AND claimed.attempt = p.attempts
    WHERE p.organization_id = p_organization_id AND p.available_at IS NOT NULL
    ORDER BY p.scan_run_id
    FOR UPDATE OF p
  ) h;
  IF v_held IS NULL THEN
    RETURN QUERY SELECT 0, 0;
    RETURN;
  END IF;

  v_missing := ARRAY(SELECT lock_missing_snapshots(p_organization_id, v_snapshot_ids));
  IF cardinality(v_missing) > 0 THEN
    v_row_count := insert_snapshots(p_organization_id, v_missing, p_endpoints, p_findings);
  END IF;
  PERFORM complete_scan_runs(p_organization_id, v_held,
    ARRAY(SELECT claimed.snapshot_id FROM unnest(v_held) WITH ORDINALITY AS held (id, place)
          JOIN unnest(p_scan_run_ids, p_snapshot_ids) AS claimed (id, snapshot_id) ON claimed.id = held.id
          ORDER BY held.place),
    p_contract_version);
  RETURN QUERY SELECT cardinality(v_held), v_row_count;
END
$$;

-- Stores the rows of these snapshots and then the snapshots, with the counts of the rows really inserted.
CREATE FUNCTION insert_snapshots(
  p_organization_id uuid, p_snapshot_ids bytea[],
  p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[]
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_row_count integer;
BEGIN
  WITH endpoints AS (
    INSERT INTO snapshot_endpoints
      (organization_id, snapshot_id, ordinal, method, path, operation_id, tags, summary)
    SELECT p_organization_id, e.snapshot_id, e.ordinal, e.method, e.path, e.operation_id, e.tags, e.summary
    FROM unnest(p_endpoints) e
    WHERE e.snapshot_id = ANY (p_snapshot_ids)
    RETURNING snapshot_id
  ), findings AS (
    INSERT INTO snapshot_findings
      (organization_id, snapshot_id, ordinal, code, severity, message, method, path)
    SELECT p_organization_id, f.snapshot_id, f.ordinal, f.code, f.severity, f.message, f.method, f.path
    FROM unnest(p_findings) f
    WHERE f.snapshot_id = ANY (p_snapshot_ids)
    RETURNING snapshot_id, severity
  ), endpoint_counts AS (
    SELECT snapshot_id, count(*) AS total FROM endpoints GROUP BY snapshot_id
  ), finding_counts AS (
    SELECT snapshot_id, sum(total) AS total, jsonb_object_agg(severity, total) AS by_severity
    FROM (SELECT snapshot_id, severity, count(*) AS total FROM findings GROUP BY snapshot_id, severity) AS s
    GROUP BY snapshot_id
  ), added AS (
    INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
    SELECT p_organization_id, n.id, coalesce(e.total, 0), coalesce(f.total, 0), coalesce(f.by_severity, '{}')
    FROM unnest(p_snapshot_ids) AS n (id)
    LEFT JOIN endpoint_counts e ON e.snapshot_id = n.id
    LEFT JOIN finding_counts f ON f.snapshot_id = n.id
    ORDER BY n.id
    RETURNING endpoint_count + finding_count AS total
  )
  SELECT sum(total) INTO v_row_count FROM added;
  RETURN v_row_count;
END
$$;

-- Marks runs completed, moves their services' current run forward, and turns their payloads into receipts. Runs of
-- one service count in their order, so that `unchanged` is true for what equals the current run at that point: the
-- newest promoted run that is older, one of this batch or else what the service has now.
CREATE FUNCTION complete_scan_runs(
  p_organization_id uuid, p_scan_run_ids uuid[], p_snapshot_ids bytea[], p_contract_version integer
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  -- Services first and in order: two workers that complete runs of the same services wait for one another.
  PERFORM FROM services s
  WHERE s.organization_id = p_organization_id AND s.id IN (
    SELECT r.service_id FROM scan_runs r
    WHERE r.organization_id = p_organization_id AND r.id = ANY (p_scan_run_ids))
  ORDER BY s.id
  FOR NO KEY UPDATE;

  WITH waiting AS (
    SELECT r.id, r.service_id, r.ordered_at, r.promote, d.snapshot_id
    FROM unnest(p_scan_run_ids, p_snapshot_ids) AS d (id, snapshot_id)
    JOIN scan_runs r ON r.organization_id = p_organization_id AND r.id = d.id
  ), done AS (
    UPDATE scan_runs r
    SET status = 'completed', snapshot_id = w.snapshot_id, completed_at = now(),
        unchanged = w.snapshot_id IS NOT DISTINCT FROM coalesce(
          (SELECT earlier.snapshot_id FROM waiting earlier
           WHERE earlier.service_id = w.service_id AND earlier.promote
             AND (earlier.ordered_at, earlier.id) < (w.ordered_at, w.id)
             AND (s.current_run_id IS NULL
                  OR (earlier.ordered_at, earlier.id) > (s.current_ordered_at, s.current_run_id))
           ORDER BY earlier.ordered_at DESC, earlier.id DESC LIMIT 1),
          current_run.snapshot_id)
    FROM waiting w
    JOIN services s ON s.organization_id = p_organization_id AND s.id = w.service_id
    LEFT JOIN scan_runs current_run
      ON current_run.organization_id = p_organization_id AND current_run.id = s.current_run_id
    WHERE r.organization_id = p_organization_id AND r.id = w.id AND r.status = 'accepted'
    RETURNING r.id, r.service_id, r.snapshot_id, r.ordered_at, r.promote, r.spec_hash, r.spec_format,
              r.spec_version, r.spec_title, r.endpoint_count, r.finding_count
  ), seen AS (
    INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
    SELECT p_organization_id, d.service_id, d.snapshot_id, min(d.ordered_at), max(d.ordered_at)
    FROM done d
    GROUP BY d.service_id, d.snapshot_id
    ON CONFLICT (organization_id, service_id, snapshot_id) DO UPDATE
      SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
      WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at
  ), promoted AS (
    UPDATE services s SET current_run_id = newest.id, current_ordered_at = newest.ordered_at
    FROM (
      SELECT DISTINCT ON (d.service_id) d.service_id, d.id, d.ordered_at
      FROM done d
      WHERE d.promote
      ORDER BY d.service_id, d.ordered_at DESC, d.id DESC
    ) newest
    WHERE s.organization_id = p_organization_id AND s.id = newest.service_id
      AND (s.current_run_id IS NULL
           OR (newest.ordered_at, newest.id) > (s.current_ordered_at, s.current_run_id))
  ), emptied AS (
    DELETE FROM scan_payloads p
    WHERE p.organization_id = p_organization_id AND p.scan_run_id = ANY (p_scan_run_ids)
    RETURNING p.scan_run_id, p.body_hash
  )
  INSERT INTO scan_receipts (organization_id, contract_version, body_hash, service_id, spec_hash, spec_format,
                             spec_version, spec_title, endpoint_count, finding_count, snapshot_id)
  SELECT p_organization_id, p_contract_version, e.body_hash, d.service_id, d.spec_hash, d.spec_format,
         d.spec_version, d.spec_title, d.endpoint_count, d.finding_count, d.snapshot_id
  FROM emptied e
  JOIN done d ON d.id = e.scan_run_id
  ORDER BY e.body_hash
  ON CONFLICT (organization_id, contract_version, body_hash) DO NOTHING;
END
$$;
