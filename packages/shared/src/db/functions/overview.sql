-- What the last change of a service did, and the totals of all services. All but the writing functions run with the caller's rights.

-- What the current content of a service changed, compared with the promoted one before it; see service_changes. No row without a
-- current run. It reads only the chunks in which the two contents differ.
CREATE OR REPLACE FUNCTION describe_last_change(p_organization_id uuid, p_service_id uuid)
RETURNS TABLE (
  snapshot_id uuid, scan_run_id uuid, changed_at timestamptz, removed_endpoints integer, new_critical integer, new_high integer
)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_current record;
  v_previous record;
BEGIN
  SELECT s.current_snapshot_id AS content, s.current_run_id AS run_id, s.current_ordered_at AS ordered_at INTO v_current
  FROM services s WHERE s.organization_id = p_organization_id AND s.id = p_service_id;
  IF v_current.content IS NULL THEN
    RETURN;
  END IF;
  SELECT r.id, r.created_at, n.endpoint_chunks, n.finding_chunks INTO v_previous
  FROM scan_runs r
  JOIN snapshots n ON n.organization_id = r.organization_id AND n.id = r.snapshot_id
  WHERE r.organization_id = p_organization_id AND r.service_id = p_service_id AND r.status = 'completed' AND r.promote
    AND r.snapshot_id <> v_current.content AND (r.ordered_at, r.id) < (v_current.ordered_at, v_current.run_id)
  ORDER BY r.created_at DESC, r.id DESC
  LIMIT 1;
  snapshot_id := v_current.content;
  removed_endpoints := 0;
  new_critical := 0;
  new_high := 0;

  SELECT r.id, r.ordered_at INTO scan_run_id, changed_at
  FROM scan_runs r
  WHERE r.organization_id = p_organization_id AND r.service_id = p_service_id AND r.status = 'completed' AND r.promote
    AND r.snapshot_id = v_current.content
    AND (v_previous.id IS NULL OR (r.created_at, r.id) > (v_previous.created_at, v_previous.id))
  ORDER BY r.created_at, r.id
  LIMIT 1;
  -- Runs that were sent with earlier times of their scans may be stored in another order.
  scan_run_id := coalesce(scan_run_id, v_current.run_id);
  changed_at := coalesce(changed_at, v_current.ordered_at);
  IF v_previous.id IS NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  WITH current AS (
    SELECT n.endpoint_chunks, n.finding_chunks FROM snapshots n
    WHERE n.organization_id = p_organization_id AND n.id = v_current.content
  ), old_endpoints AS (
    SELECT e.method, e.path
    FROM (SELECT unnest(v_previous.endpoint_chunks) EXCEPT SELECT unnest(c.endpoint_chunks) FROM current c) AS old (id)
    -- A chunk has no more.
    CROSS JOIN LATERAL (
      SELECT r.method, r.path FROM chunk_endpoints r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = old.id LIMIT 32) e
  ), new_endpoints AS (
    SELECT e.method, e.path
    FROM (SELECT unnest(c.endpoint_chunks) FROM current c EXCEPT SELECT unnest(v_previous.endpoint_chunks)) AS new (id)
    CROSS JOIN LATERAL (
      SELECT r.method, r.path FROM chunk_endpoints r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = new.id LIMIT 32) e
  ), old_findings AS (
    SELECT f.*
    FROM (SELECT unnest(v_previous.finding_chunks) EXCEPT SELECT unnest(c.finding_chunks) FROM current c) AS old (id)
    CROSS JOIN LATERAL (
      SELECT r.severity, r.code, r.message, r.method, r.path FROM chunk_findings r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = old.id LIMIT 32) f
  ), new_findings AS (
    SELECT f.*
    FROM (SELECT unnest(c.finding_chunks) FROM current c EXCEPT SELECT unnest(v_previous.finding_chunks)) AS new (id)
    CROSS JOIN LATERAL (
      SELECT r.severity, r.code, r.message, r.method, r.path FROM chunk_findings r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = new.id LIMIT 32) f
  ), gone AS (
    -- Without the names of path parameters, as breaking-changes.ts.
    SELECT o.method, regexp_replace(o.path, '\{[^}]*\}', '{}', 'g') FROM old_endpoints o
    EXCEPT SELECT n.method, regexp_replace(n.path, '\{[^}]*\}', '{}', 'g') FROM new_endpoints n
  ), added AS (
    SELECT * FROM new_findings EXCEPT SELECT * FROM old_findings
  )
  SELECT (SELECT count(*) FROM gone),
         count(*) FILTER (WHERE a.severity = 'critical'),
         count(*) FILTER (WHERE a.severity = 'high')
  INTO removed_endpoints, new_critical, new_high
  FROM added a;
  RETURN NEXT;
