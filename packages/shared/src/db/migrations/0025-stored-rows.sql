-- The api stores the rows of a scan, ready for Postgres, instead of the body that they were made of: the worker then
-- neither parses nor validates nor encodes. On the processors of one machine that is a third of the work of a scan.
-- An older worker can't read them, so it is not handed any: it keeps what it can do until it is replaced.
-- Locks: ACCESS EXCLUSIVE on scan_payloads for a moment. The new constraint looks at the rows that wait, which are few.

ALTER TABLE scan_payloads DROP CONSTRAINT scan_payloads_body_encoding_check;
ALTER TABLE scan_payloads
  ADD CONSTRAINT scan_payloads_body_encoding_check CHECK (body_encoding IN ('zstd', 'identity', 'rows'));

-- As claim_due_scan_runs, and hands out rows too.
CREATE FUNCTION claim_scan_payloads(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (
  organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, body bytea, body_encoding text,
  body_hash bytea, contract_version integer, endpoint_row_type oid, finding_row_type oid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_together_max constant integer := 2;
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
        SELECT p.scan_run_id, p.body_bytes, p.available_at,
               p.attempts >= v_together_max AS suspect
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now()
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ), fitting AS (
        SELECT d.scan_run_id, d.suspect FROM (
          SELECT due.scan_run_id, due.suspect,
                 sum(due.body_bytes) FILTER (WHERE NOT due.suspect) OVER w AS total_bytes,
                 row_number() OVER w AS place,
                 due.suspect OR first_value(due.suspect) OVER w AS alone
          FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
        ) d WHERE d.place = 1 OR (NOT d.alone AND d.total_bytes <= p_bytes_max)
      )
      UPDATE scan_payloads p
      SET attempts = p.attempts + 1,
          -- One process works on several claims. Suspects that it took at the same moment come back at moments of
          -- their own, or the one that ends the process would meet the same others there each time.
          available_at = now() + p_lease * (CASE WHEN f.suspect THEN 1 + random() ELSE 1 END)
      FROM fitting f
      WHERE p.organization_id = v_organization_id AND p.scan_run_id = f.scan_run_id
      RETURNING p.organization_id, p.scan_run_id, p.attempts, p.attempts_excused, p.body, p.body_encoding,
                p.body_hash, p.contract_version,
                'snapshot_endpoint_row'::regtype::oid, 'snapshot_finding_row'::regtype::oid;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION claim_scan_payloads(uuid, integer, bigint, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_scan_payloads(uuid, integer, bigint, interval) TO waymark_app;

-- What workers of the version before this one claim.
CREATE OR REPLACE FUNCTION claim_due_scan_runs(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (
  organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, body bytea, body_encoding text,
  body_hash bytea, contract_version integer, endpoint_row_type oid, finding_row_type oid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_together_max constant integer := 2;
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_wrapped boolean := false;
BEGIN
  LOOP
    SELECT p.organization_id INTO v_organization_id
    FROM scan_payloads p
    WHERE p.available_at <= now() AND p.organization_id > v_after AND p.body_encoding <> 'rows'
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
        SELECT p.scan_run_id, p.body_bytes, p.available_at,
               p.attempts >= v_together_max AS suspect
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now() AND p.body_encoding <> 'rows'
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ), fitting AS (
        SELECT d.scan_run_id, d.suspect FROM (
          SELECT due.scan_run_id, due.suspect,
                 sum(due.body_bytes) FILTER (WHERE NOT due.suspect) OVER w AS total_bytes,
                 row_number() OVER w AS place,
                 due.suspect OR first_value(due.suspect) OVER w AS alone
          FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
        ) d WHERE d.place = 1 OR (NOT d.alone AND d.total_bytes <= p_bytes_max)
      )
      UPDATE scan_payloads p
      SET attempts = p.attempts + 1,
          -- One process works on several claims. Suspects that it took at the same moment come back at moments of
          -- their own, or the one that ends the process would meet the same others there each time.
          available_at = now() + p_lease * (CASE WHEN f.suspect THEN 1 + random() ELSE 1 END)
      FROM fitting f
      WHERE p.organization_id = v_organization_id AND p.scan_run_id = f.scan_run_id
      RETURNING p.organization_id, p.scan_run_id, p.attempts, p.attempts_excused, p.body, p.body_encoding,
                p.body_hash, p.contract_version,
                'snapshot_endpoint_row'::regtype::oid, 'snapshot_finding_row'::regtype::oid;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;
-- Stores the rows of these snapshots and then the snapshots. Their counts are held against the rows really inserted:
-- the same rows are counted as are inserted, and the sums must agree. Counting them while they are inserted (RETURNING)
-- costs a tenth more.
CREATE OR REPLACE FUNCTION insert_snapshots(
  p_organization_id uuid, p_snapshot_ids bytea[],
  p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[]
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_endpoint_count integer;
  v_finding_count integer;
  v_counted integer;
BEGIN
  IF p_organization_id IS DISTINCT FROM current_organization_id() THEN
    RAISE EXCEPTION 'snapshots of another organization' USING ERRCODE = 'insufficient_privilege';
  END IF;

  INSERT INTO snapshot_endpoints
    (organization_id, snapshot_id, ordinal, method, path, operation_id, tags, summary)
  SELECT p_organization_id, e.snapshot_id, e.ordinal, e.method, e.path, e.operation_id, e.tags, e.summary
  FROM unnest(p_endpoints) e
  WHERE e.snapshot_id = ANY (p_snapshot_ids);
  GET DIAGNOSTICS v_endpoint_count = ROW_COUNT;

  INSERT INTO snapshot_findings
    (organization_id, snapshot_id, ordinal, code, severity, message, method, path)
  SELECT p_organization_id, f.snapshot_id, f.ordinal, f.code, f.severity, f.message, f.method, f.path
  FROM unnest(p_findings) f
  WHERE f.snapshot_id = ANY (p_snapshot_ids);
  GET DIAGNOSTICS v_finding_count = ROW_COUNT;

  WITH endpoint_counts AS (
    SELECT e.snapshot_id, count(*) AS total FROM unnest(p_endpoints) e GROUP BY e.snapshot_id
  ), finding_counts AS (
    SELECT s.snapshot_id, sum(s.total) AS total, jsonb_object_agg(s.severity, s.total) AS by_severity
    FROM (SELECT f.snapshot_id, f.severity, count(*) AS total
          FROM unnest(p_findings) f GROUP BY f.snapshot_id, f.severity) AS s
    GROUP BY s.snapshot_id
  ), added AS (
    INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
    SELECT p_organization_id, n.id, coalesce(e.total, 0), coalesce(f.total, 0), coalesce(f.by_severity, '{}')
    FROM unnest(p_snapshot_ids) AS n (id)
    LEFT JOIN endpoint_counts e ON e.snapshot_id = n.id
    LEFT JOIN finding_counts f ON f.snapshot_id = n.id
    ORDER BY n.id
    RETURNING endpoint_count + finding_count AS total
  )
  SELECT sum(total) INTO v_counted FROM added;
  IF v_counted IS DISTINCT FROM v_endpoint_count + v_finding_count THEN
    RAISE EXCEPTION 'snapshots of % rows, but % were inserted', v_counted, v_endpoint_count + v_finding_count
      USING ERRCODE = 'data_exception';
  END IF;
  RETURN v_counted;
END
$$;

-- Marks runs completed, moves their services' current run forward, and turns their payloads into receipts. Runs of
-- one service count in their order, so that `unchanged` is true for what equals the current run at that point: the
-- newest promoted run that is older, one of this batch or else what the service has now.
CREATE OR REPLACE FUNCTION complete_scan_runs(
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
    RETURNING p.scan_run_id, p.body_hash, p.contract_version
  )
  INSERT INTO scan_receipts (organization_id, contract_version, body_hash, service_id, spec_hash, spec_format,
                             spec_version, spec_title, endpoint_count, finding_count, snapshot_id)
  SELECT p_organization_id, p_contract_version, e.body_hash, d.service_id, d.spec_hash, d.spec_format,
         d.spec_version, d.spec_title, d.endpoint_count, d.finding_count, d.snapshot_id
  FROM emptied e
  JOIN done d ON d.id = e.scan_run_id
  -- What another contract took may mean something else to this one: no receipt, and it is read anew when it comes again.
  WHERE e.contract_version = p_contract_version
  ORDER BY e.body_hash
  ON CONFLICT (organization_id, contract_version, body_hash) DO NOTHING;
END
$$;
