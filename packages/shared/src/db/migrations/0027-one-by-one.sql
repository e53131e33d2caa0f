-- Rows are looked up, changed and deleted key by key, whatever the planner holds for likely. For several keys at once it
-- may read all rows of the organization instead, which is right where organizations have few rows, and that is what it
-- takes for granted when most have: the plan is made for the average one, and the largest pays. A subquery with LIMIT
-- is never joined in another way than by its key; changes are a statement for each row.
-- Locks: none, functions only.

-- As before, key by key.
CREATE OR REPLACE FUNCTION accept_known_scan_runs(
  p_organization_id uuid, p_contract_version integer, p_scan_run_ids uuid[], p_body_hashes bytea,
  p_promote boolean[], p_scanned_at timestamptz[], p_created_by_key_ids uuid[]
) RETURNS TABLE (
  place integer, created_at timestamptz, unchanged boolean, service_id uuid, endpoint_count integer,
  finding_count integer
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
#variable_conflict use_column
DECLARE
  v_body_hashes bytea[];
  v_known uuid[];
  v_services uuid[];
  v_run record;
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
    SELECT DISTINCT receipt.service_id
    FROM unnest(v_body_hashes) AS a (body_hash)
    CROSS JOIN LATERAL (
      SELECT r.service_id FROM scan_receipts r
      WHERE r.organization_id = p_organization_id AND r.contract_version = p_contract_version
        AND r.body_hash = a.body_hash
      LIMIT 1) receipt
    ORDER BY receipt.service_id);
  IF cardinality(v_known) = 0 THEN
    RETURN;
  END IF;
  -- Services first and in order, as complete_scan_runs has it, and what follows sees what was committed before.
  v_services := ARRAY(
    SELECT held.id
    FROM unnest(v_known) AS k (id)
    CROSS JOIN LATERAL (
      SELECT s.id FROM services s
      WHERE s.organization_id = p_organization_id AND s.id = k.id
      LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED) held);

  FOR v_run IN
    WITH asked AS MATERIALIZED (
      SELECT a.place::integer, a.id, a.promote, least(now(), a.scanned_at) AS ordered_at, a.created_by_key_id,
             receipt.*, receipt.service_id = ANY (v_services) AS is_held
      FROM unnest(p_scan_run_ids, v_body_hashes, p_promote, p_scanned_at, p_created_by_key_ids)
           WITH ORDINALITY AS a (id, body_hash, promote, scanned_at, created_by_key_id, place)
      CROSS JOIN LATERAL (
        SELECT r.service_id, r.spec_hash, r.spec_format, r.spec_version, r.spec_title, r.endpoint_count,
               r.finding_count, r.snapshot_id
        FROM scan_receipts r
        WHERE r.organization_id = p_organization_id AND r.contract_version = p_contract_version
          AND r.body_hash = a.body_hash
        LIMIT 1) receipt
    ), current AS MATERIALIZED (
      SELECT service.*,
             (SELECT c.snapshot_id FROM scan_runs c
              WHERE c.organization_id = p_organization_id AND c.id = service.current_run_id) AS snapshot_id
      FROM unnest(v_services) AS held (id)
      CROSS JOIN LATERAL (
        SELECT s.id AS service_id, s.current_run_id, s.current_ordered_at FROM services s
        WHERE s.organization_id = p_organization_id AND s.id = held.id
        LIMIT 1) service
    ), judged AS MATERIALIZED (
      SELECT a.*, coalesce(a.snapshot_id = coalesce(
          (SELECT earlier.snapshot_id FROM asked earlier
           WHERE earlier.service_id = a.service_id AND earlier.place < a.place AND earlier.promote
             AND (c.current_run_id IS NULL
                  OR (earlier.ordered_at, earlier.id) > (c.current_ordered_at, c.current_run_id))
           ORDER BY earlier.ordered_at DESC, earlier.id DESC LIMIT 1),
          c.snapshot_id), false) AS unchanged,
        a.promote AND (c.current_run_id IS NULL
                       OR (a.ordered_at, a.id) > (c.current_ordered_at, c.current_run_id))
        AND NOT EXISTS (
          SELECT FROM asked later
          WHERE later.service_id = a.service_id AND later.promote
            AND (later.ordered_at, later.id) > (a.ordered_at, a.id)) AS is_newest
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
    )
    SELECT a.place, a.id, a.is_held, a.service_id, a.endpoint_count, a.finding_count, a.ordered_at, j.unchanged,
           j.is_newest
    FROM asked a
    LEFT JOIN judged j ON j.place = a.place
  LOOP
    IF v_run.is_newest THEN
      UPDATE services s SET current_run_id = v_run.id, current_ordered_at = v_run.ordered_at
      WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id;
    END IF;
    place := v_run.place;
    created_at := CASE WHEN v_run.is_held THEN now() END;
    unchanged := v_run.unchanged;
    service_id := v_run.service_id;
    endpoint_count := v_run.endpoint_count;
    finding_count := v_run.finding_count;
    RETURN NEXT;
  END LOOP;
