-- Names, archiving and deletion of services.

-- Locks a service whose names are about to change. First those of the organization, one change after another: two that don't see each other's
-- names could both take one. Then the service, so that scans that it takes at this moment are stored first.
CREATE OR REPLACE FUNCTION lock_service_names(p_organization_id uuid, p_service_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('names of services ' || p_organization_id, 0));
  PERFORM FROM services s WHERE s.organization_id = p_organization_id AND s.id = p_service_id FOR UPDATE;
END
$$;

-- Gives a service its names: one that it is shown by, and aliases, under which scans come in too. Returns 'renamed', 'unchanged', or 'taken'
-- if another service has one of the names. Runs with the caller's rights.
CREATE OR REPLACE FUNCTION rename_service(p_organization_id uuid, p_service_id uuid, p_name text, p_aliases text[]) RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_before text[];
  v_after text[] := p_name || p_aliases;
BEGIN
  PERFORM lock_service_names(p_organization_id, p_service_id);
  SELECT s.name || ARRAY(
    SELECT a.name FROM service_aliases a WHERE a.organization_id = p_organization_id AND a.service_id = p_service_id) INTO v_before
  FROM services s WHERE s.organization_id = p_organization_id AND s.id = p_service_id;
  IF v_before @> v_after AND v_after @> v_before AND v_before[1] = p_name THEN
    RETURN 'unchanged';
  END IF;
  IF EXISTS (
    SELECT FROM services s
    WHERE s.organization_id = p_organization_id AND s.name = ANY (v_after) AND s.id <> p_service_id
  ) OR EXISTS (
    SELECT FROM service_aliases a
    WHERE a.organization_id = p_organization_id AND a.name = ANY (v_after) AND a.service_id <> p_service_id
  ) THEN
    RETURN 'taken';
  END IF;
  DELETE FROM service_aliases a
  WHERE a.organization_id = p_organization_id AND a.service_id = p_service_id AND a.name <> ALL (p_aliases);
  INSERT INTO service_aliases (organization_id, name, service_id)
  SELECT p_organization_id, named.name, p_service_id FROM unnest(p_aliases) AS named (name)
  ON CONFLICT DO NOTHING;
  UPDATE services s
  SET name = p_name,
      -- A scan may have read the name before, and wait for this transaction: 10 s are more than it waits.
      lost_name_at = CASE WHEN v_after @> v_before THEN s.lost_name_at ELSE clock_timestamp() + interval '10 seconds' END
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id;
  RETURN 'renamed';
EXCEPTION
  -- A scan has just created a service of this name.
  WHEN unique_violation THEN
    RETURN 'taken';
END
$$;

