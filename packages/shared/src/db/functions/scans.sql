-- The way of a scan: accepted by accept_scan_run, and where rows were missing claimed and persisted by a worker. All but those
-- that say SECURITY DEFINER run with the caller's rights, under row-level security; each sets the organization itself, for its
-- transaction alone. What is looked up is looked up by a whole key, so that plans are right for tables of any size.

-- Accepts one scan, or says what is missing for it. One call is one round trip; several calls in one statement share its commit.
--
-- outcome is
--   completed, accepted: stored. Complete at once, or waiting for a worker that stores the rows sent with it.
--   replayed: the first answer to this idempotency key.       key_used: it was used for another scan.
--   content_needed: nothing is known of these bytes. base_chunks are what the service p_service_id has now.
--   chunks_needed: missing_chunks are not stored and were not sent.
--   permission_needed: service_id and service_name say where; service_id is null where there is no such service.
--   locked: others work on the service, and p_may_wait is false.
-- Raises WM001 when a service or a key appeared at this moment: ask again.
-- Raises WM002 above a limit per day. Locks are waited for 2 s at most, for 0.2 s where p_may_wait is false.
CREATE OR REPLACE FUNCTION accept_scan_run(
  p_organization_id uuid, p_scan_run_id uuid, p_created_by_key_id uuid,
  p_body_hash bytea, p_contract_version integer, p_idempotency_key text,
  p_promote boolean, p_scanned_at timestamptz, p_trace_parent text, p_may_wait boolean,
  -- Whether the caller may make the service that the content names; update any that it names; update this one.
  p_may_create boolean, p_may_update boolean, p_service_id uuid,
  -- Null where the caller has not read it: the body without its items, and newServiceId, snapshotId, endpointCount,
  -- findingCount. Beside it the content's chunks, those sent, and their packed items.
  p_content jsonb, p_endpoint_chunks uuid[], p_finding_chunks uuid[], p_sent_chunks uuid[], p_items bytea, p_items_bytes integer,
  -- Counted in the organization's day where one of the limits is not null.
  p_body_bytes bigint, p_scans_max bigint, p_bytes_max bigint,
  OUT outcome text, OUT run_id uuid, OUT created_at timestamptz, OUT unchanged boolean, OUT service_id uuid, OUT service_name text,
  OUT service_is_new boolean, OUT endpoint_count integer, OUT finding_count integer,
  OUT base_chunks uuid[], OUT missing_chunks uuid[], OUT usage json
)
LANGUAGE plpgsql
SET random_page_cost = 0
AS $$
#variable_conflict use_column
DECLARE
  v_run scan_runs;
  v_service services;
  v_is_stored boolean := true;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true),
          set_config('lock_timeout', CASE WHEN p_may_wait THEN '2s' ELSE '200ms' END, true);

  IF p_idempotency_key IS NOT NULL THEN
    SELECT * INTO outcome, run_id, created_at, unchanged, service_id, service_name, service_is_new, endpoint_count, finding_count
    FROM find_replay(p_organization_id, p_idempotency_key, p_body_hash, p_content);
    IF outcome IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;

  -- Which run it is, and of which service.
  IF p_content IS NULL THEN
    SELECT * INTO v_run FROM scan_runs r
    WHERE r.organization_id = p_organization_id AND r.body_hash = p_body_hash
      AND r.status = 'completed' AND r.contract_version = p_contract_version
    LIMIT 1;
    IF NOT FOUND OR NOT lock_snapshot(p_organization_id, v_run.snapshot_id) THEN
      outcome := 'content_needed';
      base_chunks := (SELECT n.endpoint_chunks || n.finding_chunks FROM find_current_snapshot(p_organization_id, p_service_id) n);
      RETURN;
    END IF;
    SELECT * INTO v_service FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id;
    v_run.body_hash := NULL;
  ELSE
    v_run.organization_id := p_organization_id;
    v_run.spec_hash := p_content->'spec'->>'hash';
    v_run.spec_format := p_content->'spec'->>'format';
    v_run.spec_version := p_content->'spec'->>'version';
    v_run.spec_title := p_content->'spec'->>'title';
    v_run.endpoint_count := p_content->'endpointCount';
    v_run.finding_count := p_content->'findingCount';
    v_run.snapshot_id := p_content->>'snapshotId';
    v_run.body_hash := p_body_hash;
    v_run.contract_version := p_contract_version;
    SELECT * INTO v_service FROM services s
    WHERE s.organization_id = p_organization_id AND s.name = p_content->'service'->>'name';
  END IF;
  service_id := v_service.id;
  service_name := coalesce(v_service.name, p_content->'service'->>'name');
  endpoint_count := v_run.endpoint_count;
  finding_count := v_run.finding_count;
  IF NOT (CASE WHEN v_service.id IS NULL THEN p_may_create
               ELSE p_may_update OR v_service.id IS NOT DISTINCT FROM p_service_id END) THEN
    outcome := 'permission_needed';
    RETURN;
  END IF;

  -- Whether all of its content is stored.
  IF p_content IS NOT NULL THEN
    v_is_stored := lock_snapshot(p_organization_id, v_run.snapshot_id);
    IF NOT v_is_stored THEN
      missing_chunks := lock_missing_chunks(p_organization_id, v_service.id,
        ARRAY(SELECT unnest(p_endpoint_chunks || p_finding_chunks) EXCEPT SELECT unnest(p_sent_chunks)));
      IF cardinality(missing_chunks) > 0 THEN
        outcome := 'chunks_needed';
        RETURN;
      END IF;
    END IF;
  END IF;
  outcome := CASE WHEN v_is_stored OR cardinality(p_sent_chunks) = 0 THEN 'completed' ELSE 'accepted' END;

  -- One service's runs are completed one after the other, so that "current" is never a matter of chance.
  IF outcome = 'completed' AND v_service.id IS NOT NULL THEN
    IF p_may_wait THEN
      PERFORM FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_service.id FOR NO KEY UPDATE;
    ELSE
      PERFORM FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_service.id FOR NO KEY UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        outcome := 'locked';
        RETURN;
      END IF;
    END IF;
  END IF;

  -- From here on things are stored, and every fault is an exception.
  service_is_new := v_service.id IS NULL;
  IF service_is_new THEN
    service_id := p_content->>'newServiceId';
    INSERT INTO services (organization_id, id, name) VALUES (p_organization_id, service_id, service_name)
    ON CONFLICT (organization_id, name) DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the service was created at this moment' USING ERRCODE = 'WM001';
    END IF;
  END IF;
  IF p_idempotency_key IS NOT NULL THEN
    INSERT INTO idempotency_keys AS k (organization_id, key, body_hash, scan_run_id)
    VALUES (p_organization_id, p_idempotency_key, p_body_hash, p_scan_run_id)
    ON CONFLICT (organization_id, key) DO UPDATE
      SET body_hash = excluded.body_hash, scan_run_id = excluded.scan_run_id, created_at = now()
      WHERE k.created_at <= now() - interval '24 hours';
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the idempotency key was used at this moment' USING ERRCODE = 'WM001';
    END IF;
  END IF;

  run_id := p_scan_run_id;
  created_at := now();
  v_run.id := p_scan_run_id;
  v_run.service_id := service_id;
  v_run.status := outcome;
  v_run.promote := p_promote;
  v_run.created_at := now();
  v_run.ordered_at := least(now(), p_scanned_at);
  v_run.created_by_key_id := p_created_by_key_id;
  v_run.unchanged := false;
  IF outcome = 'completed' THEN
    IF NOT v_is_stored THEN
      PERFORM store_snapshot(p_organization_id, v_run.snapshot_id, p_endpoint_chunks, p_finding_chunks,
                             v_run.endpoint_count, v_run.finding_count);
    END IF;
    v_run.unchanged := apply_snapshot(p_organization_id, service_id, v_run.id, v_run.snapshot_id, v_run.ordered_at, p_promote);
    v_run.completed_at := now();
  ELSE
    INSERT INTO scan_payloads (organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks, items, items_bytes,
                               trace_parent)
    VALUES (p_organization_id, v_run.id, v_run.snapshot_id, p_endpoint_chunks, p_finding_chunks, p_items, p_items_bytes,
            p_trace_parent);
    v_run.snapshot_id := NULL;
  END IF;
  INSERT INTO scan_runs SELECT v_run.*;
  unchanged := v_run.unchanged;

  IF p_scans_max IS NOT NULL OR p_bytes_max IS NOT NULL THEN
    SELECT json_build_object('scans', c.scans, 'bytes', c.bytes, 'resetSeconds', c.reset_seconds) INTO usage
    FROM count_accepted_scans(p_organization_id, 1, p_body_bytes, p_scans_max, p_bytes_max) c;
  END IF;
