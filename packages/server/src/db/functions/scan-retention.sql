-- Deletes up to p_limit completed and failed runs that are older than p_keep_days, not among their service's last p_keep_runs, not
-- current, and no part of its last change: what that did stays known. Services wait whose data is not derived from these runs yet.
-- Returns how many.
CREATE OR REPLACE FUNCTION delete_old_scan_runs(
  p_organization_id uuid, p_keep_days integer, p_keep_runs integer, p_limit integer
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_ids uuid[];
  v_service_id uuid;
  v_deleted integer;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  v_ids := ARRAY(
    SELECT r.id
    FROM services s
    LEFT JOIN service_changes c ON c.organization_id = s.organization_id AND c.service_id = s.id
    CROSS JOIN LATERAL (
      SELECT r.id, r.status, r.created_at
      FROM scan_runs r
      WHERE r.organization_id = s.organization_id AND r.service_id = s.id
      ORDER BY r.ordered_at DESC, r.id DESC
      OFFSET p_keep_runs
    ) r
    WHERE s.organization_id = p_organization_id AND r.id IS DISTINCT FROM s.current_run_id
      AND r.id IS DISTINCT FROM c.scan_run_id AND r.id IS DISTINCT FROM c.against_run_id
      AND r.status <> 'accepted' AND r.created_at < now() - p_keep_days * interval '1 day'
      AND (s.current_snapshot_id IS NULL OR 2 = (
        SELECT count(*) FROM service_derivations d
        WHERE d.organization_id = s.organization_id AND d.service_id = s.id AND d.history = s.history AND d.kind IN ('changes', 'days')))
    LIMIT p_limit);
  -- Scans that changed nothing have no row there yet, and count if a late scan comes between.
  FOR v_service_id IN
    SELECT DISTINCT r.service_id FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = ANY (v_ids) ORDER BY r.service_id
  LOOP
    PERFORM record_days_of_service(p_organization_id, v_service_id);
  END LOOP;
  PERFORM finish_days_of_breaks(p_organization_id, v_ids);
  DELETE FROM scan_payloads p WHERE p.organization_id = p_organization_id AND p.scan_run_id = ANY (v_ids);
  DELETE FROM scan_runs r
  WHERE r.organization_id = p_organization_id AND r.id = ANY (v_ids)
    -- It may have become current since: the service's row says so.
    AND NOT EXISTS (SELECT FROM services s WHERE s.organization_id = p_organization_id AND s.current_run_id = r.id);
  GET DIAGNOSTICS v_deleted = ROW_COUNT;
  RETURN v_deleted;
END
$$;