END
$$;

-- As before, key by key.
CREATE OR REPLACE FUNCTION lock_missing_snapshots(p_organization_id uuid, p_snapshot_ids bytea[]) RETURNS SETOF bytea
LANGUAGE plpgsql
AS $$
DECLARE
  v_kept bytea[];
  v_missing bytea[];
  v_snapshot_id bytea;
BEGIN
  v_kept := ARRAY(
    SELECT kept.id
    FROM (SELECT a.id FROM unnest(p_snapshot_ids) AS a (id) ORDER BY a.id) AS a
    CROSS JOIN LATERAL (
      SELECT s.id FROM snapshots s
      WHERE s.organization_id = p_organization_id AND s.id = a.id
      LIMIT 1
      FOR KEY SHARE) kept);
  v_missing := ARRAY(SELECT a.id FROM unnest(p_snapshot_ids) AS a (id) WHERE a.id <> ALL (v_kept) ORDER BY a.id);
  IF cardinality(v_missing) = 0 THEN
    RETURN;
  END IF;
  FOREACH v_snapshot_id IN ARRAY v_missing LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended(p_organization_id::text || encode(v_snapshot_id, 'hex'), 0));
  END LOOP;
  v_kept := ARRAY(
    SELECT kept.id
    FROM unnest(v_missing) AS a (id)
    CROSS JOIN LATERAL (
      SELECT s.id FROM snapshots s
      WHERE s.organization_id = p_organization_id AND s.id = a.id
      LIMIT 1
      FOR KEY SHARE) kept);
  RETURN QUERY SELECT a.id FROM unnest(v_missing) AS a (id) WHERE a.id <> ALL (v_kept);
END
$$;

