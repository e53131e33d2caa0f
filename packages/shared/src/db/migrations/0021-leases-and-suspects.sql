-- What was accepted must not end as failed because a machine is slow or a server is away, nor because of its neighbours:
-- - Runs that were claimed twice and not finished are claimed alone from then on. A run that ends its worker (out of
--   memory, say) took the 49 beside it along, attempt by attempt, until all of them had failed.
-- - A worker that takes long extends its lease. A batch that outlived its lease was claimed again as the same batch, to
--   the same end, on a machine as slow as before.
-- - An attempt that ended for a reason which isn't the run's is excused: it does not count.
-- Locks: ACCESS EXCLUSIVE on scan_payloads for a moment; a column with a constant default rewrites nothing.

-- Of `attempts`, those that ended because the database was away, full or out of time.
ALTER TABLE scan_payloads ADD COLUMN attempts_excused integer NOT NULL DEFAULT 0;

-- As claim_waiting_scan_runs, which the version before this one uses.
CREATE FUNCTION claim_due_scan_runs(
  p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval
) RETURNS TABLE (
  organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, body bytea, body_encoding text,
  body_hash bytea, contract_version integer, endpoint_row_type oid, finding_row_type oid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_together_max constant integer := 2;
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
        SELECT p.scan_run_id, p.body_bytes, p.available_at,
               p.attempts >= v_together_max AS suspect
        FROM scan_payloads p
        WHERE p.organization_id = v_organization_id AND p.available_at <= now()
        ORDER BY p.available_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ), fitting AS (
        SELECT d.scan_run_id, d.suspect FROM (
          SELECT due.scan_run_id, due.suspect,
                 sum(due.body_bytes) FILTER (WHERE NOT due.suspect) OVER w AS total_bytes,
                 row_number() OVER w AS place,
                 due.suspect OR first_value(due.suspect) OVER w AS alone
          FROM due WINDOW w AS (ORDER BY due.available_at, due.scan_run_id)
        ) d WHERE d.place = 1 OR (NOT d.alone AND d.total_bytes <= p_bytes_max)
      )
      UPDATE scan_payloads p
      SET attempts = p.attempts + 1,
          -- One process works on several claims. Suspects that it took at the same moment come back at moments of
          -- their own, or the one that ends the process would meet the same others there each time.
          available_at = now() + p_lease * (CASE WHEN f.suspect THEN 1 + random() ELSE 1 END)
      FROM fitting f
      WHERE p.organization_id = v_organization_id AND p.scan_run_id = f.scan_run_id
      RETURNING p.organization_id, p.scan_run_id, p.attempts, p.attempts_excused, p.body, p.body_encoding,
                p.body_hash, p.contract_version,
                'snapshot_endpoint_row'::regtype::oid, 'snapshot_finding_row'::regtype::oid;
    EXIT WHEN FOUND;
    v_after := v_organization_id;
  END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION claim_due_scan_runs(uuid, integer, bigint, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_due_scan_runs(uuid, integer, bigint, interval) TO waymark_app;

-- Extends the leases of these runs, as far as they are still the caller's and nobody is writing to them just now: who
-- is has them locked, and needs no lease meanwhile.
CREATE FUNCTION extend_scan_leases(
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