END
$$;

-- Writes what the last changes of up to p_limit services after one did whose contents have no row yet, in the order of their ids.
-- Returns how many services it found, and the last of them.
CREATE OR REPLACE FUNCTION record_service_changes(
  p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_service_id uuid;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  service_count := 0;
  FOR v_service_id IN
    SELECT s.id FROM services s
    WHERE s.organization_id = p_organization_id AND s.id > p_after_service_id AND s.current_snapshot_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM service_changes r
      WHERE r.organization_id = p_organization_id AND r.service_id = s.id AND r.snapshot_id = s.current_snapshot_id
      -- With LIMIT, each is looked up by its key, however many the planner expects.
      LIMIT 1)
    -- In one order: two workers wait for one another, and never in a circle.
    ORDER BY s.id
    LIMIT p_limit
  LOOP
    service_count := service_count + 1;
    last_service_id := v_service_id;
    INSERT INTO service_changes AS c
      (organization_id, service_id, snapshot_id, scan_run_id, changed_at, removed_endpoints, new_critical, new_high)
    SELECT p_organization_id, v_service_id, d.snapshot_id, d.scan_run_id, d.changed_at, d.removed_endpoints, d.new_critical, d.new_high
    FROM describe_last_change(p_organization_id, v_service_id) d
    ON CONFLICT (organization_id, service_id) DO UPDATE
      SET snapshot_id = excluded.snapshot_id, scan_run_id = excluded.scan_run_id, changed_at = excluded.changed_at,
          removed_endpoints = excluded.removed_endpoints, new_critical = excluded.new_critical, new_high = excluded.new_high;
  END LOOP;
END
$$;

-- The sums over the current contents of the services, or of those that p_service_ids names.
CREATE OR REPLACE FUNCTION sum_current_runs(p_organization_id uuid, p_service_ids uuid[])
RETURNS TABLE (service_count integer, endpoint_count integer, info integer, low integer, medium integer, high integer, critical integer)
LANGUAGE sql STABLE
AS $$
  SELECT count(*)::integer, coalesce(sum(n.endpoint_count), 0)::integer,
         coalesce(sum((n.findings_by_severity->>'info')::integer), 0)::integer,
         coalesce(sum((n.findings_by_severity->>'low')::integer), 0)::integer,
         coalesce(sum((n.findings_by_severity->>'medium')::integer), 0)::integer,
         coalesce(sum((n.findings_by_severity->>'high')::integer), 0)::integer,
         coalesce(sum((n.findings_by_severity->>'critical')::integer), 0)::integer
  FROM services s
  LEFT JOIN snapshots n ON n.organization_id = s.organization_id AND n.id = s.current_snapshot_id
  WHERE s.organization_id = p_organization_id AND (p_service_ids IS NULL OR s.id = ANY (p_service_ids))
$$;

-- Writes today's totals if they differ from the last ones.
CREATE OR REPLACE FUNCTION record_daily_totals(p_organization_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  INSERT INTO daily_totals AS d (organization_id, day, service_count, endpoint_count, info, low, medium, high, critical)
  SELECT p_organization_id, (now() AT TIME ZONE 'UTC')::date, t.service_count, t.endpoint_count, t.info, t.low, t.medium, t.high,
         t.critical
  FROM sum_current_runs(p_organization_id, NULL) t
  WHERE (t.service_count, t.endpoint_count, t.info, t.low, t.medium, t.high, t.critical) IS DISTINCT FROM (
    SELECT ROW(l.service_count, l.endpoint_count, l.info, l.low, l.medium, l.high, l.critical) FROM daily_totals l
    WHERE l.organization_id = p_organization_id
    ORDER BY l.day DESC
    LIMIT 1)
  ON CONFLICT (organization_id, day) DO UPDATE
    SET service_count = excluded.service_count, endpoint_count = excluded.endpoint_count, info = excluded.info, low = excluded.low,
        medium = excluded.medium, high = excluded.high, critical = excluded.critical;
END
$$;
