-- The last change of each service, and the totals of all services. All but the writing functions run with the caller's
-- rights.

-- Counts the differences between two contents as changes.ts does: equal items are matched first, then those with the
-- same identity, and duplicates count. It reads only the chunks in which the contents differ. Removed endpoints are
-- counted without those in whose paths only parameters were renamed, as in breaking-changes.ts. A finding whose
-- severity rose counts as a new one.
CREATE OR REPLACE FUNCTION compare_contents(p_organization_id uuid, p_before uuid, p_after uuid)
RETURNS TABLE (differs boolean, removed_endpoints integer, new_critical integer, new_high integer)
LANGUAGE sql STABLE
AS $$
  WITH old AS (
    SELECT n.endpoint_chunks, n.finding_chunks FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = p_before
  ), new AS (
    SELECT n.endpoint_chunks, n.finding_chunks FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = p_after
  ), old_endpoints AS MATERIALIZED (
    SELECT e.*
    FROM (SELECT unnest(o.endpoint_chunks) FROM old o EXCEPT ALL SELECT unnest(n.endpoint_chunks) FROM new n) AS c (id)
    -- A chunk has no more.
    CROSS JOIN LATERAL (
      SELECT r.method, r.path, r.operation_id, r.tags, r.summary FROM chunk_endpoints r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = c.id LIMIT 32) e
  ), new_endpoints AS MATERIALIZED (
    SELECT e.*
    FROM (SELECT unnest(n.endpoint_chunks) FROM new n EXCEPT ALL SELECT unnest(o.endpoint_chunks) FROM old o) AS c (id)
    CROSS JOIN LATERAL (
      SELECT r.method, r.path, r.operation_id, r.tags, r.summary FROM chunk_endpoints r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = c.id LIMIT 32) e
  ), old_findings AS MATERIALIZED (
    SELECT f.*
    FROM (SELECT unnest(o.finding_chunks) FROM old o EXCEPT ALL SELECT unnest(n.finding_chunks) FROM new n) AS c (id)
    CROSS JOIN LATERAL (
      SELECT r.code, r.message, r.method, r.path, r.severity FROM chunk_findings r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = c.id LIMIT 32) f
  ), new_findings AS MATERIALIZED (
    SELECT f.*
    FROM (SELECT unnest(n.finding_chunks) FROM new n EXCEPT ALL SELECT unnest(o.finding_chunks) FROM old o) AS c (id)
    CROSS JOIN LATERAL (
      SELECT r.code, r.message, r.method, r.path, r.severity FROM chunk_findings r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = c.id LIMIT 32) f
  ), gone_endpoints AS MATERIALIZED (
    SELECT * FROM old_endpoints EXCEPT ALL SELECT * FROM new_endpoints
  ), come_endpoints AS MATERIALIZED (
    SELECT * FROM new_endpoints EXCEPT ALL SELECT * FROM old_endpoints
  ), endpoints AS MATERIALIZED (
    -- Removed ones above 0, added ones below.
    SELECT each.method, regexp_replace(each.path, '\{[^}]*\}', '{}', 'g') AS shape, sum(each.gone) AS gone
    FROM (SELECT g.method, g.path, 1 AS gone FROM gone_endpoints g UNION ALL SELECT c.method, c.path, -1 FROM come_endpoints c) each
    GROUP BY each.method, each.path
  ), gone_findings AS MATERIALIZED (
    SELECT * FROM old_findings EXCEPT ALL SELECT * FROM new_findings
  ), come_findings AS MATERIALIZED (
    SELECT * FROM new_findings EXCEPT ALL SELECT * FROM old_findings
  ), findings AS (
    SELECT n.severity, o.severity AS before
    FROM (
      SELECT c.*, row_number() OVER (PARTITION BY c.code, c.message, c.method, c.path ORDER BY c.severity COLLATE "C") AS place
      FROM come_findings c) n
    LEFT JOIN (
      SELECT g.*, row_number() OVER (PARTITION BY g.code, g.message, g.method, g.path ORDER BY g.severity COLLATE "C") AS place
      FROM gone_findings g) o
      ON (o.code, o.message, o.place) = (n.code, n.message, n.place) AND o.method IS NOT DISTINCT FROM n.method
        AND o.path IS NOT DISTINCT FROM n.path
  )
  SELECT EXISTS (SELECT FROM gone_endpoints) OR EXISTS (SELECT FROM come_endpoints)
           OR EXISTS (SELECT FROM gone_findings) OR EXISTS (SELECT FROM come_findings),
         (SELECT coalesce(sum(e.gone), 0)::integer FROM endpoints e
          WHERE e.gone > 0 AND NOT EXISTS (
            SELECT FROM endpoints a WHERE a.gone < 0 AND a.method = e.method AND a.shape = e.shape)),
         (SELECT count(*)::integer FROM findings f WHERE f.severity = 'critical' AND f.before IS DISTINCT FROM 'critical'),
         (SELECT count(*)::integer FROM findings f
          WHERE f.severity = 'high' AND (f.before IS NULL OR f.before NOT IN ('critical', 'high')))
