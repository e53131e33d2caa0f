-- Scans: accepting, claiming, persisting, collecting. Each function is one round trip and one transaction, and sets the
-- organization for that transaction alone. Those without SECURITY DEFINER run under row-level security.
-- Rows are looked up by key, whatever the planner thinks of the tables' sizes: why, and why these settings and subqueries
-- with LIMIT 1, is in docs/adr/0006-plans-by-key.md.

-- The service that a scan names, if there is one.
CREATE OR REPLACE FUNCTION find_scan_service(p_organization_id uuid, p_service_name text) RETURNS uuid
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  RETURN (SELECT s.id FROM services s WHERE s.organization_id = p_organization_id AND s.name = p_service_name);
END
$$;

-- What a body that came before left: its receipt, its service and whether it equals what is current, and the
-- first answer if this idempotency key was seen. No row when there is neither receipt nor key.
CREATE OR REPLACE FUNCTION find_scan_receipt(
  p_organization_id uuid, p_contract_version integer, p_body_hash bytea, p_idempotency_key text
) RETURNS TABLE (
  service_id uuid, service_name text, endpoint_count integer, finding_count integer, snapshot_id bytea,
  replayed_run_id uuid, replayed_body_hash bytea, replayed_service_id uuid, replayed_service_name text,
  replayed_service_created boolean, replayed_status text, replayed_unchanged boolean,
  replayed_endpoint_count integer, replayed_finding_count integer, replayed_created_at timestamptz
)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  RETURN QUERY
    SELECT s.id, s.name, r.endpoint_count, r.finding_count, r.snapshot_id,
           k.scan_run_id, k.body_hash, ks.id, ks.name, k.service_created, k.answered_status,
           k.answered_unchanged, kr.endpoint_count, kr.finding_count, kr.created_at
    FROM (SELECT 1) one
    LEFT JOIN scan_receipts r
      ON r.organization_id = p_organization_id AND r.contract_version = p_contract_version
      AND r.body_hash = p_body_hash
    LEFT JOIN services s ON s.organization_id = p_organization_id AND s.id = r.service_id
    LEFT JOIN idempotency_keys k
      ON k.organization_id = p_organization_id AND k.key = p_idempotency_key
      AND k.created_at > now() - interval '24 hours'
    LEFT JOIN scan_runs kr ON kr.organization_id = p_organization_id AND kr.id = k.scan_run_id
    LEFT JOIN services ks ON ks.organization_id = p_organization_id AND ks.id = kr.service_id;
END
$$;

