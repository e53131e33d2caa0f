-- A service's current run, its content, and when the service had which content. Used for scans that are complete when they
-- are accepted, and for those that a worker completes. Runs with the caller's rights, in the organization that it has set.

-- Sets the content of a service to that of one of its runs. The caller has locked the service's row. Returns true if the
-- service has this content already.
CREATE OR REPLACE FUNCTION apply_snapshot(
  p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_snapshot_id uuid, p_ordered_at timestamptz, p_promote boolean
) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_is_unchanged boolean;
BEGIN
  SELECT s.current_snapshot_id = p_snapshot_id INTO v_is_unchanged FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id;
  IF p_promote THEN
    PERFORM promote_scan_run(p_organization_id, p_service_id, p_scan_run_id, p_snapshot_id, p_ordered_at);
  END IF;
  RETURN coalesce(v_is_unchanged, false);
END
$$;

-- Adds a completed run to its service's history, and makes it the current run unless a newer one is: newer means (ordered_at, id).
CREATE OR REPLACE FUNCTION promote_scan_run(
  p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_snapshot_id uuid, p_ordered_at timestamptz
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
  VALUES (p_organization_id, p_service_id, p_snapshot_id, p_ordered_at, p_ordered_at)
  ON CONFLICT (organization_id, service_id, snapshot_id) DO UPDATE
    SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
    WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at;
  UPDATE services s
  SET current_run_id = p_scan_run_id, current_snapshot_id = p_snapshot_id, current_ordered_at = p_ordered_at,
      -- A repetition of the current content changes nothing.
      history = s.history + (s.current_snapshot_id IS DISTINCT FROM p_snapshot_id)::integer
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id
    AND (s.current_run_id IS NULL OR (p_ordered_at, p_scan_run_id) > (s.current_ordered_at, s.current_run_id));
  IF NOT FOUND THEN
    -- A late scan: it may change what came after it.
    UPDATE services s SET history = s.history + 1
    WHERE s.organization_id = p_organization_id AND s.id = p_service_id AND s.current_run_id <> p_scan_run_id;
  END IF;
END
$$;