END
$$;

-- What an idempotency key of the last 24 hours was used for. A null outcome: for nothing. The same scan is the same bytes, or
-- where those differ (compressed anew, say) the same content.
CREATE OR REPLACE FUNCTION find_replay(
  p_organization_id uuid, p_idempotency_key text, p_body_hash bytea, p_content jsonb,
  OUT outcome text, OUT run_id uuid, OUT created_at timestamptz, OUT unchanged boolean, OUT service_id uuid, OUT service_name text,
  OUT service_is_new boolean, OUT endpoint_count integer, OUT finding_count integer
)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  v_key idempotency_keys;
  v_run scan_runs;
  v_service services;
  v_is_same boolean;
BEGIN
  SELECT * INTO v_key FROM idempotency_keys k
  WHERE k.organization_id = p_organization_id AND k.key = p_idempotency_key AND k.created_at > now() - interval '24 hours';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO v_run FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = v_key.scan_run_id;
  SELECT * INTO v_service FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id;
  v_is_same := v_key.body_hash = p_body_hash;
  IF NOT v_is_same THEN
    IF p_content IS NULL THEN
      outcome := 'content_needed';
      RETURN;
    END IF;
    v_is_same := (v_service.name, v_run.spec_hash, v_run.spec_format, v_run.spec_version, v_run.spec_title,
                  coalesce(v_run.snapshot_id, (SELECT p.snapshot_id FROM scan_payloads p
                                               WHERE p.organization_id = p_organization_id AND p.scan_run_id = v_run.id)))
      IS NOT DISTINCT FROM
      (p_content->'service'->>'name', p_content->'spec'->>'hash', p_content->'spec'->>'format', p_content->'spec'->>'version',
       p_content->'spec'->>'title', (p_content->>'snapshotId')::uuid);
  END IF;
  outcome := CASE WHEN v_is_same THEN 'replayed' ELSE 'key_used' END;
  run_id := v_run.id;
  created_at := v_run.created_at;
  -- What was completed later was answered as accepted.
  unchanged := CASE WHEN v_run.completed_at = v_run.created_at THEN v_run.unchanged END;
  service_id := v_service.id;
  service_name := v_service.name;
  service_is_new := v_service.created_at = v_run.created_at;
  endpoint_count := v_run.endpoint_count;
  finding_count := v_run.finding_count;
