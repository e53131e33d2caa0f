-- A snapshot's counts are the counts of its rows because nothing can make them differ: the services' role stores
-- and collects snapshots through these two functions only, and rows beneath a stored snapshot are neither changed nor
-- deleted, whoever tries.
-- Both run as the owner, who is not held back by row-level security: they do what that would have done.
-- Locks: SHARE ROW EXCLUSIVE on snapshot_endpoints and snapshot_findings for a moment, to create triggers.

-- Stores the rows of these snapshots and then the snapshots, with the counts of the rows really inserted.
CREATE OR REPLACE FUNCTION insert_snapshots(
  p_organization_id uuid, p_snapshot_ids bytea[],
  p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[]
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_row_count integer;
BEGIN
  IF p_organization_id IS DISTINCT FROM current_organization_id() THEN
    RAISE EXCEPTION 'snapshots of another organization' USING ERRCODE = 'insufficient_privilege';
  END IF;
  WITH endpoints AS (
    INSERT INTO snapshot_endpoints
      (organization_id, snapshot_id, ordinal, method, path, operation_id, tags, summary)
    SELECT p_organization_id, e.snapshot_id, e.ordinal, e.method, e.path, e.operation_id, e.tags, e.summary
    FROM unnest(p_endpoints) e
    WHERE e.snapshot_id = ANY (p_snapshot_ids)
    RETURNING snapshot_id
  ), findings AS (
    INSERT INTO snapshot_findings
      (organization_id, snapshot_id, ordinal, code, severity, message, method, path)
    SELECT p_organization_id, f.snapshot_id, f.ordinal, f.code, f.severity, f.message, f.method, f.path
    FROM unnest(p_findings) f
    WHERE f.snapshot_id = ANY (p_snapshot_ids)
    RETURNING snapshot_id, severity
  ), endpoint_counts AS (
    SELECT snapshot_id, count(*) AS total FROM endpoints GROUP BY snapshot_id
  ), finding_counts AS (
    SELECT snapshot_id, sum(total) AS total, jsonb_object_agg(severity, total) AS by_severity
    FROM (SELECT snapshot_id, severity, count(*) AS total FROM findings GROUP BY snapshot_id, severity) AS s
    GROUP BY snapshot_id
  ), added AS (
    INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
    SELECT p_organization_id, n.id, coalesce(e.total, 0), coalesce(f.total, 0), coalesce(f.by_severity, '{}')
    FROM unnest(p_snapshot_ids) AS n (id)
    LEFT JOIN endpoint_counts e ON e.snapshot_id = n.id
    LEFT JOIN finding_counts f ON f.snapshot_id = n.id
    ORDER BY n.id
    RETURNING endpoint_count + finding_count AS total
  )
  SELECT sum(total) INTO v_row_count FROM added;
  RETURN v_row_count;
END
$$;

-- Deletes up to p_limit snapshots older than a day that no run refers to, with their rows and receipts. A row lock
-- keeps new runs from referring to them meanwhile. Returns how many.
CREATE FUNCTION collect_unused_snapshots(p_organization_id uuid, p_limit integer) RETURNS integer
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

REVOKE EXECUTE ON FUNCTION insert_snapshots(uuid, bytea[], snapshot_endpoint_row[], snapshot_finding_row[]),
  collect_unused_snapshots(uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION insert_snapshots(uuid, bytea[], snapshot_endpoint_row[], snapshot_finding_row[]),
  collect_unused_snapshots(uuid, integer) TO waymark_app;
REVOKE INSERT, UPDATE, DELETE ON snapshots, snapshot_endpoints, snapshot_findings FROM waymark_app;
-- A row lock asks for the right to update some column.
GRANT UPDATE (created_at) ON snapshots TO waymark_app;

CREATE FUNCTION keep_rows_of_snapshots() RETURNS trigger
LANGUAGE plpgsql
SET search_path = public, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT FROM gone JOIN snapshots n ON n.organization_id = gone.organization_id AND n.id = gone.snapshot_id) THEN
    RAISE EXCEPTION 'rows of a stored snapshot are neither changed nor deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION refuse_truncate() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION '% is not truncated: it has the rows of stored snapshots', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['snapshot_endpoints', 'snapshot_findings'] LOOP
    EXECUTE format('CREATE TRIGGER kept_from_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS gone
                    FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots()', v_table);
    EXECUTE format('CREATE TRIGGER kept_from_update AFTER UPDATE ON %I REFERENCING OLD TABLE AS gone
                    FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots()', v_table);
    EXECUTE format('CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON %I
                    FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate()', v_table);
  END LOOP;
END
$$;