-- Takes an idempotency key for a run. False when another run holds it. An identical request in flight holds the
-- key's row: wait for it a moment, then end with lock_not_available (55P03).
CREATE OR REPLACE FUNCTION take_idempotency_key(
  p_organization_id uuid, p_key text, p_body_hash bytea, p_scan_run_id uuid,
  p_service_created boolean, p_status text, p_unchanged boolean
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('lock_timeout', '2s', true);
  INSERT INTO idempotency_keys AS k
    (organization_id, key, body_hash, scan_run_id, service_created, answered_status, answered_unchanged)
  VALUES (p_organization_id, p_key, p_body_hash, p_scan_run_id, p_service_created, p_status, p_unchanged)
  ON CONFLICT (organization_id, key) DO UPDATE
    SET body_hash = excluded.body_hash, scan_run_id = excluded.scan_run_id,
        service_created = excluded.service_created, answered_status = excluded.answered_status,
        answered_unchanged = excluded.answered_unchanged, created_at = now()
    WHERE k.created_at <= now() - interval '24 hours';
  RETURN FOUND;
END
$$;

-- Stores a run of a body that has a receipt: complete at once, on the receipt's snapshot. No row when the receipt
-- is gone (or a foreign key violation, when it goes at this moment) or when the idempotency key is taken.
CREATE OR REPLACE FUNCTION accept_repeated_scan_run(
  p_organization_id uuid, p_scan_run_id uuid, p_contract_version integer, p_body_hash bytea,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid, p_idempotency_key text
) RETURNS TABLE (created_at timestamptz, unchanged boolean)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
DECLARE
  v_receipt scan_receipts;
  v_service services;
  v_unchanged boolean;
  v_ordered_at timestamptz := least(now(), p_scanned_at);
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  SELECT * INTO v_receipt FROM scan_receipts r
  WHERE r.organization_id = p_organization_id AND r.contract_version = p_contract_version
    AND r.body_hash = p_body_hash;
  IF NOT FOUND THEN
    RETURN;
  END IF;

  -- One service's runs are completed one after the other, so that "current" is never a matter of chance.
  SELECT * INTO v_service FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = v_receipt.service_id
  FOR NO KEY UPDATE;
  SELECT EXISTS (
    SELECT FROM scan_runs c
    WHERE c.organization_id = p_organization_id AND c.id = v_service.current_run_id
      AND c.snapshot_id = v_receipt.snapshot_id
  ) INTO v_unchanged;

  IF p_idempotency_key IS NOT NULL AND NOT take_idempotency_key(
    p_organization_id, p_idempotency_key, p_body_hash, p_scan_run_id, false, 'completed', v_unchanged
  ) THEN
    RETURN;
  END IF;

  INSERT INTO scan_runs (
    organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
    endpoint_count, finding_count, snapshot_id, unchanged, promote, ordered_at, created_at, completed_at,
    created_by_key_id
  ) VALUES (
    p_organization_id, p_scan_run_id, v_receipt.service_id, 'completed',
    v_receipt.spec_hash, v_receipt.spec_format, v_receipt.spec_version, v_receipt.spec_title,
    v_receipt.endpoint_count, v_receipt.finding_count, v_receipt.snapshot_id, v_unchanged,
    p_promote, v_ordered_at, now(), now(), p_created_by_key_id
  );
  PERFORM see_snapshot(p_organization_id, v_receipt.service_id, v_receipt.snapshot_id, v_ordered_at);
  IF p_promote THEN
    PERFORM promote_scan_run(p_organization_id, v_receipt.service_id, p_scan_run_id, v_ordered_at);
  END IF;
  RETURN QUERY SELECT now(), v_unchanged;
END
$$;

-- A run of a body that has a receipt, complete when this statement commits: as accept_repeated_scan_run, for callers
-- who may scan into every service and send no idempotency key, so that nothing has to be looked at before. No row
-- when there is no receipt.
CREATE OR REPLACE FUNCTION accept_known_scan_run(
  p_organization_id uuid, p_scan_run_id uuid, p_contract_version integer, p_body_hash bytea,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid
) RETURNS TABLE (
  created_at timestamptz, unchanged boolean, service_id uuid, endpoint_count integer, finding_count integer
)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
DECLARE
  v_receipt scan_receipts;
  v_current_run_id uuid;
  v_current_ordered_at timestamptz;
  v_unchanged boolean;
  v_ordered_at timestamptz := least(now(), p_scanned_at);
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  SELECT * INTO v_receipt FROM scan_receipts r
  WHERE r.organization_id = p_organization_id AND r.contract_version = p_contract_version
    AND r.body_hash = p_body_hash;
  IF NOT FOUND THEN
    RETURN;
  END IF;

  -- One service's runs are completed one after the other, so that "current" is never a matter of chance.
  SELECT s.current_run_id, s.current_ordered_at INTO v_current_run_id, v_current_ordered_at FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = v_receipt.service_id
  FOR NO KEY UPDATE;
  SELECT EXISTS (
    SELECT FROM scan_runs c
    WHERE c.organization_id = p_organization_id AND c.id = v_current_run_id
      AND c.snapshot_id = v_receipt.snapshot_id
  ) INTO v_unchanged;

  INSERT INTO scan_runs (
    organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
    endpoint_count, finding_count, snapshot_id, unchanged, promote, ordered_at, created_at, completed_at,
    created_by_key_id
  ) VALUES (
    p_organization_id, p_scan_run_id, v_receipt.service_id, 'completed',
    v_receipt.spec_hash, v_receipt.spec_format, v_receipt.spec_version, v_receipt.spec_title,
    v_receipt.endpoint_count, v_receipt.finding_count, v_receipt.snapshot_id, v_unchanged,
    p_promote, v_ordered_at, now(), now(), p_created_by_key_id
  );

  INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
  VALUES (p_organization_id, v_receipt.service_id, v_receipt.snapshot_id, v_ordered_at, v_ordered_at)
  ON CONFLICT ON CONSTRAINT service_snapshots_pkey DO UPDATE
    SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
    WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at;

  IF p_promote AND (v_current_run_id IS NULL
                    OR (v_ordered_at, p_scan_run_id) > (v_current_ordered_at, v_current_run_id)) THEN
    UPDATE services s SET current_run_id = p_scan_run_id, current_ordered_at = v_ordered_at
    WHERE s.organization_id = p_organization_id AND s.id = v_receipt.service_id;
  END IF;
  RETURN QUERY SELECT now(), v_unchanged, v_receipt.service_id, v_receipt.endpoint_count, v_receipt.finding_count;
END
$$;

-- As accept_known_scan_run, for several runs of one organization, whose hashes follow one another in p_body_hashes.
-- They count in the order given, so that `unchanged` and "current" are what single calls one after the other would
-- have made them. No row for a run whose body has no receipt. A run of a service that another transaction has locked is
-- not stored and comes back without times: its caller asks again for it alone.
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

-- Stores a run, its payload, its idempotency key and, where there is none yet, its service: all or nothing. The
-- service is p_service_id; or, for callers who may both make and change every service, whichever has the name
-- (p_find_service); or else a new one: then WM001 is raised when somebody else made it meanwhile.
-- No row when the idempotency key is taken: the caller reads the target again and answers from what it finds.
CREATE OR REPLACE FUNCTION accept_new_scan_run(
  p_organization_id uuid, p_scan_run_id uuid,
  p_service_id uuid, p_find_service boolean, p_new_service_id uuid, p_service_name text,
  p_spec_hash text, p_spec_format text, p_spec_version text, p_spec_title text,
  p_endpoint_count integer, p_finding_count integer,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid,
  p_body bytea, p_body_encoding text, p_body_bytes integer,
  p_idempotency_key text, p_body_hash bytea, p_contract_version integer, p_trace_parent text
) RETURNS TABLE (created_at timestamptz, service_id uuid)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
DECLARE
  v_service_id uuid := p_service_id;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  IF p_find_service THEN
    SELECT s.id INTO v_service_id FROM services s
    WHERE s.organization_id = p_organization_id AND s.name = p_service_name;
  END IF;

  IF p_idempotency_key IS NOT NULL AND NOT take_idempotency_key(
    p_organization_id, p_idempotency_key, p_body_hash, p_scan_run_id, v_service_id IS NULL, 'accepted', false
  ) THEN
    RETURN;
  END IF;

  IF v_service_id IS NULL THEN
    v_service_id := p_new_service_id;
    INSERT INTO services (organization_id, id, name)
    VALUES (p_organization_id, v_service_id, p_service_name)
    ON CONFLICT (organization_id, name) DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'service exists' USING ERRCODE = 'WM001';
    END IF;
  END IF;

  INSERT INTO scan_payloads
    (organization_id, scan_run_id, body, body_encoding, body_hash, body_bytes, contract_version, trace_parent)
  VALUES (p_organization_id, p_scan_run_id, p_body, p_body_encoding, p_body_hash, p_body_bytes,
          p_contract_version, p_trace_parent);

  INSERT INTO scan_runs (
    organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
    endpoint_count, finding_count, promote, ordered_at, created_at, created_by_key_id
  ) VALUES (
    p_organization_id, p_scan_run_id, v_service_id, 'accepted',
    p_spec_hash, p_spec_format, p_spec_version, p_spec_title,
    p_endpoint_count, p_finding_count, p_promote, least(now(), p_scanned_at), now(), p_created_by_key_id
  );
  RETURN QUERY SELECT now(), v_service_id;
END
$$;

-- As accept_new_scan_run where it finds the service by its name and there is no idempotency key, for several runs of one
-- organization; all or nothing. p_runs is an array of objects, one for each run, whose hashes follow one another in
-- p_body_hashes and whose bodies, each "body_length" long, in p_bodies.
CREATE OR REPLACE FUNCTION accept_new_scan_runs(
  p_organization_id uuid, p_contract_version integer, p_runs json, p_scanned_at timestamptz[],
  p_body_hashes bytea, p_bodies bytea
) RETURNS TABLE (place integer, created_at timestamptz, service_id uuid)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
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

-- Moves a service's current run forward, never back: newer is (ordered_at, id).
CREATE OR REPLACE FUNCTION promote_scan_run(
  p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_ordered_at timestamptz
) RETURNS void
LANGUAGE sql
AS $$
  UPDATE services s SET current_run_id = p_scan_run_id, current_ordered_at = p_ordered_at
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id
    AND (s.current_run_id IS NULL OR (p_ordered_at, p_scan_run_id) > (s.current_ordered_at, s.current_run_id))
$$;

-- Widens the time in which a service was seen with this content.
CREATE OR REPLACE FUNCTION see_snapshot(
  p_organization_id uuid, p_service_id uuid, p_snapshot_id bytea, p_seen_at timestamptz
) RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
  VALUES (p_organization_id, p_service_id, p_snapshot_id, p_seen_at, p_seen_at)
  ON CONFLICT (organization_id, service_id, snapshot_id) DO UPDATE
    SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
    WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at
$$;

-- Claims waiting runs of one organization, the next one after p_after_organization_id that has any: the oldest, up to
-- p_limit and up to p_bytes_max of decoded bodies, but at least one. A claim is a lease: a run that is not finished when
-- it ends is claimed again. A run that was claimed twice and not finished is claimed alone from then on, since it may
-- be what ended its worker. The row types' ids are this database's own.
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

-- Extends the leases of these runs, as far as they are still the caller's and nobody is writing to them just now: who
-- is has them locked, and needs no lease meanwhile.
CREATE OR REPLACE FUNCTION extend_scan_leases(
  p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_lease interval
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_extended integer;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  UPDATE scan_payloads p SET available_at = now() + p_lease
  FROM (
    SELECT held.scan_run_id
    FROM scan_payloads held
    JOIN unnest(p_scan_run_ids, p_attempts) AS claimed (scan_run_id, attempt)
      ON claimed.scan_run_id = held.scan_run_id AND claimed.attempt = held.attempts
    WHERE held.organization_id = p_organization_id AND held.available_at IS NOT NULL
    FOR UPDATE OF held SKIP LOCKED
  ) held
  WHERE p.organization_id = p_organization_id AND p.scan_run_id = held.scan_run_id;
  GET DIAGNOSTICS v_extended = ROW_COUNT;
  RETURN v_extended;
END
$$;

-- Persists runs of one organization: their contents' rows where they are not stored yet, and the runs' completion.
-- A run whose lease is no longer the caller's (its attempt is not the last) is left alone. Doing it twice is the same
-- as doing it once. Each p_snapshot_ids belongs to the run at its place; the rows may be in any order.
CREATE OR REPLACE FUNCTION persist_scan_runs(
  p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_snapshot_ids bytea[],
  p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[], p_contract_version integer
) RETURNS TABLE (completed integer, row_count integer)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_material = off
SET random_page_cost = 0
SET seq_page_cost = 0
AS $$
DECLARE
  v_held uuid[];
  v_snapshot_ids bytea[];
  v_missing bytea[];
  v_row_count integer := 0;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  SELECT array_agg(h.scan_run_id), array_agg(DISTINCT h.snapshot_id ORDER BY h.snapshot_id)
  INTO v_held, v_snapshot_ids
  FROM (
    SELECT p.scan_run_id, claimed.snapshot_id
    FROM scan_payloads p
    JOIN unnest(p_scan_run_ids, p_attempts, p_snapshot_ids) AS claimed (scan_run_id, attempt, snapshot_id)
      ON claimed.scan_run_id = p.scan_run_id AND claimed.attempt = p.attempts
    WHERE p.organization_id = p_organization_id AND p.available_at IS NOT NULL
    ORDER BY p.scan_run_id
    FOR UPDATE OF p
  ) h;
  IF v_held IS NULL THEN
    RETURN QUERY SELECT 0, 0;
    RETURN;
  END IF;

  v_missing := ARRAY(SELECT lock_missing_snapshots(p_organization_id, v_snapshot_ids));
  IF cardinality(v_missing) > 0 THEN
    v_row_count := insert_snapshots(p_organization_id, v_missing, p_endpoints, p_findings);
  END IF;
  PERFORM complete_scan_runs(p_organization_id, v_held,
    ARRAY(SELECT claimed.snapshot_id FROM unnest(v_held) WITH ORDINALITY AS held (id, place)
          JOIN unnest(p_scan_run_ids, p_snapshot_ids) AS claimed (id, snapshot_id) ON claimed.id = held.id
          ORDER BY held.place),
    p_contract_version);
  RETURN QUERY SELECT cardinality(v_held), v_row_count;
END
$$;

-- Returns the given snapshots that are not stored yet, each locked until the transaction ends, in order, so that two
-- workers with the same content wait and never deadlock. Stored ones are locked against deletion, but not against other
-- readers: the collection either sees this lock and skips them, or is waited for, and then the snapshot is missing.
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

-- Stores the rows of these snapshots and then the snapshots. Their counts are checked against the rows really inserted:
-- the same rows are counted as are inserted, and the sums must agree. Counting them while they are inserted (RETURNING)
-- costs a tenth more.
CREATE OR REPLACE FUNCTION insert_snapshots(
  p_organization_id uuid, p_snapshot_ids bytea[],
  p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[]
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_endpoint_count integer;
  v_finding_count integer;
  v_counted integer;
BEGIN
  IF p_organization_id IS DISTINCT FROM current_organization_id() THEN
    RAISE EXCEPTION 'snapshots of another organization' USING ERRCODE = 'insufficient_privilege';
  END IF;

  INSERT INTO snapshot_endpoints
    (organization_id, snapshot_id, ordinal, method, path, operation_id, tags, summary)
  SELECT p_organization_id, e.snapshot_id, e.ordinal, e.method, e.path, e.operation_id, e.tags, e.summary
  FROM unnest(p_endpoints) e
  WHERE e.snapshot_id = ANY (p_snapshot_ids);
  GET DIAGNOSTICS v_endpoint_count = ROW_COUNT;

  INSERT INTO snapshot_findings
    (organization_id, snapshot_id, ordinal, code, severity, message, method, path)
  SELECT p_organization_id, f.snapshot_id, f.ordinal, f.code, f.severity, f.message, f.method, f.path
  FROM unnest(p_findings) f
  WHERE f.snapshot_id = ANY (p_snapshot_ids);
  GET DIAGNOSTICS v_finding_count = ROW_COUNT;

  WITH endpoint_counts AS (
    SELECT e.snapshot_id, count(*) AS total FROM unnest(p_endpoints) e GROUP BY e.snapshot_id
  ), finding_counts AS (
    SELECT s.snapshot_id, sum(s.total) AS total, jsonb_object_agg(s.severity, s.total) AS by_severity
    FROM (SELECT f.snapshot_id, f.severity, count(*) AS total
          FROM unnest(p_findings) f GROUP BY f.snapshot_id, f.severity) AS s
    GROUP BY s.snapshot_id
  ), added AS (
    INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
    SELECT p_organization_id, n.id, coalesce(e.total, 0), coalesce(f.total, 0), coalesce(f.by_severity, '{}')
    FROM unnest(p_snapshot_ids) AS n (id)
    LEFT JOIN endpoint_counts e ON e.snapshot_id = n.id
    LEFT JOIN finding_counts f ON f.snapshot_id = n.id
    ORDER BY n.id
    RETURNING endpoint_count + finding_count AS total
  )
  SELECT sum(total) INTO v_counted FROM added;
  IF v_counted IS DISTINCT FROM v_endpoint_count + v_finding_count THEN
    RAISE EXCEPTION 'snapshots of % rows, but % were inserted', v_counted, v_endpoint_count + v_finding_count
      USING ERRCODE = 'data_exception';
  END IF;
  RETURN v_counted;
END
$$;

-- Marks runs completed, moves their services' current run forward, and turns their payloads into receipts. Runs of
-- one service count in their order, so that `unchanged` is true for what equals the current run at that point: the
-- newest promoted run that is older, one of this batch or else what the service has now.
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

-- Deletes up to p_limit snapshots older than a day that no run refers to, with their rows and receipts. A row lock
-- keeps new runs from referring to them meanwhile. Returns how many.
CREATE OR REPLACE FUNCTION collect_unused_snapshots(p_organization_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_ids bytea[];
BEGIN
  IF p_organization_id IS DISTINCT FROM current_organization_id() THEN
    RAISE EXCEPTION 'snapshots of another organization' USING ERRCODE = 'insufficient_privilege';
  END IF;
  v_ids := ARRAY(
    SELECT n.id FROM snapshots n
    WHERE n.organization_id = p_organization_id AND n.created_at < now() - interval '1 day' AND NOT EXISTS (
      SELECT FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.snapshot_id = n.id)
    ORDER BY n.id
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED);
  -- Looked at again under the lock: a run may have been committed between that look and the lock.
  v_ids := ARRAY(
    SELECT n.id FROM unnest(v_ids) AS n (id)
    WHERE NOT EXISTS (SELECT FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.snapshot_id = n.id));

  DELETE FROM scan_receipts r WHERE r.organization_id = p_organization_id AND r.snapshot_id = ANY (v_ids);
  DELETE FROM service_snapshots n WHERE n.organization_id = p_organization_id AND n.snapshot_id = ANY (v_ids);
  -- Before their rows, which are kept as long as the snapshot is there.
  DELETE FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = ANY (v_ids);
  DELETE FROM snapshot_endpoints e WHERE e.organization_id = p_organization_id AND e.snapshot_id = ANY (v_ids);
  DELETE FROM snapshot_findings f WHERE f.organization_id = p_organization_id AND f.snapshot_id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;

-- At most p_limit runs are counted, and of each organization only the oldest is looked at: what waits must not be
-- able to make looking at it expensive. Ids are in the order of their making, so the smallest is the oldest.
CREATE OR REPLACE FUNCTION sample_scan_backlog(p_limit integer)
RETURNS TABLE (unfinished integer, oldest_age_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
  WITH RECURSIVE waiting (organization_id) AS (
    (SELECT p.organization_id FROM scan_payloads p
     WHERE p.available_at IS NOT NULL ORDER BY p.organization_id LIMIT 1)
    UNION ALL
    SELECT (SELECT p.organization_id FROM scan_payloads p
            WHERE p.available_at IS NOT NULL AND p.organization_id > w.organization_id
            ORDER BY p.organization_id LIMIT 1)
    FROM waiting w WHERE w.organization_id IS NOT NULL
  )
  SELECT
    (SELECT count(*)::integer FROM (
       SELECT FROM scan_payloads p WHERE p.available_at IS NOT NULL LIMIT p_limit) counted),
    coalesce(extract(epoch FROM now() - (
      SELECT min(r.created_at)
      FROM waiting w
      CROSS JOIN LATERAL (
        SELECT p.scan_run_id FROM scan_payloads p
        WHERE p.organization_id = w.organization_id AND p.available_at IS NOT NULL
        ORDER BY p.scan_run_id LIMIT 1) p
      JOIN scan_runs r ON r.organization_id = w.organization_id AND r.id = p.scan_run_id)), 0)::double precision
$$;

-- Where the traces of these runs began; runs that nobody traces are left out.
CREATE OR REPLACE FUNCTION find_trace_parents(p_organization_id uuid, p_scan_run_ids uuid[])
RETURNS TABLE (scan_run_id uuid, trace_parent text)
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  RETURN QUERY
    SELECT p.scan_run_id, p.trace_parent FROM scan_payloads p
    WHERE p.organization_id = p_organization_id AND p.scan_run_id = ANY (p_scan_run_ids)
      AND p.trace_parent IS NOT NULL;
END
$$;
