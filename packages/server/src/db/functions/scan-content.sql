-- Chunks and snapshots. Only store_chunks and store_snapshot write them, and only collect_snapshots and collect_chunks
-- delete them, so all of these run with their owner's rights.

-- Whether this content is stored. If so, it is locked against deletion until the transaction ends. Call it before writing
-- anything that refers to the content: the deletion locks in the same order.
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

-- Returns those of these chunks that are neither sent nor stored. The stored ones can't be collected until the transaction
-- ends: this locks the service's current snapshot, which has most of them, and the rest one by one. Locking needs its
-- owner's rights.
CREATE OR REPLACE FUNCTION lock_missing_chunks(
  p_organization_id uuid, p_current_snapshot_id uuid, p_chunks uuid[], p_sent_chunks uuid[]
) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_base uuid[];
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  SELECT n.endpoint_chunks || n.finding_chunks INTO v_base FROM snapshots n
  WHERE n.organization_id = p_organization_id AND n.id = p_current_snapshot_id FOR KEY SHARE;
  RETURN ARRAY(
    SELECT named.id
    FROM (SELECT unnest(p_chunks) EXCEPT SELECT unnest(p_sent_chunks || v_base)) AS named (id)
    -- With LIMIT, each chunk is looked up by its key, however many the planner expects.
    LEFT JOIN LATERAL (
      SELECT k.id FROM chunks k WHERE k.organization_id = p_organization_id AND k.id = named.id LIMIT 1 FOR KEY SHARE
    ) stored ON true
    WHERE stored.id IS NULL);
END
$$;

-- Stores the rows of those chunks that are not stored yet, and the chunks. Returns how many rows it wrote.
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

-- Stores a list of chunks as a snapshot, unless it is stored. Raises WM003 if a chunk is missing or the counts differ.
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

-- Deletes up to p_limit snapshots older than a day that no run refers to. A row lock prevents new references meanwhile.
-- Returns how many.
CREATE OR REPLACE FUNCTION collect_snapshots(p_organization_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
-- One plan for all arguments, as Postgres makes it after some calls, touches 25 times as many blocks with 1,000 services.
SET plan_cache_mode = force_custom_plan
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
  PERFORM keep_first_seen(p_organization_id, v_ids);
  DELETE FROM service_snapshots n WHERE n.organization_id = p_organization_id AND n.snapshot_id = ANY (v_ids);
  DELETE FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;

-- Keeps when services first had the items of snapshots that are about to be deleted, as long as another content of the service has the
-- item.
CREATE OR REPLACE FUNCTION keep_first_seen(p_organization_id uuid, p_snapshot_ids uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_service_id uuid;
BEGIN
  FOR v_service_id IN
    SELECT DISTINCT n.service_id FROM service_snapshots n
    WHERE n.organization_id = p_organization_id AND n.snapshot_id = ANY (p_snapshot_ids)
    ORDER BY n.service_id
  LOOP
    WITH contents AS MATERIALIZED (
      SELECT c.id, min(h.first_seen_at) FILTER (WHERE h.snapshot_id = ANY (p_snapshot_ids)) AS first_seen_at,
             bool_or(h.snapshot_id <> ALL (p_snapshot_ids)) AS stays
      FROM service_snapshots h
      JOIN snapshots n ON n.organization_id = h.organization_id AND n.id = h.snapshot_id
      CROSS JOIN LATERAL unnest(n.endpoint_chunks || n.finding_chunks) AS c (id)
      WHERE h.organization_id = p_organization_id AND h.service_id = v_service_id
      GROUP BY c.id
    ), items AS MATERIALIZED (
      SELECT i.item, min(c.first_seen_at) AS first_seen_at, bool_or(c.stays) AS stays
      FROM contents c
      CROSS JOIN LATERAL (
        (SELECT endpoint_key(e.method, e.path) AS item FROM chunk_endpoints e
         WHERE e.organization_id = p_organization_id AND e.chunk_id = c.id
         -- A chunk has no more.
         LIMIT 32)
        UNION ALL
        (SELECT finding_key(f.code, f.message, f.method, f.path) FROM chunk_findings f
         WHERE f.organization_id = p_organization_id AND f.chunk_id = c.id
         LIMIT 32)) i
      GROUP BY i.item
    ), forgotten AS (
      DELETE FROM seen_items k USING items i
      WHERE k.organization_id = p_organization_id AND k.service_id = v_service_id AND k.item = i.item AND NOT i.stays
    )
    INSERT INTO seen_items AS k (organization_id, service_id, item, first_seen_at)
    SELECT p_organization_id, v_service_id, i.item, i.first_seen_at FROM items i WHERE i.stays AND i.first_seen_at IS NOT NULL
    ON CONFLICT (organization_id, service_id, item) DO UPDATE SET first_seen_at = excluded.first_seen_at
      WHERE k.first_seen_at > excluded.first_seen_at;
  END LOOP;
END
$$;

-- Deletes up to p_limit chunks that neither a snapshot nor an unfinished run refers to, with their rows. Returns how many.
-- It reads all chunk lists of the organization twice.
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
    EXCEPT SELECT referenced.id FROM list_referenced_chunks(p_organization_id) AS referenced (id)
    LIMIT p_limit);
  -- Whoever counts on one of them at this moment has it locked.
  v_ids := ARRAY(
    SELECT c.id FROM chunks c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids)
    ORDER BY c.id
    FOR UPDATE SKIP LOCKED);
  -- Looked at again under the locks: what was counted on before them is named by now.
  v_ids := ARRAY(SELECT unnest(v_ids) EXCEPT SELECT referenced.id FROM list_referenced_chunks(p_organization_id) AS referenced (id));
  -- Before their rows, which are kept as long as the chunk is there.
  DELETE FROM chunks c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids);
  DELETE FROM chunk_endpoints e WHERE e.organization_id = p_organization_id AND e.chunk_id = ANY (v_ids);
  DELETE FROM chunk_findings f WHERE f.organization_id = p_organization_id AND f.chunk_id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;

-- Every chunk that a snapshot or an unfinished run refers to, once for each reference.
CREATE OR REPLACE FUNCTION list_referenced_chunks(p_organization_id uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE
AS $$
  SELECT unnest(n.endpoint_chunks || n.finding_chunks) FROM snapshots n WHERE n.organization_id = p_organization_id
  UNION ALL
  SELECT unnest(p.endpoint_chunks || p.finding_chunks) FROM scan_payloads p WHERE p.organization_id = p_organization_id
$$;

-- Row-level security doesn't apply to functions with their owner's rights, so they check the organization themselves.
CREATE OR REPLACE FUNCTION assert_own_organization(p_organization_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_organization_id IS DISTINCT FROM current_organization_id() THEN
    RAISE EXCEPTION 'content of another organization' USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;
