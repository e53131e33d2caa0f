-- Claiming and persisting waiting runs, and the backlog that operators see.

-- Leases due payloads of ONE organization: the next after p_after_organization_id, in a cycle, so that an organization
-- with ten thousand waiting runs delays another's by one batch. Returns at least one row, then as many as p_limit and
-- p_bytes_max allow. Skips rows that another worker is claiming. A run that was claimed twice and not finished is
-- returned individually: if it crashes its worker (out of memory, for example), no other run is affected.
CREATE OR REPLACE FUNCTION claim_scan_runs(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (
  organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, items bytea,
  endpoint_row_type oid, finding_row_type oid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET random_page_cost = 0
AS $$
DECLARE
  v_together_max constant integer := 2;
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_is_second_round boolean := false;
  v_claimed record;
BEGIN
  LOOP
    SELECT p.organization_id INTO v_organization_id FROM scan_payloads p
    WHERE p.available_at <= now() AND p.organization_id > v_after
    -- By both columns of the index of what is due: the primary key would lead through all payloads that were given up.
    ORDER BY p.organization_id, p.available_at
    LIMIT 1;
    IF v_organization_id IS NULL THEN
      EXIT WHEN v_is_second_round;
      v_is_second_round := true;
      v_after := '00000000-0000-0000-0000-000000000000';
      CONTINUE;
    END IF;

    FOR v_claimed IN
      WITH due AS (
        SELECT p.scan_run_id, p.items_bytes, p.available_at, p.attempts >= v_together_max AS comes_alone
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now()
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      )
      SELECT d.scan_run_id, d.comes_alone FROM (
        SELECT due.scan_run_id, due.comes_alone,
               sum(due.items_bytes) FILTER (WHERE NOT due.comes_alone) OVER w AS total_bytes,
               row_number() OVER w AS place,
               due.comes_alone OR first_value(due.comes_alone) OVER w AS is_excluded
        FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
      ) d WHERE d.place = 1 OR (NOT d.is_excluded AND d.total_bytes <= p_bytes_max)
    LOOP
      RETURN QUERY
        UPDATE scan_payloads p
        SET attempts = p.attempts + 1,
            -- One process works on several claims. Runs that come alone, taken at the same moment, come back at moments of
            -- their own, or the one that ends the process would meet the same others there each time.
            available_at = now() + p_lease * (CASE WHEN v_claimed.comes_alone THEN 1 + random() ELSE 1 END)
        WHERE p.organization_id = v_organization_id AND p.scan_run_id = v_claimed.scan_run_id
        RETURNING p.organization_id, p.scan_run_id, p.attempts, p.attempts_excused, p.items,
                  'chunk_endpoint_row'::regtype::oid, 'chunk_finding_row'::regtype::oid;
    END LOOP;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;

-- Extends the leases of those of these runs that the caller still holds. Skips locked rows: the transaction that is
-- writing to them needs no lease.
CREATE OR REPLACE FUNCTION extend_scan_leases(
  p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_lease interval
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_extended integer;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  UPDATE scan_payloads p SET available_at = now() + p_lease
  FROM (
    SELECT held.scan_run_id
    FROM scan_payloads held
    JOIN unnest(p_scan_run_ids, p_attempts) AS claimed (scan_run_id, attempt)
      ON claimed.scan_run_id = held.scan_run_id AND claimed.attempt = held.attempts
    WHERE held.organization_id = p_organization_id AND held.available_at IS NOT NULL
    FOR UPDATE OF held SKIP LOCKED
  ) held
  WHERE p.organization_id = p_organization_id AND p.scan_run_id = held.scan_run_id;
  GET DIAGNOSTICS v_extended = ROW_COUNT;
  RETURN v_extended;
END
$$;

-- Persists claimed runs of one organization: the rows of chunks that are not stored yet, the snapshots, and the runs'
-- completion. Ignores runs whose lease the caller has lost (its attempt is not the last). Idempotent.
CREATE OR REPLACE FUNCTION persist_scan_runs(
  p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[],
  p_endpoints chunk_endpoint_row[], p_findings chunk_finding_row[]
) RETURNS TABLE (completed integer, row_count integer)
LANGUAGE plpgsql
SET random_page_cost = 0
AS $$
DECLARE
  v_runs uuid[];
  v_run record;
  v_run_id uuid;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  completed := 0;
  row_count := 0;
  v_runs := ARRAY(
    SELECT held.scan_run_id
    FROM (SELECT * FROM unnest(p_scan_run_ids, p_attempts) AS c (scan_run_id, attempt) ORDER BY c.scan_run_id) claimed
    CROSS JOIN LATERAL (
      SELECT p.scan_run_id FROM scan_payloads p
      WHERE p.organization_id = p_organization_id AND p.scan_run_id = claimed.scan_run_id
        AND p.attempts = claimed.attempt AND p.available_at IS NOT NULL
      LIMIT 1
      FOR UPDATE) held);
  IF cardinality(v_runs) = 0 THEN
    RETURN NEXT;
    RETURN;
  END IF;

  -- Services, chunks, snapshots, each in one order: two workers wait for one another, and never in a circle.
  FOR v_run IN
    SELECT DISTINCT r.service_id FROM unnest(v_runs) AS held (id)
    CROSS JOIN LATERAL (
      SELECT s.service_id FROM scan_runs s WHERE s.organization_id = p_organization_id AND s.id = held.id LIMIT 1) r
    ORDER BY r.service_id
  LOOP
    PERFORM FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id FOR NO KEY UPDATE;
  END LOOP;
  row_count := store_chunks(p_organization_id, p_endpoints, p_findings);
  PERFORM store_snapshot(p_organization_id, w.snapshot_id, w.endpoint_chunks, w.finding_chunks, w.endpoint_count,
                         w.finding_count)
  FROM (SELECT * FROM find_waiting_scan_runs(p_organization_id, v_runs) f ORDER BY f.snapshot_id) w;

  -- Runs of one service count in their order.
  FOR v_run IN SELECT * FROM find_waiting_scan_runs(p_organization_id, v_runs) f ORDER BY f.ordered_at, f.id LOOP
    UPDATE scan_runs r
    SET status = 'completed', snapshot_id = v_run.snapshot_id, completed_at = now(),
        unchanged = apply_snapshot(p_organization_id, v_run.service_id, v_run.id, v_run.snapshot_id, v_run.ordered_at, v_run.promote)
    WHERE r.organization_id = p_organization_id AND r.id = v_run.id;
    completed := completed + 1;
  END LOOP;
  -- Those of runs that somebody deleted go, too.
  FOREACH v_run_id IN ARRAY v_runs LOOP
    DELETE FROM scan_payloads p WHERE p.organization_id = p_organization_id AND p.scan_run_id = v_run_id;
  END LOOP;
  RETURN NEXT;
END
$$;

-- Unfinished runs and the content to complete them with.
CREATE OR REPLACE FUNCTION find_waiting_scan_runs(p_organization_id uuid, p_scan_run_ids uuid[])
RETURNS TABLE (
  id uuid, service_id uuid, ordered_at timestamptz, promote boolean, endpoint_count integer, finding_count integer,
  snapshot_id uuid, endpoint_chunks uuid[], finding_chunks uuid[]
)
LANGUAGE sql STABLE
AS $$
  SELECT run.id, run.service_id, run.ordered_at, run.promote, run.endpoint_count, run.finding_count,
         payload.snapshot_id, payload.endpoint_chunks, payload.finding_chunks
  FROM unnest(p_scan_run_ids) AS waiting (id)
  CROSS JOIN LATERAL (
    SELECT * FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = waiting.id AND r.status = 'accepted' LIMIT 1) run
  CROSS JOIN LATERAL (
    SELECT * FROM scan_payloads p WHERE p.organization_id = p_organization_id AND p.scan_run_id = waiting.id LIMIT 1) payload
$$;

-- The backlog across organizations: how many runs wait, and since when. It counts at most p_limit runs, and reads only the
-- oldest of each organization, so that a large backlog doesn't make the query expensive. Ids are in the order of creation,
-- so the smallest is the oldest.
CREATE OR REPLACE FUNCTION sample_scan_backlog(p_limit integer)
RETURNS TABLE (unfinished integer, oldest_age_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
  WITH RECURSIVE waiting (organization_id) AS (
    (SELECT p.organization_id FROM scan_payloads p
     WHERE p.available_at IS NOT NULL ORDER BY p.organization_id LIMIT 1)
    UNION ALL
    SELECT (SELECT p.organization_id FROM scan_payloads p
            WHERE p.available_at IS NOT NULL AND p.organization_id > w.organization_id
            ORDER BY p.organization_id LIMIT 1)
    FROM waiting w WHERE w.organization_id IS NOT NULL
  )
  SELECT
    (SELECT count(*)::integer FROM (
       SELECT FROM scan_payloads p WHERE p.available_at IS NOT NULL LIMIT p_limit) counted),
    coalesce(extract(epoch FROM now() - (
      SELECT min(r.created_at)
      FROM waiting w
      CROSS JOIN LATERAL (
        SELECT p.scan_run_id FROM scan_payloads p
        WHERE p.organization_id = w.organization_id AND p.available_at IS NOT NULL
        ORDER BY p.scan_run_id LIMIT 1) p
      JOIN scan_runs r ON r.organization_id = w.organization_id AND r.id = p.scan_run_id)), 0)::double precision
$$;

-- The trace parents of these runs; untraced runs are left out.
CREATE OR REPLACE FUNCTION find_trace_parents(p_organization_id uuid, p_scan_run_ids uuid[])
RETURNS TABLE (scan_run_id uuid, trace_parent text)
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  RETURN QUERY
    SELECT p.scan_run_id, p.trace_parent FROM scan_payloads p
    WHERE p.organization_id = p_organization_id AND p.scan_run_id = ANY (p_scan_run_ids)
      AND p.trace_parent IS NOT NULL;
END
$$;

-- Whether each of these runs is completed or failed: what the requests of all organizations that wait for runs need to know. A run that
-- does not exist is left out.
CREATE OR REPLACE FUNCTION read_scan_run_progress(p_organization_ids uuid[], p_run_ids uuid[])
RETURNS TABLE (run_id uuid, is_ended boolean)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10
SET search_path = public, pg_temp
AS $$
  SELECT r.id, r.status <> 'accepted'
  FROM unnest(p_organization_ids, p_run_ids) AS w (organization_id, run_id)
  JOIN scan_runs r ON r.organization_id = w.organization_id AND r.id = w.run_id
$$;
