-- Accepting a scan: the only statement between a request and its 201. It runs with the caller's rights, under row-level
-- security, and sets the organization for its transaction. Lookups use complete keys, so that plans are right for tables
-- of any size.

-- Accepts one scan, or returns what is missing for it. Stores nothing unless p_grant covers the service. One call is one round
-- trip; several calls in one statement share its commit.
--
-- outcome is
--   completed, accepted: stored. Complete at once, or waiting for a worker that stores the rows sent with it.
--   replayed: the first response to this idempotency key.     key_used: the key was used for another scan.
--   content_needed: these bytes are unknown.
--   chunks_needed: missing_chunks are not stored and were not sent.
--   permission_needed: for service_id and service_name; service_id is null if the service doesn't exist.
--   locked: another transaction has locked the service, and p_may_wait is false.
-- Raises WM001 if another transaction has just created or deleted the service, or used the idempotency key: call again.
-- Raises WM002 above a limit per day. Waits for locks for at most 2 s, or 0.2 s if p_may_wait is false.
CREATE OR REPLACE FUNCTION accept_scan_run(
  p_organization_id uuid, p_run scan_submission, p_grant scan_grant, p_content scan_content, p_sent sent_chunks, p_limits scan_limits,
  p_may_wait boolean,
  OUT outcome text, OUT run_id uuid, OUT created_at timestamptz, OUT unchanged boolean, OUT service_id uuid, OUT service_name text,
  OUT service_is_new boolean, OUT endpoint_count integer, OUT finding_count integer,
  OUT missing_chunks uuid[], OUT usage json
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

  IF p_run.idempotency_key IS NOT NULL THEN
    SELECT * INTO outcome, run_id, created_at, unchanged, service_id, service_name, service_is_new, endpoint_count, finding_count
    FROM find_replay(p_organization_id, p_run.idempotency_key, p_run.body_hash, p_content);
    IF outcome IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;

  -- Which run it is, and of which service.
  IF p_content.description IS NULL THEN
    SELECT * INTO v_run FROM scan_runs r
    WHERE r.organization_id = p_organization_id AND r.body_hash = p_run.body_hash
      AND r.status = 'completed' AND r.contract_version = p_run.contract_version
    -- Several, if the name in the bytes leads to another service since.
    ORDER BY r.created_at DESC
    LIMIT 1;
    IF NOT FOUND OR NOT lock_snapshot(p_organization_id, v_run.snapshot_id) THEN
      outcome := 'content_needed';
      RETURN;
    END IF;
    SELECT * INTO v_service FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id;
    -- It is deleted, or the name in the bytes may be no longer one of its names.
    IF NOT FOUND OR v_service.lost_name_at >= v_run.created_at THEN
      outcome := 'content_needed';
      RETURN;
    END IF;
    v_run.body_hash := NULL;
  ELSE
    v_run.spec_hash := p_content.description->'spec'->>'hash';
    v_run.spec_format := p_content.description->'spec'->>'format';
    v_run.spec_version := p_content.description->'spec'->>'version';
    v_run.spec_title := p_content.description->'spec'->>'title';
    v_run.endpoint_count := p_content.endpoint_count;
    v_run.finding_count := p_content.finding_count;
    v_run.snapshot_id := p_content.snapshot_id;
    v_run.body_hash := p_run.body_hash;
    v_run.contract_version := p_run.contract_version;
    SELECT * INTO v_service FROM services s
    WHERE s.organization_id = p_organization_id AND s.name = p_content.description->'service'->>'name';
    IF NOT FOUND THEN
      SELECT s.* INTO v_service FROM service_aliases a
      JOIN services s ON s.organization_id = a.organization_id AND s.id = a.service_id
      WHERE a.organization_id = p_organization_id AND a.name = p_content.description->'service'->>'name';
    END IF;
  END IF;
  service_id := v_service.id;
  service_name := coalesce(v_service.name, p_content.description->'service'->>'name');
  endpoint_count := v_run.endpoint_count;
  finding_count := v_run.finding_count;
  IF NOT (CASE WHEN v_service.id IS NULL THEN p_grant.may_create
               ELSE p_grant.may_update OR v_service.id IS NOT DISTINCT FROM p_grant.service_id END) THEN
    outcome := 'permission_needed';
    RETURN;
  END IF;

  -- Whether all of its content is stored.
  IF p_content.description IS NOT NULL THEN
    v_is_stored := lock_snapshot(p_organization_id, v_run.snapshot_id);
    IF NOT v_is_stored THEN
      missing_chunks := lock_missing_chunks(p_organization_id, v_service.current_snapshot_id,
                                            p_content.endpoint_chunks || p_content.finding_chunks, p_sent.chunks);
      IF cardinality(missing_chunks) > 0 THEN
        outcome := 'chunks_needed';
        RETURN;
      END IF;
    END IF;
  END IF;
  outcome := CASE WHEN v_is_stored OR cardinality(p_sent.chunks) = 0 THEN 'completed' ELSE 'accepted' END;

  -- One service's runs are completed one after the other, so that "current" is never a matter of chance.
  IF outcome = 'completed' AND v_service.id IS NOT NULL THEN
    IF p_may_wait THEN
      PERFORM FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_service.id FOR NO KEY UPDATE;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the service was deleted at this moment' USING ERRCODE = 'WM001';
      END IF;
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
    service_id := p_content.new_service_id;
    INSERT INTO services (organization_id, id, name) VALUES (p_organization_id, service_id, service_name)
    ON CONFLICT (organization_id, name) WHERE name IS NOT NULL DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the service was created at this moment' USING ERRCODE = 'WM001';
    END IF;
  END IF;
  IF p_run.idempotency_key IS NOT NULL THEN
    INSERT INTO idempotency_keys AS k (organization_id, key, body_hash, scan_run_id)
    VALUES (p_organization_id, p_run.idempotency_key, p_run.body_hash, p_run.scan_run_id)
    ON CONFLICT (organization_id, key) DO UPDATE
      SET body_hash = excluded.body_hash, scan_run_id = excluded.scan_run_id, created_at = now()
      WHERE k.created_at <= now() - interval '24 hours';
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the idempotency key was used at this moment' USING ERRCODE = 'WM001';
    END IF;
  END IF;

  run_id := p_run.scan_run_id;
  created_at := now();
  unchanged := false;
  v_run.ordered_at := least(now(), p_run.scanned_at);
  IF outcome = 'completed' THEN
    IF NOT v_is_stored THEN
      PERFORM store_snapshot(p_organization_id, v_run.snapshot_id, p_content.endpoint_chunks, p_content.finding_chunks,
                             v_run.endpoint_count, v_run.finding_count);
    END IF;
    unchanged := apply_snapshot(p_organization_id, service_id, run_id, v_run.snapshot_id, v_run.ordered_at, p_run.promote);
    v_run.completed_at := now();
  ELSE
    INSERT INTO scan_payloads (organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks, items, items_bytes,
                               trace_parent)
    VALUES (p_organization_id, run_id, v_run.snapshot_id, p_content.endpoint_chunks, p_content.finding_chunks, p_sent.items,
            p_sent.items_bytes, p_run.trace_parent);
    v_run.snapshot_id := NULL;
  END IF;
  INSERT INTO scan_runs
    (organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title, endpoint_count, finding_count,
     snapshot_id, unchanged, promote, ordered_at, created_at, completed_at, created_by_key_id, body_hash, contract_version, source)
  VALUES
    (p_organization_id, run_id, service_id, outcome, v_run.spec_hash, v_run.spec_format, v_run.spec_version, v_run.spec_title,
     v_run.endpoint_count, v_run.finding_count, v_run.snapshot_id, unchanged, p_run.promote, v_run.ordered_at, created_at,
     v_run.completed_at, p_run.created_by_key_id, v_run.body_hash, v_run.contract_version, p_run.source);

  IF p_limits.scans_max IS NOT NULL OR p_limits.bytes_max IS NOT NULL THEN
    SELECT json_build_object('scans', c.scans, 'bytes', c.bytes, 'resetSeconds', c.reset_seconds) INTO usage
    FROM count_accepted_scans(p_organization_id, 1, p_limits.body_bytes, p_limits.scans_max, p_limits.bytes_max) c;
  END IF;
END
$$;

-- The scan that an idempotency key was used for within the last 24 hours. A null outcome means none. A scan is the same if its
-- bytes are equal or, for example after another compression, its content.
CREATE OR REPLACE FUNCTION find_replay(
  p_organization_id uuid, p_idempotency_key text, p_body_hash bytea, p_content scan_content,
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
  v_name text;
  v_is_same boolean;
BEGIN
  SELECT * INTO v_key FROM idempotency_keys k
  WHERE k.organization_id = p_organization_id AND k.key = p_idempotency_key AND k.created_at > now() - interval '24 hours';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO v_run FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = v_key.scan_run_id;
  SELECT * INTO v_service FROM services s WHERE s.organization_id = p_organization_id AND s.id = v_run.service_id;
  IF NOT FOUND THEN
    -- The run was deleted with its service, so there is nothing to answer with: the key is free.
    DELETE FROM idempotency_keys k WHERE k.organization_id = p_organization_id AND k.key = p_idempotency_key;
    RETURN;
  END IF;
  v_is_same := v_key.body_hash = p_body_hash;
  IF NOT v_is_same THEN
    IF p_content.description IS NULL THEN
      outcome := 'content_needed';
      RETURN;
    END IF;
    v_name := p_content.description->'service'->>'name';
    -- The service may have been renamed since.
    IF v_name <> v_service.name AND EXISTS (
      SELECT FROM service_aliases a
      WHERE a.organization_id = p_organization_id AND a.name = v_name AND a.service_id = v_service.id) THEN
      v_name := v_service.name;
    END IF;
    v_is_same := (v_service.name, v_run.spec_hash, v_run.spec_format, v_run.spec_version, v_run.spec_title,
                  coalesce(v_run.snapshot_id, (SELECT p.snapshot_id FROM scan_payloads p
                                               WHERE p.organization_id = p_organization_id AND p.scan_run_id = v_run.id)))
      IS NOT DISTINCT FROM
      (v_name, p_content.description->'spec'->>'hash', p_content.description->'spec'->>'format',
       p_content.description->'spec'->>'version', p_content.description->'spec'->>'title', p_content.snapshot_id);
  END IF;
  outcome := CASE WHEN v_is_same THEN 'replayed' ELSE 'key_used' END;
  run_id := v_run.id;
  created_at := v_run.created_at;
  -- Null for a run that was completed later: its request was answered as accepted.
  unchanged := CASE WHEN v_run.completed_at = v_run.created_at THEN v_run.unchanged END;
  service_id := v_service.id;
  service_name := v_service.name;
  service_is_new := v_service.created_at = v_run.created_at;
  endpoint_count := v_run.endpoint_count;
  finding_count := v_run.finding_count;
END
$$;