END
$$;

-- The content of a service's current run.
CREATE OR REPLACE FUNCTION find_current_snapshot(p_organization_id uuid, p_service_id uuid) RETURNS SETOF snapshots
LANGUAGE plpgsql STABLE ROWS 1
AS $$
DECLARE
  v_run_id uuid;
  v_snapshot_id uuid;
BEGIN
  SELECT s.current_run_id INTO v_run_id FROM services s WHERE s.organization_id = p_organization_id AND s.id = p_service_id;
  SELECT r.snapshot_id INTO v_snapshot_id FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = v_run_id;
  RETURN QUERY SELECT * FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = v_snapshot_id;
END
$$;

-- Gives a service, whose row the caller has locked, the content of one of its runs. True when that is what it has already.
CREATE OR REPLACE FUNCTION apply_snapshot(
  p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_snapshot_id uuid, p_ordered_at timestamptz, p_promote boolean
) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_current_run_id uuid;
  v_is_unchanged boolean;
BEGIN
  SELECT s.current_run_id INTO v_current_run_id FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id;
  v_is_unchanged := EXISTS (
    SELECT FROM scan_runs r
    WHERE r.organization_id = p_organization_id AND r.id = v_current_run_id AND r.snapshot_id = p_snapshot_id);
  INSERT INTO service_snapshots AS n (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
  VALUES (p_organization_id, p_service_id, p_snapshot_id, p_ordered_at, p_ordered_at)
  ON CONFLICT (organization_id, service_id, snapshot_id) DO UPDATE
    SET first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
    WHERE n.first_seen_at > excluded.first_seen_at OR n.last_seen_at < excluded.last_seen_at;
  IF p_promote THEN
    PERFORM promote_scan_run(p_organization_id, p_service_id, p_scan_run_id, p_ordered_at);
  END IF;
  RETURN v_is_unchanged;
END
$$;

-- Moves a service's current run forward, never back: newer is (ordered_at, id).
CREATE OR REPLACE FUNCTION promote_scan_run(
  p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_ordered_at timestamptz
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE services s SET current_run_id = p_scan_run_id, current_ordered_at = p_ordered_at
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id
    AND (s.current_run_id IS NULL OR (p_ordered_at, p_scan_run_id) > (s.current_ordered_at, s.current_run_id));
END
$$;

-- Whether this content is stored. Then it is not deleted until the transaction ends. Locked before anything that refers to it is
-- written: its deletion locks in this order, too.
CREATE OR REPLACE FUNCTION lock_snapshot(p_organization_id uuid, p_snapshot_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  PERFORM FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = p_snapshot_id FOR KEY SHARE;
  RETURN FOUND;
END
$$;

-- Of these chunks those that are not stored. The others can't be collected until the transaction ends: the service's current
-- snapshot, which has most of them, is locked, and the rest one by one. It locks, which takes its owner's rights.
CREATE OR REPLACE FUNCTION lock_missing_chunks(p_organization_id uuid, p_service_id uuid, p_chunks uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_base uuid[];
  v_chunk uuid;
  v_missing uuid[] := '{}';
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  IF cardinality(p_chunks) = 0 THEN
    RETURN p_chunks;
  END IF;
  SELECT n.endpoint_chunks || n.finding_chunks INTO v_base
  FROM snapshots n
  WHERE n.organization_id = p_organization_id
    AND n.id = (SELECT c.id FROM find_current_snapshot(p_organization_id, p_service_id) c)
  FOR KEY SHARE;
  FOR v_chunk IN SELECT unnest(p_chunks) EXCEPT SELECT unnest(v_base) LOOP
    PERFORM FROM chunks c WHERE c.organization_id = p_organization_id AND c.id = v_chunk FOR KEY SHARE;
    IF NOT FOUND THEN
      v_missing := v_missing || v_chunk;
    END IF;
  END LOOP;
  RETURN v_missing;
END
$$;

-- Content is written by the two functions that follow only, and deleted by the two at the end.

-- Stores these rows and their chunks, as far as a chunk is not stored yet. Returns how many rows were written.
CREATE OR REPLACE FUNCTION store_chunks(
  p_organization_id uuid, p_endpoints chunk_endpoint_row[], p_findings chunk_finding_row[]
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_new uuid[];
  v_expected bigint;
  v_endpoints integer;
  v_findings integer;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  WITH counted AS (
    SELECT e.chunk_id, count(*) AS endpoints, 0 AS info, 0 AS low, 0 AS medium, 0 AS high, 0 AS critical
    FROM unnest(p_endpoints) e GROUP BY e.chunk_id
    UNION ALL
    SELECT f.chunk_id, 0, count(*) FILTER (WHERE f.severity = 'info'), count(*) FILTER (WHERE f.severity = 'low'),
           count(*) FILTER (WHERE f.severity = 'medium'), count(*) FILTER (WHERE f.severity = 'high'),
           count(*) FILTER (WHERE f.severity = 'critical')
    FROM unnest(p_findings) f GROUP BY f.chunk_id
  ), added AS (
    INSERT INTO chunks AS c
      (organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count)
    SELECT p_organization_id, n.chunk_id, n.endpoints, n.info, n.low, n.medium, n.high, n.critical FROM counted n
    -- In one order: two who store the same chunks wait for one another, and never in a circle.
    ORDER BY n.chunk_id
    -- Changes nothing, but locks the chunk that is there against its collection.
    ON CONFLICT (organization_id, id) DO UPDATE SET endpoint_count = c.endpoint_count WHERE false
    RETURNING c.id, c.endpoint_count + c.finding_count AS total
  )
  SELECT array_agg(a.id), sum(a.total) INTO v_new, v_expected FROM added a;

  INSERT INTO chunk_endpoints (organization_id, chunk_id, ordinal, method, path, operation_id, tags, summary)
  SELECT p_organization_id, e.chunk_id, e.ordinal, e.method, e.path, e.operation_id, e.tags, e.summary
  FROM unnest(p_endpoints) e JOIN unnest(v_new) AS n (id) ON n.id = e.chunk_id;
  GET DIAGNOSTICS v_endpoints = ROW_COUNT;
  INSERT INTO chunk_findings (organization_id, chunk_id, ordinal, code, severity, message, method, path)
  SELECT p_organization_id, f.chunk_id, f.ordinal, f.code, f.severity, f.message, f.method, f.path
  FROM unnest(p_findings) f JOIN unnest(v_new) AS n (id) ON n.id = f.chunk_id;
  GET DIAGNOSTICS v_findings = ROW_COUNT;
  IF v_endpoints + v_findings <> coalesce(v_expected, 0) THEN
    RAISE EXCEPTION 'chunks of % rows, but % were inserted', v_expected, v_endpoints + v_findings USING ERRCODE = 'data_exception';
  END IF;
  RETURN v_endpoints + v_findings;
END
$$;

-- Stores a list of chunks as a snapshot, unless it is stored. Raises WM003 when a chunk is missing or the counts are not these.
CREATE OR REPLACE FUNCTION store_snapshot(
  p_organization_id uuid, p_snapshot_id uuid, p_endpoint_chunks uuid[], p_finding_chunks uuid[],
  p_endpoint_count integer, p_finding_count integer
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_endpoint_chunks bigint;
  v_finding_chunks bigint;
  v_endpoints bigint;
  v_findings bigint;
  v_findings_by_severity jsonb;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  IF lock_snapshot(p_organization_id, p_snapshot_id) THEN
    RETURN;
  END IF;
  SELECT count(*), coalesce(sum(c.endpoint_count), 0) INTO v_endpoint_chunks, v_endpoints
  FROM unnest(p_endpoint_chunks) AS named (id)
  CROSS JOIN LATERAL (
    SELECT k.endpoint_count FROM chunks k WHERE k.organization_id = p_organization_id AND k.id = named.id LIMIT 1) c;
  SELECT count(*), coalesce(sum(c.finding_count), 0), jsonb_build_object(
           'info', coalesce(sum(c.info_count), 0), 'low', coalesce(sum(c.low_count), 0),
           'medium', coalesce(sum(c.medium_count), 0), 'high', coalesce(sum(c.high_count), 0),
           'critical', coalesce(sum(c.critical_count), 0))
  INTO v_finding_chunks, v_findings, v_findings_by_severity
  FROM unnest(p_finding_chunks) AS named (id)
  CROSS JOIN LATERAL (
    SELECT k.* FROM chunks k WHERE k.organization_id = p_organization_id AND k.id = named.id LIMIT 1) c;
  IF (v_endpoint_chunks, v_finding_chunks, v_endpoints, v_findings) IS DISTINCT FROM
     (cardinality(p_endpoint_chunks), cardinality(p_finding_chunks), p_endpoint_count, p_finding_count) THEN
    RAISE EXCEPTION 'a snapshot of % endpoints and % findings, but % and % are stored',
      p_endpoint_count, p_finding_count, v_endpoints, v_findings USING ERRCODE = 'WM003';
  END IF;
  INSERT INTO snapshots AS n
    (organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity)
  VALUES (p_organization_id, p_snapshot_id, p_endpoint_chunks, p_finding_chunks, p_endpoint_count, p_finding_count,
          v_findings_by_severity)
  -- Changes nothing, but locks the one that came at this moment against its deletion.
  ON CONFLICT (organization_id, id) DO UPDATE SET created_at = n.created_at WHERE false;
END
$$;

-- Leases due payloads of ONE organization: the next one after p_after_organization_id, round and round, so that an organization
-- with ten thousand runs waiting delays another's by one batch. At least one row, then as many as p_limit and p_bytes_max allow.
-- Skips what another worker is claiming at this moment. What was claimed twice and not finished comes alone: a run that ends its
-- worker (out of memory, say) must not take the others beside it along.
CREATE OR REPLACE FUNCTION claim_scan_runs(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (
  organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, items bytea,
  endpoint_row_type oid, finding_row_type oid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET random_page_cost = 0
AS $$
DECLARE
  v_together_max constant integer := 2;
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_is_second_round boolean := false;
  v_claimed record;
BEGIN
  LOOP
    SELECT p.organization_id INTO v_organization_id FROM scan_payloads p
    WHERE p.available_at <= now() AND p.organization_id > v_after
    -- By both columns of the index of what is due: the primary key would lead through all payloads that were given up.
    ORDER BY p.organization_id, p.available_at
    LIMIT 1;
    IF v_organization_id IS NULL THEN
      EXIT WHEN v_is_second_round;
      v_is_second_round := true;
      v_after := '00000000-0000-0000-0000-000000000000';
      CONTINUE;
    END IF;

    FOR v_claimed IN
      WITH due AS (
        SELECT p.scan_run_id, p.items_bytes, p.available_at, p.attempts >= v_together_max AS comes_alone
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now()
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      )
      SELECT d.scan_run_id, d.comes_alone FROM (
        SELECT due.scan_run_id, due.comes_alone,
               sum(due.items_bytes) FILTER (WHERE NOT due.comes_alone) OVER w AS total_bytes,
               row_number() OVER w AS place,
               due.comes_alone OR first_value(due.comes_alone) OVER w AS is_excluded
        FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
      ) d WHERE d.place = 1 OR (NOT d.is_excluded AND d.total_bytes <= p_bytes_max)
    LOOP
      RETURN QUERY
        UPDATE scan_payloads p
        SET attempts = p.attempts + 1,
            -- One process works on several claims. Runs that come alone, taken at the same moment, come back at moments of
            -- their own, or the one that ends the process would meet the same others there each time.
            available_at = now() + p_lease * (CASE WHEN v_claimed.comes_alone THEN 1 + random() ELSE 1 END)
        WHERE p.organization_id = v_organization_id AND p.scan_run_id = v_claimed.scan_run_id
        RETURNING p.organization_id, p.scan_run_id, p.attempts, p.attempts_excused, p.items,
                  'chunk_endpoint_row'::regtype::oid, 'chunk_finding_row'::regtype::oid;
    END LOOP;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;

-- Extends the leases of these runs, as far as they are still the caller's and nobody is writing to them just now: whoever does has
-- them locked, and needs no lease meanwhile.
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

-- Persists claimed runs of one organization: the rows of chunks that are not stored yet, the snapshots, the runs' completion. A
-- run whose lease is no longer the caller's (its attempt is not the last) is left alone. Doing it twice is the same as once.
CREATE OR REPLACE FUNCTION persist_scan_runs(
  p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[],
  p_endpoints chunk_endpoint_row[], p_findings chunk_finding_row[]
) RETURNS TABLE (completed integer, row_count integer)
LANGUAGE plpgsql
SET random_page_cost = 0
AS $$
DECLARE
  v_runs uuid[];
  v_run record;
  v_run_id uuid;
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  completed := 0;
  row_count := 0;
  v_runs := ARRAY(
    SELECT held.scan_run_id
    FROM (SELECT * FROM unnest(p_scan_run_ids, p_attempts) AS c (scan_run_id, attempt) ORDER BY c.scan_run_id) claimed
    CROSS JOIN LATERAL (
      SELECT p.scan_run_id FROM scan_payloads p
      WHERE p.organization_id = p_organization_id AND p.scan_run_id = claimed.scan_run_id
        AND p.attempts = claimed.attempt AND p.available_at IS NOT NULL
      LIMIT 1
      FOR UPDATE) held);
  IF cardinality(v_runs) = 0 THEN
    RETURN NEXT;
    RETURN;
  END IF;

  -- Services, chunks, snapshots, each in one order: two workers wait for one another, and never in a circle.
  FOR v_run IN
    SELECT DISTINCT r.service_id FROM unnest(v_runs) AS held (id)
    CROSS JOIN LATERAL (
      SELECT s.service_id FROM scan_runs s WHERE s.organization_id = p_organization_id AND s.id = held.id LIMIT 1) r
    ORDER BY r.service_id
  LOOP
    PERFORM FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id FOR NO KEY UPDATE;
  END LOOP;
  row_count := store_chunks(p_organization_id, p_endpoints, p_findings);
  PERFORM store_snapshot(p_organization_id, w.snapshot_id, w.endpoint_chunks, w.finding_chunks, w.endpoint_count,
                         w.finding_count)
  FROM (SELECT * FROM find_waiting_scan_runs(p_organization_id, v_runs) f ORDER BY f.snapshot_id) w;

  -- Runs of one service count in their order.
  FOR v_run IN SELECT * FROM find_waiting_scan_runs(p_organization_id, v_runs) f ORDER BY f.ordered_at, f.id LOOP
    UPDATE scan_runs r
    SET status = 'completed', snapshot_id = v_run.snapshot_id, completed_at = now(),
        unchanged = apply_snapshot(p_organization_id, v_run.service_id, v_run.id, v_run.snapshot_id, v_run.ordered_at, v_run.promote)
    WHERE r.organization_id = p_organization_id AND r.id = v_run.id;
    completed := completed + 1;
  END LOOP;
  -- Those of runs that somebody deleted go, too.
  FOREACH v_run_id IN ARRAY v_runs LOOP
    DELETE FROM scan_payloads p WHERE p.organization_id = p_organization_id AND p.scan_run_id = v_run_id;
  END LOOP;
  RETURN NEXT;
END
$$;

-- Unfinished runs with the content that they are to be completed with.
CREATE OR REPLACE FUNCTION find_waiting_scan_runs(p_organization_id uuid, p_scan_run_ids uuid[])
RETURNS TABLE (
  id uuid, service_id uuid, ordered_at timestamptz, promote boolean, endpoint_count integer, finding_count integer,
  snapshot_id uuid, endpoint_chunks uuid[], finding_chunks uuid[]
)
LANGUAGE sql STABLE
AS $$
  SELECT run.id, run.service_id, run.ordered_at, run.promote, run.endpoint_count, run.finding_count,
         payload.snapshot_id, payload.endpoint_chunks, payload.finding_chunks
  FROM unnest(p_scan_run_ids) AS waiting (id)
  CROSS JOIN LATERAL (
    SELECT * FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = waiting.id AND r.status = 'accepted' LIMIT 1) run
  CROSS JOIN LATERAL (
    SELECT * FROM scan_payloads p WHERE p.organization_id = p_organization_id AND p.scan_run_id = waiting.id LIMIT 1) payload
$$;

-- Functions with their owner's rights are not held back by row-level security, so they check what it would have.
CREATE OR REPLACE FUNCTION assert_own_organization(p_organization_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_organization_id IS DISTINCT FROM current_organization_id() THEN
    RAISE EXCEPTION 'content of another organization' USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;

-- Deletes up to p_limit snapshots older than a day that no run refers to. A row lock keeps new runs from referring to them
-- meanwhile. Returns how many.
CREATE OR REPLACE FUNCTION collect_snapshots(p_organization_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_ids uuid[];
BEGIN
  PERFORM assert_own_organization(p_organization_id);
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
  DELETE FROM service_snapshots n WHERE n.organization_id = p_organization_id AND n.snapshot_id = ANY (v_ids);
  DELETE FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;

-- Deletes up to p_limit chunks that neither a snapshot nor an unfinished run names, with their rows. Returns how many. It reads
-- all lists of the organization twice.
CREATE OR REPLACE FUNCTION collect_chunks(p_organization_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_ids uuid[];
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  v_ids := ARRAY(
    SELECT c.id FROM chunks c WHERE c.organization_id = p_organization_id
    EXCEPT SELECT named.id FROM list_named_chunks(p_organization_id) AS named (id)
    LIMIT p_limit);
  -- Whoever counts on one of them at this moment has it locked.
  v_ids := ARRAY(
    SELECT c.id FROM chunks c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids)
    ORDER BY c.id
    FOR UPDATE SKIP LOCKED);
  -- Looked at again under the locks: what was counted on before them is named by now.
  v_ids := ARRAY(SELECT unnest(v_ids) EXCEPT SELECT named.id FROM list_named_chunks(p_organization_id) AS named (id));
  -- Before their rows, which are kept as long as the chunk is there.
  DELETE FROM chunks c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids);
  DELETE FROM chunk_endpoints e WHERE e.organization_id = p_organization_id AND e.chunk_id = ANY (v_ids);
  DELETE FROM chunk_findings f WHERE f.organization_id = p_organization_id AND f.chunk_id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;

-- Every chunk that something refers to, as often as it does.
CREATE OR REPLACE FUNCTION list_named_chunks(p_organization_id uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE
AS $$
  SELECT unnest(n.endpoint_chunks || n.finding_chunks) FROM snapshots n WHERE n.organization_id = p_organization_id
  UNION ALL
  SELECT unnest(p.endpoint_chunks || p.finding_chunks) FROM scan_payloads p WHERE p.organization_id = p_organization_id
$$;

-- What operators watch, across organizations: how many runs wait and since when. At most p_limit runs are counted, and of each
-- organization only the oldest is looked at: what waits must not be able to make looking at it expensive. Ids are in the order of
-- their making, so the smallest is the oldest.
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
