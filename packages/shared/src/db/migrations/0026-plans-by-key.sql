-- What the hot paths look up, they look up by key, and the plans must be made so, whatever the tables' size. A plan is
-- made once for each connection and kept until its table is analyzed. One that was made for a small table read all of
-- it, in each statement, while it grew. And what many runs share is done for all of them at once.
-- Locks: none, functions only.

-- As before, with two joins that could not use an index for each run put differently:
-- * A hash cut out of p_body_hashes in the join's condition kept the primary key of scan_receipts from being used: under
--   row-level security an index is only searched for what no function that might tell others has touched.
-- * The service's current run is looked up for each service, and never joined with all runs of the organization.
CREATE OR REPLACE FUNCTION accept_known_scan_runs(
  p_organization_id uuid, p_contract_version integer, p_scan_run_ids uuid[], p_body_hashes bytea,
  p_promote boolean[], p_scanned_at timestamptz[], p_created_by_key_ids uuid[]
) RETURNS TABLE (
  place integer, created_at timestamptz, unchanged boolean, service_id uuid, endpoint_count integer,
  finding_count integer
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_body_hashes bytea[];
  v_known uuid[];
  v_services uuid[];
BEGIN
  -- A hash of another length would shift its neighbours'.
  IF length(p_body_hashes) <> 32 * cardinality(p_scan_run_ids) THEN
    RAISE EXCEPTION 'a hash is not 32 bytes long' USING ERRCODE = 'check_violation';
  END IF;
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true),
          set_config('lock_timeout', '200ms', true);
  FOR n IN 0 .. cardinality(p_scan_run_ids) - 1 LOOP
    v_body_hashes[n + 1] := substr(p_body_hashes, n * 32 + 1, 32);
  END LOOP;
  v_known := ARRAY(
    SELECT r.service_id FROM scan_receipts r
    WHERE r.organization_id = p_organization_id AND r.contract_version = p_contract_version
      AND r.body_hash = ANY (v_body_hashes));
  IF cardinality(v_known) = 0 THEN
    RETURN;
  END IF;
  -- Services first and in order, as complete_scan_runs has it, and what follows sees what was committed before.
  v_services := ARRAY(
    SELECT s.id FROM services s
    WHERE s.organization_id = p_organization_id AND s.id = ANY (v_known)
    ORDER BY s.id
    FOR NO KEY UPDATE SKIP LOCKED);

  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT a.place::integer, a.id, a.promote, least(now(), a.scanned_at) AS ordered_at, a.created_by_key_id,
           r.service_id, r.spec_hash, r.spec_format, r.spec_version, r.spec_title, r.endpoint_count, r.finding_count,
           r.snapshot_id, r.service_id = ANY (v_services) AS is_held
    FROM unnest(p_scan_run_ids, v_body_hashes, p_promote, p_scanned_at, p_created_by_key_ids)
         WITH ORDINALITY AS a (id, body_hash, promote, scanned_at, created_by_key_id, place)
    JOIN scan_receipts r ON r.organization_id = p_organization_id AND r.contract_version = p_contract_version
      AND r.body_hash = a.body_hash
  ), current AS MATERIALIZED (
    SELECT s.id AS service_id, s.current_run_id, s.current_ordered_at,
           (SELECT c.snapshot_id FROM scan_runs c
            WHERE c.organization_id = p_organization_id AND c.id = s.current_run_id) AS snapshot_id
    FROM services s
    WHERE s.organization_id = p_organization_id AND s.id = ANY (v_services)
  ), judged AS MATERIALIZED (
    SELECT a.*, coalesce(a.snapshot_id = coalesce(
        (SELECT earlier.snapshot_id FROM asked earlier
         WHERE earlier.service_id = a.service_id AND earlier.place < a.place AND earlier.promote
           AND (c.current_run_id IS NULL
                OR (earlier.ordered_at, earlier.id) > (c.current_ordered_at, c.current_run_id))
         ORDER BY earlier.ordered_at DESC, earlier.id DESC LIMIT 1),
        c.snapshot_id), false) AS unchanged
    FROM asked a
    JOIN current c ON c.service_id = a.service_id
  ), stored AS (
    INSERT INTO scan_runs (
      organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
      endpoint_count, finding_count, snapshot_id, unchanged, promote, ordered_at, created_at, completed_at,
      created_by_key_id
    )
    SELECT p_organization_id, j.id, j.service_id, 'completed', j.spec_hash, j.spec_format, j.spec_version,
           j.spec_title, j.endpoint_count, j.finding_count, j.snapshot_id, j.unchanged, j.promote, j.ordered_at,
           now(), now(), j.created_by_key_id
    FROM judged j
  ), seen AS (
    INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
    SELECT p_organization_id, j.service_id, j.snapshot_id, min(j.ordered_at), max(j.ordered_at)
    FROM judged j
    GROUP BY j.service_id, j.snapshot_id
    ON CONFLICT ON CONSTRAINT service_snapshots_pkey DO UPDATE
      SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
      WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at
  ), promoted AS (
    UPDATE services s SET current_run_id = newest.id, current_ordered_at = newest.ordered_at
    FROM (
      SELECT DISTINCT ON (j.service_id) j.service_id, j.id, j.ordered_at
      FROM judged j
      WHERE j.promote
      ORDER BY j.service_id, j.ordered_at DESC, j.id DESC
    ) newest
    WHERE s.organization_id = p_organization_id AND s.id = newest.service_id
      AND (s.current_run_id IS NULL
           OR (newest.ordered_at, newest.id) > (s.current_ordered_at, s.current_run_id))
  )
  SELECT a.place, CASE WHEN a.is_held THEN now() END, j.unchanged, a.service_id, a.endpoint_count, a.finding_count
  FROM asked a
  LEFT JOIN judged j ON j.place = a.place;