-- As before, key by key.
CREATE OR REPLACE FUNCTION complete_scan_runs(
  p_organization_id uuid, p_scan_run_ids uuid[], p_snapshot_ids bytea[], p_contract_version integer
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_run scan_runs;
  v_done scan_runs[];
  v_body_hash bytea;
  v_contract_version integer;
  v_receipt_ids uuid[];
  v_receipt_hashes bytea[];
  v_judged record;
BEGIN
  -- Services first and in order: two workers that complete runs of the same services wait for one another.
  PERFORM held.id
  FROM (
    SELECT DISTINCT run.service_id
    FROM unnest(p_scan_run_ids) AS d (id)
    CROSS JOIN LATERAL (
      SELECT r.service_id FROM scan_runs r
      WHERE r.organization_id = p_organization_id AND r.id = d.id
      LIMIT 1) run
    ORDER BY run.service_id) AS k
  CROSS JOIN LATERAL (
    SELECT s.id FROM services s
    WHERE s.organization_id = p_organization_id AND s.id = k.service_id
    LIMIT 1
    FOR NO KEY UPDATE) held;

  FOR v_judged IN
    WITH waiting AS MATERIALIZED (
      SELECT d.scan_run_id, d.snapshot_id, run.*, service.*
      FROM unnest(p_scan_run_ids, p_snapshot_ids) AS d (scan_run_id, snapshot_id)
      -- A payload whose run somebody deleted goes, too.
      LEFT JOIN LATERAL (
        SELECT r.id, r.service_id, r.ordered_at, r.promote FROM scan_runs r
        WHERE r.organization_id = p_organization_id AND r.id = d.scan_run_id
        LIMIT 1) run ON true
      LEFT JOIN LATERAL (
        SELECT s.current_run_id, s.current_ordered_at FROM services s
        WHERE s.organization_id = p_organization_id AND s.id = run.service_id
        LIMIT 1) service ON true
    )
    SELECT w.scan_run_id, w.snapshot_id, w.snapshot_id IS NOT DISTINCT FROM coalesce(
        (SELECT earlier.snapshot_id FROM waiting earlier
         WHERE earlier.service_id = w.service_id AND earlier.promote
           AND (earlier.ordered_at, earlier.id) < (w.ordered_at, w.id)
           AND (w.current_run_id IS NULL
                OR (earlier.ordered_at, earlier.id) > (w.current_ordered_at, w.current_run_id))
         ORDER BY earlier.ordered_at DESC, earlier.id DESC LIMIT 1),
        (SELECT c.snapshot_id FROM scan_runs c
         WHERE c.organization_id = p_organization_id AND c.id = w.current_run_id)) AS unchanged
    FROM waiting w
  LOOP
    DELETE FROM scan_payloads p
    WHERE p.organization_id = p_organization_id AND p.scan_run_id = v_judged.scan_run_id
    RETURNING p.body_hash, p.contract_version INTO v_body_hash, v_contract_version;
    UPDATE scan_runs r
    SET status = 'completed', snapshot_id = v_judged.snapshot_id, completed_at = now(), unchanged = v_judged.unchanged
    WHERE r.organization_id = p_organization_id AND r.id = v_judged.scan_run_id AND r.status = 'accepted'
    RETURNING * INTO v_run;
    CONTINUE WHEN NOT FOUND;
    v_done := v_done || v_run;
    -- What another contract took may mean something else to this one: no receipt, and it is read anew when it comes
    -- again.
    IF v_contract_version = p_contract_version THEN
      v_receipt_ids := v_receipt_ids || v_run.id;
      v_receipt_hashes := v_receipt_hashes || v_body_hash;
    END IF;
  END LOOP;

  INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
  SELECT p_organization_id, d.service_id, d.snapshot_id, min(d.ordered_at), max(d.ordered_at)
  FROM unnest(v_done) d
  GROUP BY d.service_id, d.snapshot_id
  ON CONFLICT (organization_id, service_id, snapshot_id) DO UPDATE
    SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
    WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at;

  FOR v_judged IN
    SELECT DISTINCT ON (d.service_id) d.service_id, d.id, d.ordered_at
    FROM unnest(v_done) d
    WHERE d.promote
    ORDER BY d.service_id, d.ordered_at DESC, d.id DESC
  LOOP
    UPDATE services s SET current_run_id = v_judged.id, current_ordered_at = v_judged.ordered_at
    WHERE s.organization_id = p_organization_id AND s.id = v_judged.service_id
      AND (s.current_run_id IS NULL
           OR (v_judged.ordered_at, v_judged.id) > (s.current_ordered_at, s.current_run_id));
  END LOOP;

  INSERT INTO scan_receipts (organization_id, contract_version, body_hash, service_id, spec_hash, spec_format,
                             spec_version, spec_title, endpoint_count, finding_count, snapshot_id)
  SELECT p_organization_id, p_contract_version, e.body_hash, d.service_id, d.spec_hash, d.spec_format,
         d.spec_version, d.spec_title, d.endpoint_count, d.finding_count, d.snapshot_id
  FROM unnest(v_receipt_ids, v_receipt_hashes) AS e (scan_run_id, body_hash)
  JOIN unnest(v_done) d ON d.id = e.scan_run_id
  ORDER BY e.body_hash
  ON CONFLICT (organization_id, contract_version, body_hash) DO NOTHING;
END
$$;

-- As before, key by key.
CREATE OR REPLACE FUNCTION claim_scan_payloads(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (
  organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, body bytea, body_encoding text,
  body_hash bytea, contract_version integer, endpoint_row_type oid, finding_row_type oid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
DECLARE
  v_together_max constant integer := 2;
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_wrapped boolean := false;
  v_fitting record;
BEGIN
  LOOP
    SELECT p.organization_id INTO v_organization_id
    FROM scan_payloads p
    WHERE p.available_at <= now() AND p.organization_id > v_after
    ORDER BY p.organization_id
    LIMIT 1;

    IF v_organization_id IS NULL THEN
      EXIT WHEN v_wrapped;
      v_wrapped := true;
      v_after := '00000000-0000-0000-0000-000000000000';
      CONTINUE;
    END IF;

    FOR v_fitting IN
      WITH due AS (
        SELECT p.scan_run_id, p.body_bytes, p.available_at,
               p.attempts >= v_together_max AS suspect
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now()
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      )
      SELECT d.scan_run_id, d.suspect FROM (
        SELECT due.scan_run_id, due.suspect,
               sum(due.body_bytes) FILTER (WHERE NOT due.suspect) OVER w AS total_bytes,
               row_number() OVER w AS place,
               due.suspect OR first_value(due.suspect) OVER w AS alone
        FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
      ) d WHERE d.place = 1 OR (NOT d.alone AND d.total_bytes <= p_bytes_max)
    LOOP
      RETURN QUERY
        UPDATE scan_payloads p
        SET attempts = p.attempts + 1,
            -- One process works on several claims. Suspects that it took at the same moment come back at moments of
            -- their own, or the one that ends the process would meet the same others there each time.
            available_at = now() + p_lease * (CASE WHEN v_fitting.suspect THEN 1 + random() ELSE 1 END)
        WHERE p.organization_id = v_organization_id AND p.scan_run_id = v_fitting.scan_run_id
        RETURNING p.organization_id, p.scan_run_id, p.attempts, p.attempts_excused, p.body, p.body_encoding,
                  p.body_hash, p.contract_version,
                  'snapshot_endpoint_row'::regtype::oid, 'snapshot_finding_row'::regtype::oid;
    END LOOP;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;

-- Analyzes one table that has grown and never was, and says whether another may be left. Until then the planner takes an
-- organization for a single row, and any index that begins with it for as good as the one of the key. Autovacuum would do
-- it a minute later. Left to it is what is large already, as after a restore: that would take too long here.
CREATE FUNCTION analyze_grown_table() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_table regclass;
BEGIN
  -- One worker is enough.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('waymark analyze_grown_table', 0)) THEN
    RETURN false;
  END IF;
  SELECT c.oid INTO v_table
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relowner = current_user::regrole
    AND c.reltuples < 0
    -- For fewer pages than these the planner takes it for as large anyway.
    AND pg_relation_size(c.oid) BETWEEN 11 * current_setting('block_size')::bigint AND 256 * 1024 * 1024
  ORDER BY c.oid
  LIMIT 1;
  IF v_table IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('ANALYZE (SKIP_LOCKED) %s', v_table);
  RETURN (SELECT c.reltuples >= 0 FROM pg_class c WHERE c.oid = v_table);
END
$$;
REVOKE EXECUTE ON FUNCTION analyze_grown_table() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_grown_table() TO waymark_app;
