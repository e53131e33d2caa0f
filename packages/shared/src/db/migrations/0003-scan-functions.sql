-- The statements of the hot paths as functions: each is one round trip and one transaction, and the organization
-- is set for that transaction alone. All but the two at the end run with the caller's rights, under row-level
-- security. Locks: none, nothing here touches a table when it is created.

-- What a body that came before left: its receipt, its service and whether it equals what is current, and the
-- first answer if this idempotency key was seen. No row when there is neither receipt nor key.
CREATE FUNCTION find_scan_receipt(
  p_organization_id uuid, p_contract_version integer, p_body_hash bytea, p_idempotency_key text
) RETURNS TABLE (
  service_id uuid, service_name text, endpoint_count integer, finding_count integer, snapshot_id bytea,
  replayed_run_id uuid, replayed_body_hash bytea, replayed_service_id uuid, replayed_service_name text,
  replayed_service_created boolean, replayed_status text, replayed_unchanged boolean,
  replayed_endpoint_count integer, replayed_finding_count integer, replayed_created_at timestamptz
)
LANGUAGE plpgsql
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
CREATE FUNCTION take_idempotency_key(
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
CREATE FUNCTION accept_repeated_scan_run(
  p_organization_id uuid, p_scan_run_id uuid, p_contract_version integer, p_body_hash bytea,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid, p_idempotency_key text
) RETURNS TABLE (created_at timestamptz, unchanged boolean)
LANGUAGE plpgsql
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

-- Moves a service's current run forward, never back: newer is (ordered_at, id).
CREATE FUNCTION promote_scan_run(
  p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_ordered_at timestamptz
) RETURNS void
LANGUAGE sql
AS $$
  UPDATE services s SET current_run_id = p_scan_run_id, current_ordered_at = p_ordered_at
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id
    AND (s.current_run_id IS NULL OR (p_ordered_at, p_scan_run_id) > (s.current_ordered_at, s.current_run_id))
$$;

-- Widens the time in which a service was seen with this content.
CREATE FUNCTION see_snapshot(
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

-- The service that a scan names, if there is one.
CREATE FUNCTION find_scan_service(p_organization_id uuid, p_service_name text) RETURNS uuid
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  RETURN (SELECT s.id FROM services s WHERE s.organization_id = p_organization_id AND s.name = p_service_name);
END
$$;

-- Stores a run, its payload, its idempotency key and, where p_service_is_new, its service: all or nothing.
-- No row when the idempotency key is taken: the caller reads the target again and answers from what it finds.
-- Raises WM001 when the service that should be new was created by somebody else meanwhile.
CREATE FUNCTION accept_scan_run(
  p_organization_id uuid, p_scan_run_id uuid,
  p_service_id uuid, p_service_name text, p_service_is_new boolean,
  p_spec_hash text, p_spec_format text, p_spec_version text, p_spec_title text,
  p_endpoint_count integer, p_finding_count integer,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid,
  p_body bytea, p_body_encoding text, p_body_bytes integer,
  p_idempotency_key text, p_body_hash bytea
) RETURNS TABLE (created_at timestamptz)
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);

  IF p_idempotency_key IS NOT NULL AND NOT take_idempotency_key(
    p_organization_id, p_idempotency_key, p_body_hash, p_scan_run_id, p_service_is_new, 'accepted', false
  ) THEN
    RETURN;
  END IF;

  IF p_service_is_new THEN
    INSERT INTO services (organization_id, id, name)
    VALUES (p_organization_id, p_service_id, p_service_name)
    ON CONFLICT (organization_id, name) DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'service exists' USING ERRCODE = 'WM001';
    END IF;
  END IF;

  INSERT INTO scan_payloads (organization_id, scan_run_id, body, body_encoding, body_hash, body_bytes)
  VALUES (p_organization_id, p_scan_run_id, p_body, p_body_encoding, p_body_hash, p_body_bytes);

  RETURN QUERY
    INSERT INTO scan_runs AS r (
      organization_id, id, service_id, status, spec_hash, spec_format, spec_version, spec_title,
      endpoint_count, finding_count, promote, ordered_at, created_at, created_by_key_id
    ) VALUES (
      p_organization_id, p_scan_run_id, p_service_id, 'accepted',
      p_spec_hash, p_spec_format, p_spec_version, p_spec_title,
      p_endpoint_count, p_finding_count, p_promote, least(now(), p_scanned_at), now(), p_created_by_key_id
    ) RETURNING r.created_at;
END
$$;

-- Leases due payloads of ONE organization: the next one after p_after_organization_id, round and round, so that
-- an organization with ten thousand runs waiting delays another's by one batch. At least one row, then as many
-- as p_limit and p_bytes_max allow. Skips what another worker is claiming at this moment.
CREATE FUNCTION claim_scan_runs(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (organization_id uuid, scan_run_id uuid, attempt integer, body bytea, body_encoding text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_wrapped boolean := false;
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

    RETURN QUERY
      WITH due AS (
        SELECT p.scan_run_id, p.body_bytes, p.available_at
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now()
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ), fitting AS (
        SELECT d.scan_run_id FROM (
          SELECT due.scan_run_id,
                 sum(due.body_bytes) OVER w AS total_bytes, row_number() OVER w AS place
          FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
        ) d WHERE d.place = 1 OR d.total_bytes <= p_bytes_max
      )
      UPDATE scan_payloads p
      SET attempts = p.attempts + 1, available_at = now() + p_lease
      FROM fitting f
      WHERE p.organization_id = v_organization_id AND p.scan_run_id = f.scan_run_id
      RETURNING p.organization_id, p.scan_run_id, p.attempts, p.body, p.body_encoding;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;

-- Runs that have been due for longer than p_older_than since they were last announced to the queue, marked as
-- announced now. Safe in every worker at once: each row is handed to one of them.
CREATE FUNCTION take_unannounced_scan_runs(p_older_than interval, p_limit integer)
RETURNS TABLE (organization_id uuid, scan_run_id uuid, publish_count integer)
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  UPDATE scan_payloads p
  SET published_at = now(), publish_count = p.publish_count + 1
  FROM (
    SELECT due.organization_id, due.scan_run_id
    FROM scan_payloads due
    WHERE due.available_at <= now() - p_older_than AND due.published_at <= now() - p_older_than
    ORDER BY due.available_at
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED
  ) due
  WHERE p.organization_id = due.organization_id AND p.scan_run_id = due.scan_run_id
  RETURNING p.organization_id, p.scan_run_id, p.publish_count
$$;

-- Of the given snapshots those that are not stored yet, each locked until the transaction ends, in the order
-- given (sorted by the caller, so that two workers with the same content wait and never deadlock).
CREATE FUNCTION lock_missing_snapshots(p_organization_id uuid, p_snapshot_ids bytea[]) RETURNS SETOF bytea
LANGUAGE plpgsql
AS $$
DECLARE
  v_snapshot_id bytea;
BEGIN
  FOREACH v_snapshot_id IN ARRAY p_snapshot_ids LOOP
    IF NOT EXISTS (SELECT FROM snapshots s WHERE s.organization_id = p_organization_id AND s.id = v_snapshot_id) THEN
      PERFORM pg_advisory_xact_lock(hashtextextended(p_organization_id::text || encode(v_snapshot_id, 'hex'), 0));
      IF NOT EXISTS (SELECT FROM snapshots s WHERE s.organization_id = p_organization_id AND s.id = v_snapshot_id) THEN
        RETURN NEXT v_snapshot_id;
      END IF;
    END IF;
  END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION
  claim_scan_runs(uuid, integer, bigint, interval), take_unannounced_scan_runs(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  claim_scan_runs(uuid, integer, bigint, interval), take_unannounced_scan_runs(interval, integer) TO waymark_app;
