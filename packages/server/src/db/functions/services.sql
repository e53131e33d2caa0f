-- A service's current run, its content, and when the service had which content. Used for scans that are complete when they
-- are accepted, and for those that a worker completes. Runs with the caller's rights, in the organization that it has set.

-- True for a run that says nothing about its service: it was held, because it is of a pull request, a tag or another branch than the
-- default one. That is p_default_branch, which somebody has set, else the one that the build named. False if nothing tells.
CREATE OR REPLACE FUNCTION is_run_of_change(p_promote boolean, p_source jsonb, p_default_branch text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT NOT p_promote AND (
    NOT is_of_branch(p_source)
    OR coalesce(p_source->>'branch' <> coalesce(p_default_branch, p_source->>'defaultBranch'), false))
$$;

-- A service's newest run that is stored or failed, and that says something about the service. Only its last 200 runs are read:
-- a service with more runs of changes than that since its last own one has none.
CREATE OR REPLACE FUNCTION last_scan_run(p_organization_id uuid, p_service_id uuid, p_default_branch text) RETURNS SETOF scan_runs
LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT l.* FROM (
    SELECT * FROM scan_runs r
    WHERE r.organization_id = p_organization_id AND r.service_id = p_service_id AND r.status <> 'accepted'
    ORDER BY r.ordered_at DESC, r.id DESC
    LIMIT 200) l
  WHERE NOT is_run_of_change(l.promote, l.source, p_default_branch)
  ORDER BY l.ordered_at DESC, l.id DESC
  LIMIT 1
$$;

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

-- Makes what was current before a promotion by a request current again. Returns 'undone', or why it is not: 'not_promoted', if the run is
-- not promoted, 'final', if no request promoted it after p_promoted_after, or 'superseded', if another run became current since, or would
-- now.
CREATE OR REPLACE FUNCTION undo_promotion(p_organization_id uuid, p_scan_run_id uuid, p_promoted_after timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_run scan_runs;
  v_before record;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  PERFORM FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = (
    SELECT r.service_id FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id)
  FOR NO KEY UPDATE;
  SELECT * INTO v_run FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id;
  IF NOT v_run.promote THEN
    RETURN 'not_promoted';
  END IF;
  IF v_run.promotion IS NULL OR (v_run.promotion->>'at')::timestamptz <= p_promoted_after THEN
    RETURN 'final';
  END IF;
  IF v_run.status = 'completed' THEN
    -- The row of nulls if there is none.
    SELECT h.id, h.snapshot_id, h.ordered_at INTO v_before
    FROM service_history(p_organization_id, v_run.service_id) h
    WHERE h.id <> p_scan_run_id
    ORDER BY h.ordered_at DESC, h.id DESC
    LIMIT 1;
    IF v_before.id IS DISTINCT FROM (v_run.promotion->>'previousRunId')::uuid THEN
      RETURN 'superseded';
    END IF;
  END IF;
  UPDATE scan_runs r SET promote = false, promotion = NULL WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id;
  IF v_run.status = 'completed' THEN
    UPDATE services s
    SET current_run_id = v_before.id, current_snapshot_id = v_before.snapshot_id, current_ordered_at = v_before.ordered_at,
        history = s.history + 1
    WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id;
    PERFORM forget_promotion(v_run);
  END IF;
  RETURN 'undone';
END
$$;

-- Removes what was derived from a run that is no longer in the history of its service. What other runs say is derived again.
CREATE OR REPLACE FUNCTION forget_promotion(p_run scan_runs) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_first_seen_at timestamptz;
  v_last_seen_at timestamptz;
BEGIN
  -- The times before the promotion count runs, too, that retention has deleted.
  SELECT least((p_run.promotion->>'firstSeenAt')::timestamptz, min(h.ordered_at)),
         greatest((p_run.promotion->>'lastSeenAt')::timestamptz, max(h.ordered_at))
  INTO v_first_seen_at, v_last_seen_at
  FROM service_history(p_run.organization_id, p_run.service_id) h
  WHERE h.snapshot_id = p_run.snapshot_id;
  IF v_first_seen_at IS NULL THEN
    DELETE FROM service_snapshots n
    WHERE n.organization_id = p_run.organization_id AND n.service_id = p_run.service_id AND n.snapshot_id = p_run.snapshot_id;
  ELSE
    UPDATE service_snapshots n SET first_seen_at = v_first_seen_at, last_seen_at = v_last_seen_at
    WHERE n.organization_id = p_run.organization_id AND n.service_id = p_run.service_id AND n.snapshot_id = p_run.snapshot_id;
  END IF;
  DELETE FROM service_days d
  WHERE d.organization_id = p_run.organization_id AND d.service_id = p_run.service_id AND d.scan_run_id = p_run.id;
  INSERT INTO stale_totals (organization_id) VALUES (p_run.organization_id) ON CONFLICT DO NOTHING;
END
$$;