END
$$;

-- As before, with one statement for all runs instead of three for each.
CREATE OR REPLACE FUNCTION accept_new_scan_runs(
  p_organization_id uuid, p_contract_version integer, p_runs json, p_scanned_at timestamptz[],
  p_body_hashes bytea, p_bodies bytea
) RETURNS TABLE (place integer, created_at timestamptz, service_id uuid)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  IF length(p_body_hashes) <> 32 * json_array_length(p_runs) THEN
    RAISE EXCEPTION 'a hash is not 32 bytes long' USING ERRCODE = 'check_violation';
  END IF;
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true),
          set_config('lock_timeout', '200ms', true);
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT r.*, (sum(r.body_length) OVER (ORDER BY r.place))::integer AS body_end,
           (SELECT s.id FROM services s
            WHERE s.organization_id = p_organization_id AND s.name = r.service_name) AS found_id
    FROM ROWS FROM (json_to_recordset(p_runs) AS (
      scan_run_id uuid, new_service_id uuid, service_name text, spec_hash text, spec_format text, spec_version text,
      spec_title text, endpoint_count integer, finding_count integer, promote boolean, created_by_key_id uuid,
      body_encoding text, body_bytes integer, body_length integer, trace_parent text
    )) WITH ORDINALITY AS r (
      scan_run_id, new_service_id, service_name, spec_hash, spec_format, spec_version, spec_title, endpoint_count,
      finding_count, promote, created_by_key_id, body_encoding, body_bytes, body_length, trace_parent, place)
  ), added AS (
    INSERT INTO services AS s (organization_id, id, name)
    SELECT DISTINCT ON (a.service_name) p_organization_id, a.new_service_id, a.service_name
    FROM asked a
    WHERE a.found_id IS NULL
    -- Two callers with the same new services wait for one another.
    ORDER BY a.service_name, a.place
    ON CONFLICT (organization_id, name) DO NOTHING
    RETURNING s.id, s.name
  ), placed AS MATERIALIZED (
    -- Null where somebody else has made the service at this very moment. Then the whole statement fails on it.
    SELECT a.*, coalesce(a.found_id, (SELECT n.id FROM added n WHERE n.name = a.service_name)) AS service_id
    FROM asked a
  ), stored AS (
    INSERT INTO scan_payloads
      (organization_id, scan_run_id, body, body_encoding, body_hash, body_bytes, contract_version, trace_parent)
    SELECT p_organization_id, p.scan_run_id, substr(p_bodies, p.body_end - p.body_length + 1, p.body_length),
           p.body_encoding, substr(p_body_hashes, p.place::integer * 32 - 31, 32), p.body_bytes, p_contract_version,
           p.trace_parent
    FROM placed p
  ), accepted AS (
    INSERT INTO scan_runs (
      organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
      endpoint_count, finding_count, promote, ordered_at, created_at, created_by_key_id
    )
    SELECT p_organization_id, p.scan_run_id, p.service_id, 'accepted', p.spec_hash, p.spec_format, p.spec_version,
           p.spec_title, p.endpoint_count, p.finding_count, p.promote,
           least(now(), p_scanned_at[p.place]), now(), p.created_by_key_id
    FROM placed p
  )
  SELECT p.place::integer, now(), p.service_id FROM placed p;
