-- The comparison of a run's description with that of the run before it, and the approvals of changes. All run with the caller's rights.

-- True for the source of a run that is of a branch itself, and not of a pull request, a tag or something else. Also if nothing tells.
CREATE OR REPLACE FUNCTION is_of_branch(p_source jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$ SELECT p_source->>'pullRequest' IS NULL AND coalesce(p_source->>'kind', 'branch') = 'branch' $$;

-- The newest completed run of a branch before a position; no row if there is none. For the service's default branch, these are the runs of
-- its history. For every other branch, these are its own runs, but not those of pull requests.
CREATE OR REPLACE FUNCTION last_run_of_branch(
  p_organization_id uuid, p_service_id uuid, p_branch text, p_before timestamptz, p_before_id uuid
) RETURNS TABLE (id uuid, ordered_at timestamptz)
LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT l.id, l.ordered_at
  FROM (
    SELECT h.id, h.ordered_at,
           coalesce(p_branch = coalesce(s.default_branch, h.source->>'defaultBranch', h.branch), false) AS is_default
    FROM services s
    LEFT JOIN LATERAL (
      SELECT r.id, r.ordered_at, r.branch, r.source FROM scan_runs r
      WHERE r.organization_id = p_organization_id AND r.service_id = p_service_id AND r.status = 'completed' AND r.promote
        AND (r.ordered_at, r.id) < (p_before, p_before_id)
      ORDER BY r.ordered_at DESC, r.id DESC
      LIMIT 1) h ON true
    WHERE s.organization_id = p_organization_id AND s.id = p_service_id) b
  CROSS JOIN LATERAL (
    SELECT b.id, b.ordered_at WHERE b.is_default AND b.id IS NOT NULL
    UNION ALL (
      SELECT r.id, r.ordered_at FROM scan_runs r
      WHERE NOT b.is_default AND r.organization_id = p_organization_id AND r.service_id = p_service_id AND r.branch = p_branch
        AND r.status = 'completed' AND is_of_branch(r.source) AND (r.ordered_at, r.id) < (p_before, p_before_id)
      ORDER BY r.ordered_at DESC, r.id DESC
      LIMIT 1)) l
$$;

-- The run that a run is compared with: the one before it in the history of its service. For a held run of a pull request, the last one
-- of its base branch, if there is one. No row for the first.
CREATE OR REPLACE FUNCTION previous_scan_run(p_organization_id uuid, p_scan_run_id uuid)
RETURNS TABLE (id uuid, ordered_at timestamptz)
LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT p.id, p.ordered_at FROM (
    SELECT 1 AS place, b.id, b.ordered_at
    FROM scan_runs r
    CROSS JOIN LATERAL last_run_of_branch(r.organization_id, r.service_id, r.source->>'baseBranch', r.ordered_at, r.id) b
    WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id AND NOT r.promote AND r.source->>'baseBranch' IS NOT NULL
    UNION ALL (
      SELECT 2, h.id, h.ordered_at
      FROM scan_runs r
      CROSS JOIN LATERAL service_history(r.organization_id, r.service_id) h
      WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id AND (h.ordered_at, h.id) < (r.ordered_at, r.id)
      ORDER BY h.ordered_at DESC, h.id DESC
      LIMIT 1)) p
  ORDER BY p.place
  LIMIT 1
$$;

-- The description of a run; no row if it has none.
CREATE OR REPLACE FUNCTION description_of_run(p_organization_id uuid, p_scan_run_id uuid)
RETURNS TABLE (hash bytea, canonical_hash bytea)
LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT d.hash, d.canonical_hash FROM scan_run_descriptions l
  JOIN descriptions d ON d.organization_id = l.organization_id AND d.hash = l.description_hash
  WHERE l.organization_id = p_organization_id AND l.scan_run_id = p_scan_run_id
  LIMIT 1
$$;

-- True if a comparison with a base says what is true now: the base is the run before, or retention has deleted it, and none came between.
CREATE OR REPLACE FUNCTION is_base_valid(
  p_organization_id uuid, p_base_id uuid, p_base_ordered_at timestamptz, p_previous_id uuid, p_previous_ordered_at timestamptz
) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT p_base_id IS NOT DISTINCT FROM p_previous_id
    OR (p_previous_id IS NULL OR (p_previous_ordered_at, p_previous_id) < (p_base_ordered_at, p_base_id))
      AND NOT EXISTS (SELECT FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = p_base_id)
$$;

-- The comparison of a run with the run that is before it; no row if it is outdated, or there is none.
CREATE OR REPLACE FUNCTION valid_comparison(p_organization_id uuid, p_scan_run_id uuid)
RETURNS SETOF scan_comparisons
LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT c.* FROM scan_comparisons c
  LEFT JOIN LATERAL previous_scan_run(c.organization_id, c.scan_run_id) p ON true
  WHERE c.organization_id = p_organization_id AND c.scan_run_id = p_scan_run_id
    AND is_base_valid(c.organization_id, c.base_run_id, c.base_ordered_at, p.id, p.ordered_at)
  LIMIT 1
$$;

-- Asks a worker to compare a run, and those that come after it until the next run of the history: the run may be before them now, or no
-- longer. Also later pull requests into its branch, if it is held. Runs without a description are left out.
CREATE OR REPLACE FUNCTION request_comparisons(p_organization_id uuid, p_scan_run_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_run record;
  v_next record;
BEGIN
  SELECT r.service_id, r.ordered_at, r.promote, r.branch INTO v_run FROM scan_runs r
  WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id;
  SELECT h.ordered_at, h.id INTO v_next FROM service_history(p_organization_id, v_run.service_id) h
  WHERE (h.ordered_at, h.id) > (v_run.ordered_at, p_scan_run_id)
  ORDER BY h.ordered_at, h.id
  LIMIT 1;
  INSERT INTO scan_comparison_tasks AS t (organization_id, scan_run_id)
  SELECT p_organization_id, r.id
  FROM scan_runs r
  WHERE r.organization_id = p_organization_id AND r.service_id = v_run.service_id
    AND (r.ordered_at, r.id) >= (v_run.ordered_at, p_scan_run_id)
    AND (v_next.id IS NULL OR (r.ordered_at, r.id) <= (v_next.ordered_at, v_next.id)
      OR NOT v_run.promote AND NOT r.promote AND r.source->>'baseBranch' = v_run.branch)
    AND EXISTS (
      SELECT FROM scan_run_descriptions l WHERE l.organization_id = p_organization_id AND l.scan_run_id = r.id)
  -- In one order: two who ask for the same runs wait for one another, and never in a circle.
  ORDER BY r.id
  -- A run that is deleted at this moment is left out: without the lock, its key would be missing for the task.
  FOR KEY SHARE OF r
  ON CONFLICT (organization_id, scan_run_id) DO UPDATE SET requested = t.requested + 1;
END
$$;

-- The approvals that hold for changes of a run: those that it used up when it became current; before that, the open ones.
CREATE OR REPLACE FUNCTION approvals_of_run(p_run scan_runs, p_fingerprints text[])
RETURNS SETOF change_approvals
LANGUAGE sql STABLE
AS $$
  SELECT a.* FROM change_approvals a
  WHERE a.organization_id = p_run.organization_id AND a.service_id = p_run.service_id AND a.fingerprint = ANY (p_fingerprints)
    AND (a.used_by_run_id = p_run.id
      OR a.used_by_run_id IS NULL AND NOT p_run.promote AND (a.until IS NULL OR a.until >= (now() AT TIME ZONE 'UTC')::date))
$$;

CREATE OR REPLACE FUNCTION count_approved(p_run scan_runs, p_fingerprints text[]) RETURNS integer
LANGUAGE sql STABLE
AS $$ SELECT count(DISTINCT a.fingerprint)::integer FROM approvals_of_run(p_run, p_fingerprints) a $$;

-- Whether descriptions of these runs were compared with those of the runs before them. A run that does not exist is left out.
CREATE OR REPLACE FUNCTION read_comparisons(p_organization_id uuid, p_scan_run_ids uuid[])
RETURNS TABLE (
  scan_run_id uuid, previous_run_id uuid, has_description boolean, base_has_description boolean, is_same boolean, base_run_id uuid,
  outcome text, breaking integer, maybe integer, safe integer, approved integer, not_compared jsonb, verdict_count integer,
  compared_at timestamptz, engine integer
)
LANGUAGE sql STABLE
AS $$
  SELECT r.id, p.id, d.canonical_hash IS NOT NULL, b.canonical_hash IS NOT NULL, coalesce(d.canonical_hash = b.canonical_hash, false),
         c.base_run_id, c.outcome, c.breaking, c.maybe, c.safe,
         CASE WHEN c.outcome = 'compared' THEN count_approved(r, c.fingerprints[1 : c.breaking + c.maybe]) END,
         c.not_compared, c.verdict_count, c.compared_at, c.engine
  FROM unnest(p_scan_run_ids) AS wanted (id)
  JOIN scan_runs r ON r.organization_id = p_organization_id AND r.id = wanted.id
  LEFT JOIN LATERAL previous_scan_run(p_organization_id, r.id) p ON true
  LEFT JOIN LATERAL description_of_run(p_organization_id, r.id) d ON true
  LEFT JOIN LATERAL description_of_run(p_organization_id, p.id) b ON true
  LEFT JOIN LATERAL (
    SELECT * FROM scan_comparisons k
    WHERE k.organization_id = p_organization_id AND k.scan_run_id = r.id
      AND is_base_valid(p_organization_id, k.base_run_id, k.base_ordered_at, p.id, p.ordered_at)
    LIMIT 1) c ON true
$$;

-- Changes of a service's approvals are made one after another, until the transaction ends.
CREATE OR REPLACE FUNCTION lock_change_approvals(p_organization_id uuid, p_service_id uuid) RETURNS void
LANGUAGE sql
AS $$ SELECT pg_advisory_xact_lock(hashtextextended('approvals of changes ' || p_organization_id || p_service_id, 0)) $$;

-- Uses up the approvals of the changes that a run made current: the same changes made again need others. Does nothing for a run that is
-- not promoted or not compared.
CREATE OR REPLACE FUNCTION use_change_approvals(p_organization_id uuid, p_scan_run_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_run record;
BEGIN
  SELECT r.id, r.service_id, r.ordered_at, c.fingerprints INTO v_run
  FROM scan_runs r
  CROSS JOIN LATERAL valid_comparison(r.organization_id, r.id) c
  WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id AND r.promote AND r.status = 'completed';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM lock_change_approvals(p_organization_id, v_run.service_id);
  UPDATE change_approvals a SET used_by_run_id = p_scan_run_id
  WHERE a.organization_id = p_organization_id AND a.service_id = v_run.service_id AND a.fingerprint = ANY (v_run.fingerprints)
    AND a.used_by_run_id IS NULL
    -- The gates of the run looked at them when it was scanned.
    AND (a.until IS NULL OR a.until >= (v_run.ordered_at AT TIME ZONE 'UTC')::date)
    AND NOT EXISTS (
      SELECT FROM change_approvals o
      WHERE o.organization_id = p_organization_id AND o.used_by_run_id = p_scan_run_id AND o.fingerprint = a.fingerprint);
END
$$;

-- Opens the approvals again that a run has used up, because its changes are no longer current. One that was given since stays instead.
CREATE OR REPLACE FUNCTION reopen_change_approvals(p_organization_id uuid, p_scan_run_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM lock_change_approvals(p_organization_id, r.service_id) FROM scan_runs r
  WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id;
  DELETE FROM change_approvals a
  WHERE a.organization_id = p_organization_id AND a.used_by_run_id = p_scan_run_id AND EXISTS (
    SELECT FROM change_approvals o
    WHERE o.organization_id = p_organization_id AND o.service_id = a.service_id AND o.fingerprint = a.fingerprint
      AND o.used_by_run_id IS NULL);
  UPDATE change_approvals a SET used_by_run_id = NULL
  WHERE a.organization_id = p_organization_id AND a.used_by_run_id = p_scan_run_id;
END
$$;

-- Leases a run whose comparison is due, of the next organization after p_after_organization_id, in a cycle: so no organization waits for
-- all runs of another. Skips rows that another worker is claiming. No row if none is due.
CREATE OR REPLACE FUNCTION claim_comparison(p_after_organization_id uuid, p_lease interval)
RETURNS TABLE (organization_id uuid, scan_run_id uuid, attempt integer, requested integer)
LANGUAGE plpgsql SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_scan_run_id uuid;
  v_is_second_round boolean := false;
BEGIN
  LOOP
    SELECT t.organization_id INTO v_organization_id FROM scan_comparison_tasks t
    WHERE t.available_at <= now() AND t.organization_id > v_after
    ORDER BY t.organization_id, t.available_at
    LIMIT 1;
    IF v_organization_id IS NULL THEN
      EXIT WHEN v_is_second_round;
      v_is_second_round := true;
      v_after := '00000000-0000-0000-0000-000000000000';
      CONTINUE;
    END IF;
    -- A statement of its own: as a part of the update, it may be executed several times, and lease other rows that nobody gets.
    SELECT t.scan_run_id INTO v_scan_run_id FROM scan_comparison_tasks t
    WHERE t.organization_id = v_organization_id AND t.available_at <= now()
    ORDER BY t.available_at
    LIMIT 1
    FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
      RETURN QUERY
        UPDATE scan_comparison_tasks t SET attempts = t.attempts + 1, available_at = now() + p_lease
        WHERE t.organization_id = v_organization_id AND t.scan_run_id = v_scan_run_id
        RETURNING t.organization_id, t.scan_run_id, t.attempts, t.requested;
      EXIT;
    END IF;
    v_after := v_organization_id;
  END LOOP;
END
$$;

-- The descriptions to compare for a run, and the time as of which its rules judge. No row if there is nothing to compare, or rules of
-- version p_engine or a later one have compared it.
CREATE OR REPLACE FUNCTION find_comparison_work(p_organization_id uuid, p_scan_run_id uuid, p_engine integer)
RETURNS TABLE (base_run_id uuid, base_ordered_at text, base_hash bytea, head_hash bytea, today text)
LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT p.id, p.ordered_at::text, b.hash, d.hash, to_char(r.ordered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')
  FROM scan_runs r
  CROSS JOIN LATERAL previous_scan_run(p_organization_id, r.id) p
  CROSS JOIN LATERAL description_of_run(p_organization_id, r.id) d
  CROSS JOIN LATERAL description_of_run(p_organization_id, p.id) b
  WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id AND d.canonical_hash <> b.canonical_hash
    AND NOT EXISTS (
      SELECT FROM scan_comparisons c
      WHERE c.organization_id = p_organization_id AND c.scan_run_id = r.id AND c.outcome = 'compared' AND c.engine >= p_engine
        AND is_base_valid(p_organization_id, c.base_run_id, c.base_ordered_at, p.id, p.ordered_at))
$$;

-- Ends a task with a comparison, or without one where there is nothing to compare. Returns false if another worker has claimed it since. If
-- it was requested again meanwhile, or the run before is another one now, it stays, to be done again at once.
CREATE OR REPLACE FUNCTION finish_comparison(
  p_organization_id uuid, p_scan_run_id uuid, p_attempt integer, p_requested integer, p_comparison scan_comparisons
) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_requested integer;
  v_previous record;
BEGIN
  SELECT t.requested INTO v_requested FROM scan_comparison_tasks t
  WHERE t.organization_id = p_organization_id AND t.scan_run_id = p_scan_run_id AND t.attempts = p_attempt
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  SELECT p.id, p.ordered_at INTO v_previous FROM previous_scan_run(p_organization_id, p_scan_run_id) p;
  -- Nothing makes an outdated one valid again, not even the deletion of the run that it was compared with.
  DELETE FROM scan_comparisons c
  WHERE c.organization_id = p_organization_id AND c.scan_run_id = p_scan_run_id
    AND NOT is_base_valid(p_organization_id, c.base_run_id, c.base_ordered_at, v_previous.id, v_previous.ordered_at);
  IF p_comparison.base_run_id IS NOT NULL AND p_comparison.base_run_id IS DISTINCT FROM v_previous.id THEN
    v_requested := NULL;
  ELSIF p_comparison.base_run_id IS NOT NULL THEN
    DELETE FROM scan_comparisons c WHERE c.organization_id = p_organization_id AND c.scan_run_id = p_scan_run_id;
    INSERT INTO scan_comparisons SELECT p_comparison.*;
  END IF;
  PERFORM use_change_approvals(p_organization_id, p_scan_run_id);
  IF v_requested = p_requested THEN
    DELETE FROM scan_comparison_tasks t WHERE t.organization_id = p_organization_id AND t.scan_run_id = p_scan_run_id;
  ELSE
    UPDATE scan_comparison_tasks t SET attempts = 0, available_at = now()
    WHERE t.organization_id = p_organization_id AND t.scan_run_id = p_scan_run_id;
  END IF;
  RETURN true;
END
$$;

-- The last changes of the descriptions of services after a time, as far as they are compared: one of each service.
CREATE OR REPLACE FUNCTION list_last_comparisons(p_organization_id uuid, p_after timestamptz)
RETURNS TABLE (service_id uuid, scan_run_id uuid, changed_at timestamptz, breaking integer, approved integer)
LANGUAGE sql STABLE
AS $$
  SELECT DISTINCT ON (r.service_id)
         r.service_id, r.id, r.ordered_at, c.breaking, count_approved(r, c.fingerprints[1 : c.breaking])
  FROM scan_comparisons c
  JOIN scan_runs r ON r.organization_id = c.organization_id AND r.id = c.scan_run_id
  LEFT JOIN LATERAL previous_scan_run(p_organization_id, r.id) p ON true
  -- A comparison is made after its run, so those that matter are among the last ones.
  WHERE c.organization_id = p_organization_id AND c.compared_at > p_after AND c.outcome = 'compared'
    AND c.breaking + c.maybe + c.safe > 0 AND r.promote AND r.ordered_at > p_after
    AND is_base_valid(p_organization_id, c.base_run_id, c.base_ordered_at, p.id, p.ordered_at)
  ORDER BY r.service_id, r.ordered_at DESC, r.id DESC
$$;
