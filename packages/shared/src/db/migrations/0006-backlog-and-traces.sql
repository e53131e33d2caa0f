-- What operators watch, across organizations: how many runs wait and since when. And where a scan's trace began, so
-- that the worker's part joins it, whoever told the worker about the run.
-- Locks: ACCESS EXCLUSIVE on scan_payloads for a moment; a column without a default rewrites nothing.

-- At most p_limit runs are counted, and of each organization only the oldest is looked at: what waits must not be
-- able to make looking at it expensive. Ids are in the order of their making, so the smallest is the oldest.
CREATE FUNCTION sample_scan_backlog(p_limit integer)
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
REVOKE EXECUTE ON FUNCTION sample_scan_backlog(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sample_scan_backlog(integer) TO waymark_app;

-- The W3C traceparent of the request that brought the scan; null where nobody traces.
ALTER TABLE scan_payloads ADD COLUMN trace_parent text;
ALTER TABLE scan_payloads ALTER COLUMN trace_parent SET DEFAULT nullif(current_setting('waymark.trace_parent', true), '');

-- accept_scan_run for a traced request; the column's default carries the traceparent. Untraced requests never call it.
CREATE FUNCTION accept_traced_scan_run(
  p_organization_id uuid, p_scan_run_id uuid,
  p_service_id uuid, p_service_name text, p_service_is_new boolean,
  p_spec_hash text, p_spec_format text, p_spec_version text, p_spec_title text,
  p_endpoint_count integer, p_finding_count integer,
  p_promote boolean, p_scanned_at timestamptz, p_created_by_key_id uuid,
  p_body bytea, p_body_encoding text, p_body_bytes integer,
  p_idempotency_key text, p_body_hash bytea, p_trace_parent text
) RETURNS TABLE (created_at timestamptz)
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.trace_parent', p_trace_parent, true);
  RETURN QUERY SELECT a.created_at FROM accept_scan_run(
    p_organization_id, p_scan_run_id, p_service_id, p_service_name, p_service_is_new,
    p_spec_hash, p_spec_format, p_spec_version, p_spec_title, p_endpoint_count, p_finding_count,
    p_promote, p_scanned_at, p_created_by_key_id, p_body, p_body_encoding, p_body_bytes,
    p_idempotency_key, p_body_hash) a;
END
$$;

-- Where the traces of these runs began; runs that nobody traces are left out.
CREATE FUNCTION find_trace_parents(p_organization_id uuid, p_scan_run_ids uuid[])
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