$$;

-- The last run in the history of a service that changed something, and what it did; see service_changes. No row without a current run.
CREATE OR REPLACE FUNCTION describe_last_change(p_organization_id uuid, p_service_id uuid)
RETURNS TABLE (
  scan_run_id uuid, against_run_id uuid, changed_at timestamptz, removed_endpoints integer, new_critical integer, new_high integer
)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_run record;
  -- The id, the time and the content of the run after v_run.
  v_id uuid;
  v_ordered_at timestamptz;
  v_snapshot_id uuid;
  v_difference record;
BEGIN
  FOR v_run IN
    SELECT h.id, h.ordered_at, h.snapshot_id FROM service_history(p_organization_id, p_service_id) h
    ORDER BY h.ordered_at DESC, h.id DESC
  LOOP
    IF v_run.snapshot_id <> v_snapshot_id THEN
      SELECT * INTO v_difference FROM compare_contents(p_organization_id, v_run.snapshot_id, v_snapshot_id);
      IF v_difference.differs THEN
        RETURN QUERY SELECT v_id, v_run.id, v_ordered_at, v_difference.removed_endpoints, v_difference.new_critical,
                            v_difference.new_high;
        RETURN;
      END IF;
    END IF;
    v_id := v_run.id;
    v_ordered_at := v_run.ordered_at;
    v_snapshot_id := v_run.snapshot_id;
  END LOOP;
  IF v_id IS NOT NULL THEN
    RETURN QUERY SELECT v_id, NULL::uuid, v_ordered_at, 0, 0, 0;
  END IF;
END
$$;

-- Writes what the last changes of up to p_limit services after one did that are not derived yet, in the order of their ids. Returns how
-- many services it found, and the last of them.
CREATE OR REPLACE FUNCTION record_service_changes(
  p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_service record;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  service_count := 0;
  FOR v_service IN SELECT * FROM list_underived_services(p_organization_id, 'changes', p_after_service_id, p_limit) LOOP
    service_count := service_count + 1;
    last_service_id := v_service.service_id;
    CONTINUE WHEN NOT mark_derived(p_organization_id, v_service.service_id, 'changes', v_service.history);
    INSERT INTO service_changes AS c
      (organization_id, service_id, scan_run_id, against_run_id, changed_at, removed_endpoints, new_critical, new_high)
    SELECT p_organization_id, v_service.service_id, d.scan_run_id, d.against_run_id, d.changed_at, d.removed_endpoints, d.new_critical,
           d.new_high
    FROM describe_last_change(p_organization_id, v_service.service_id) d
    ON CONFLICT (organization_id, service_id) DO UPDATE
      SET scan_run_id = excluded.scan_run_id, against_run_id = excluded.against_run_id, changed_at = excluded.changed_at,
          removed_endpoints = excluded.removed_endpoints, new_critical = excluded.new_critical, new_high = excluded.new_high;
  END LOOP;
END
$$;

-- The sums over the current contents of the services that are not archived, or of those that p_service_ids names.
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
  WHERE s.organization_id = p_organization_id AND (p_service_ids IS NULL OR s.id = ANY (p_service_ids)) AND s.archived_at IS NULL
$$;