-- Archives a service, or restores it. Returns false if it was so before. The totals of days leave archived services out.
CREATE OR REPLACE FUNCTION archive_service(p_organization_id uuid, p_service_id uuid, p_archived boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  UPDATE services s SET archived_at = CASE WHEN p_archived THEN now() END
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id AND s.deleted_at IS NULL
    AND (s.archived_at IS NOT NULL) <> p_archived;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO stale_totals (organization_id) VALUES (p_organization_id) ON CONFLICT DO NOTHING;
  RETURN true;
END
$$;

-- Deletes a service for everybody but the worker: its names are free, and nobody finds it or anything that it has. Returns false if there
-- is none. Scans that it takes at this moment are stored first, and deleted with it.
CREATE OR REPLACE FUNCTION delete_service(p_organization_id uuid, p_service_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  UPDATE services s
  SET name = NULL, deleted_at = now(), current_run_id = NULL, current_snapshot_id = NULL, current_ordered_at = NULL,
      default_branch = NULL, labels = '{}', links = '{}', history = s.history + 1
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id AND s.deleted_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM service_aliases a WHERE a.organization_id = p_organization_id AND a.service_id = p_service_id;
  DELETE FROM service_badges b WHERE b.organization_id = p_organization_id AND b.service_id = p_service_id;
  DELETE FROM source_bindings b WHERE b.organization_id = p_organization_id AND b.service_id = p_service_id;
  INSERT INTO stale_totals (organization_id) VALUES (p_organization_id) ON CONFLICT DO NOTHING;
  RETURN true;
END
$$;

-- Deletes a part of what a deleted service had: up to p_limit of its runs, then as many rows of other kinds, then the rest. Returns the
-- number of runs and rows; 0 if no deleted service has anything. Workers share the work: each takes another service.
CREATE OR REPLACE FUNCTION delete_service_data(p_organization_id uuid, p_limit integer, OUT run_count integer, OUT row_count integer)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_service_id uuid;
  v_ids uuid[];
  v_days date[];
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  run_count := 0;
  row_count := 0;
  SELECT s.id INTO v_service_id FROM services s
  WHERE s.organization_id = p_organization_id AND s.deleted_at IS NOT NULL AND has_service_data(p_organization_id, s.id)
  ORDER BY s.deleted_at, s.id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  v_ids := ARRAY(
    SELECT r.id FROM scan_runs r
    WHERE r.organization_id = p_organization_id AND r.service_id = v_service_id
    ORDER BY r.ordered_at, r.id
    LIMIT p_limit);
  IF cardinality(v_ids) > 0 THEN
    DELETE FROM scan_payloads p WHERE p.organization_id = p_organization_id AND p.scan_run_id = ANY (v_ids);
    DELETE FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = ANY (v_ids);
    run_count := cardinality(v_ids);
    RETURN;
  END IF;
  DELETE FROM service_snapshots n
  WHERE n.organization_id = p_organization_id AND n.service_id = v_service_id AND n.snapshot_id = ANY (ARRAY(
    SELECT k.snapshot_id FROM service_snapshots k
    WHERE k.organization_id = p_organization_id AND k.service_id = v_service_id
    LIMIT p_limit));
  GET DIAGNOSTICS row_count = ROW_COUNT;
  IF row_count > 0 THEN
    RETURN;
  END IF;
  DELETE FROM seen_items i
  WHERE i.organization_id = p_organization_id AND i.service_id = v_service_id AND i.item = ANY (ARRAY(
    SELECT k.item FROM seen_items k
    WHERE k.organization_id = p_organization_id AND k.service_id = v_service_id
    LIMIT p_limit));
  GET DIAGNOSTICS row_count = ROW_COUNT;
  IF row_count > 0 THEN
    RETURN;
  END IF;
  -- The rest has bounds: the last days, the current findings, the approvals that people gave.
  DELETE FROM change_approvals a WHERE a.organization_id = p_organization_id AND a.service_id = v_service_id;
  DELETE FROM finding_decisions d WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id;
  DELETE FROM finding_comments c WHERE c.organization_id = p_organization_id AND c.service_id = v_service_id;
  DELETE FROM finding_assignments a WHERE a.organization_id = p_organization_id AND a.service_id = v_service_id;
  DELETE FROM service_badges b WHERE b.organization_id = p_organization_id AND b.service_id = v_service_id;
  DELETE FROM source_bindings b WHERE b.organization_id = p_organization_id AND b.service_id = v_service_id;
  DELETE FROM service_rules r WHERE r.organization_id = p_organization_id AND r.service_id = v_service_id;
  DELETE FROM service_changes c WHERE c.organization_id = p_organization_id AND c.service_id = v_service_id;
  DELETE FROM service_days d WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id;
  DELETE FROM service_derivations d WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id;
  DELETE FROM stale_break_days d WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id;
  WITH gone AS (
    DELETE FROM service_break_days d WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id RETURNING d.day
  )
  SELECT coalesce(array_agg(g.day), '{}') INTO v_days FROM gone g;
  PERFORM sum_breaks_of_days(p_organization_id, v_days);
  DELETE FROM break_derivations d WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id;
  INSERT INTO stale_totals (organization_id) VALUES (p_organization_id) ON CONFLICT DO NOTHING;
  row_count := 1;
END
$$;

-- True if anything refers to a service.
CREATE OR REPLACE FUNCTION has_service_data(p_organization_id uuid, p_service_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (SELECT FROM scan_runs t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM service_snapshots t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM seen_items t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM change_approvals t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM finding_decisions t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM finding_comments t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM finding_assignments t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM service_badges t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM source_bindings t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM service_rules t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM service_changes t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM service_days t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM service_derivations t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM stale_break_days t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM service_break_days t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
    OR EXISTS (SELECT FROM break_derivations t WHERE t.organization_id = p_organization_id AND t.service_id = p_service_id)
$$;

-- The deleted services whose content may be stored yet, and whether they were deleted before a time and have nothing left.
CREATE OR REPLACE FUNCTION list_deleted_services(p_organization_id uuid, p_deleted_before timestamptz)
RETURNS TABLE (service_id uuid, is_finished boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  RETURN QUERY
    SELECT s.id, s.deleted_at < p_deleted_before AND NOT has_service_data(p_organization_id, s.id) FROM services s
    WHERE s.organization_id = p_organization_id AND s.deleted_at IS NOT NULL;
END
$$;

-- Deletes the last rows of deleted services that have nothing left.
CREATE OR REPLACE FUNCTION forget_deleted_services(p_organization_id uuid, p_service_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  DELETE FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = ANY (p_service_ids) AND s.deleted_at IS NOT NULL
    AND NOT has_service_data(p_organization_id, s.id);
END
$$;