END
$$;

-- As before, in two statements for all snapshots instead of three for each: first those that are there, and then the
-- locks of those that are not, in order, behind which somebody else may have stored them.
CREATE OR REPLACE FUNCTION lock_missing_snapshots(p_organization_id uuid, p_snapshot_ids bytea[]) RETURNS SETOF bytea
LANGUAGE plpgsql
AS $$
DECLARE
  v_kept bytea[];
  v_missing bytea[];
  v_snapshot_id bytea;
BEGIN
  v_kept := ARRAY(
    SELECT s.id FROM snapshots s
    WHERE s.organization_id = p_organization_id AND s.id = ANY (p_snapshot_ids)
    ORDER BY s.id
    FOR KEY SHARE);
  v_missing := ARRAY(SELECT a.id FROM unnest(p_snapshot_ids) AS a (id) WHERE a.id <> ALL (v_kept) ORDER BY a.id);
  IF cardinality(v_missing) = 0 THEN
    RETURN;
  END IF;
  FOREACH v_snapshot_id IN ARRAY v_missing LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended(p_organization_id::text || encode(v_snapshot_id, 'hex'), 0));
  END LOOP;
  v_kept := ARRAY(
    SELECT s.id FROM snapshots s
    WHERE s.organization_id = p_organization_id AND s.id = ANY (v_missing)
    ORDER BY s.id
    FOR KEY SHARE);
  RETURN QUERY SELECT a.id FROM unnest(v_missing) AS a (id) WHERE a.id <> ALL (v_kept);
END
$$;

-- As before, but each run is looked up by its own key. All of an organization's runs in one go, as a list of ids allows
-- it, is cheaper only while they are few.
CREATE OR REPLACE FUNCTION complete_scan_runs(
  p_organization_id uuid, p_scan_run_ids uuid[], p_snapshot_ids bytea[], p_contract_version integer
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  -- Services first and in order: two workers that complete runs of the same services wait for one another.
  PERFORM FROM services s
  WHERE s.organization_id = p_organization_id AND s.id IN (
    SELECT r.service_id FROM unnest(p_scan_run_ids) AS d (id)
    JOIN scan_runs r ON r.organization_id = p_organization_id AND r.id = d.id)
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

-- What these look for are a few rows by key, so their plans are right for tables of any size. Set on the functions and
-- not on connections, since a pooler carries no options.
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proname IN (
      'find_api_key', 'find_api_keys', 'find_scan_receipt', 'find_scan_service',
      'accept_known_scan_run', 'accept_known_scan_runs', 'accept_repeated_scan_run',
      'accept_new_scan_run', 'accept_new_scan_runs', 'claim_scan_payloads', 'persist_scan_runs')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
                    SET enable_material = off SET random_page_cost = 0 SET seq_page_cost = 0', v_function);
  END LOOP;
END
$$;
