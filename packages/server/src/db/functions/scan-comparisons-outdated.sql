-- Comparisons by rules of an older version than a worker's. Runs with the caller's rights.

-- Asks for the comparisons that rules before p_engine made, of up to p_limit services after one, in the order of their ids: the last
-- change of each, among the last 200 runs of its history, and the runs after it, in which newer rules may find changes. Also those of its last
-- 20 runs that are not promoted: somebody may still have to decide about them. Returns how many services it found, the last of them, and how
-- many comparisons were requested. What can't be compared again, because a description is deleted, stays.
CREATE OR REPLACE FUNCTION request_outdated_comparisons(
  p_organization_id uuid, p_after_service_id uuid, p_limit integer, p_engine integer,
  OUT service_count integer, OUT last_service_id uuid, OUT requested integer
)
LANGUAGE plpgsql
AS $$
DECLARE
  v_service_ids uuid[];
  v_run_ids uuid[];
BEGIN
  service_count := 0;
  requested := 0;
  IF NOT EXISTS (SELECT FROM scan_comparisons c WHERE c.organization_id = p_organization_id AND c.engine < p_engine) THEN
    RETURN;
  END IF;
  v_service_ids := ARRAY(
    SELECT s.id FROM services s
    WHERE s.organization_id = p_organization_id AND s.id > p_after_service_id
    ORDER BY s.id
    LIMIT p_limit);
  service_count := cardinality(v_service_ids);
  last_service_id := v_service_ids[service_count];
  v_run_ids := ARRAY(
    SELECT c.id
    FROM unnest(v_service_ids) AS named (id)
    CROSS JOIN LATERAL (
      SELECT k.id, k.engine, sum(k.changes) OVER (
               ORDER BY k.ordered_at DESC, k.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later_changes
      FROM (
        SELECT h.id, h.ordered_at, made.engine, made.changes
        FROM (
          SELECT r.id, r.ordered_at FROM service_history(p_organization_id, named.id) r
          ORDER BY r.ordered_at DESC, r.id DESC
          LIMIT 200) h
        CROSS JOIN LATERAL (
          SELECT o.engine, o.breaking + o.maybe + o.safe AS changes FROM scan_comparisons o
          WHERE o.organization_id = p_organization_id AND o.scan_run_id = h.id
          LIMIT 1) made
      ) k
    ) c
    WHERE c.engine < p_engine AND coalesce(c.later_changes, 0) = 0
      AND EXISTS (SELECT FROM find_comparison_work(p_organization_id, c.id, p_engine))
    UNION ALL
    SELECT k.id
    FROM unnest(v_service_ids) AS named (id)
    CROSS JOIN LATERAL (
      SELECT r.id, r.promote FROM scan_runs r
      WHERE r.organization_id = p_organization_id AND r.service_id = named.id AND r.status = 'completed'
      ORDER BY r.ordered_at DESC, r.id DESC
      LIMIT 20) k
    WHERE NOT k.promote
      AND EXISTS (
        SELECT FROM scan_comparisons o
        WHERE o.organization_id = p_organization_id AND o.scan_run_id = k.id AND o.engine < p_engine)
      AND EXISTS (SELECT FROM find_comparison_work(p_organization_id, k.id, p_engine)));
  INSERT INTO scan_comparison_tasks (organization_id, scan_run_id)
  -- Retention may delete a run at this moment.
  SELECT p_organization_id, r.id FROM scan_runs r
  WHERE r.organization_id = p_organization_id AND r.id = ANY (v_run_ids)
  ORDER BY r.id
  FOR KEY SHARE
  ON CONFLICT (organization_id, scan_run_id) DO NOTHING;
  GET DIAGNOSTICS requested = ROW_COUNT;
END
$$;
