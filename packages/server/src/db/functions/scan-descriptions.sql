-- The descriptions behind scans. Only these functions write them, so they run with their owner's rights.

-- Returns those of these chunks that are not stored. The stored ones can't be collected until the transaction ends.
CREATE OR REPLACE FUNCTION lock_description_chunks(p_organization_id uuid, p_chunks uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  RETURN ARRAY(
    SELECT named.id
    FROM (SELECT DISTINCT unnest(p_chunks) AS id ORDER BY id) AS named
    -- With LIMIT, each chunk is looked up by its key, however many the planner expects.
    LEFT JOIN LATERAL (
      SELECT k.id FROM description_chunks k WHERE k.organization_id = p_organization_id AND k.id = named.id LIMIT 1 FOR KEY SHARE
    ) stored ON true
    WHERE stored.id IS NULL);
END
$$;

-- Stores chunks of a description that were missing. Call lock_description_chunks before it in the same transaction. Where it is called
-- several times, the ids of all calls are in one order.
CREATE OR REPLACE FUNCTION store_description_chunks(p_organization_id uuid, p_sent uuid[], p_sizes integer[], p_bytes bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  INSERT INTO description_chunks AS c (organization_id, id, size, bytes)
  SELECT p_organization_id, s.id, s.size, s.bytes
  FROM unnest(p_sent, p_sizes, p_bytes) AS s (id, size, bytes)
  -- In one order: two who store the same chunks wait for one another, and never in a circle.
  ORDER BY s.id
  -- Changes nothing, but locks the chunk that is there against its collection.
  ON CONFLICT (organization_id, id) DO UPDATE SET size = c.size WHERE false;
END
$$;

-- Stores a description, unless it is stored. p_facts has its hashes in hexadecimal and its sizes. Raises data_exception if a chunk is
-- missing or a size differs. Call lock_description_chunks and store_description_chunks before it in the same transaction.
CREATE OR REPLACE FUNCTION store_description(p_organization_id uuid, p_facts jsonb, p_chunks uuid[], p_canonical_chunks uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  IF size_of_description_chunks(p_organization_id, p_chunks) IS DISTINCT FROM (p_facts->>'size')::bigint
    OR p_canonical_chunks IS NOT NULL AND
      size_of_description_chunks(p_organization_id, p_canonical_chunks) IS DISTINCT FROM (p_facts->>'canonicalSize')::bigint
  THEN
    RAISE EXCEPTION 'chunks of a description are missing' USING ERRCODE = 'data_exception';
  END IF;
  INSERT INTO descriptions AS d
    (organization_id, hash, format, size, chunks, canonical_hash, canonical_size, canonical_chunks, operations_hash)
  VALUES (p_organization_id, decode(p_facts->>'hash', 'hex'), p_facts->>'format', (p_facts->>'size')::integer, p_chunks,
    decode(p_facts->>'canonicalHash', 'hex'), (p_facts->>'canonicalSize')::integer, p_canonical_chunks,
    decode(p_facts->>'operationsHash', 'hex'))
  ON CONFLICT (organization_id, hash) DO UPDATE SET size = d.size WHERE false;
END
$$;

-- The size of the text that these chunks are; null if one is missing.
CREATE OR REPLACE FUNCTION size_of_description_chunks(p_organization_id uuid, p_chunks uuid[]) RETURNS bigint
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN count(c.size) = count(*) THEN coalesce(sum(c.size), 0) END
  FROM unnest(p_chunks) AS named (id)
  LEFT JOIN LATERAL (
    SELECT k.size FROM description_chunks k WHERE k.organization_id = p_organization_id AND k.id = named.id LIMIT 1) c ON true
$$;

-- Says that a run was scanned from a description. Returns 'created', 'same' if that was said before, or 'other' if the run has another
-- one. Raises foreign_key_violation if the run or the description is gone.
CREATE OR REPLACE FUNCTION link_description(
  p_organization_id uuid, p_scan_run_id uuid, p_hash bytea, p_created_by_key_id uuid
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_hash bytea;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  INSERT INTO scan_run_descriptions (organization_id, scan_run_id, description_hash, created_by_key_id)
  VALUES (p_organization_id, p_scan_run_id, p_hash, p_created_by_key_id)
  ON CONFLICT (organization_id, scan_run_id) DO NOTHING;
  IF FOUND THEN
    PERFORM request_comparisons(p_organization_id, p_scan_run_id);
    RETURN 'created';
  END IF;
  SELECT l.description_hash INTO v_hash FROM scan_run_descriptions l
  WHERE l.organization_id = p_organization_id AND l.scan_run_id = p_scan_run_id;
  RETURN CASE WHEN v_hash = p_hash THEN 'same' ELSE 'other' END;
END
$$;

-- Deletes up to p_limit descriptions that no run has. Returns how many.
CREATE OR REPLACE FUNCTION collect_descriptions(p_organization_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_hashes bytea[];
  v_deleted integer;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  -- Whoever stores or links one at this moment has it locked.
  v_hashes := ARRAY(
    SELECT d.hash FROM descriptions d
    WHERE d.organization_id = p_organization_id AND NOT EXISTS (
      SELECT FROM scan_run_descriptions l WHERE l.organization_id = p_organization_id AND l.description_hash = d.hash)
    ORDER BY d.hash
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED);
  -- Under the locks: a run may have been committed until then.
  DELETE FROM descriptions d
  WHERE d.organization_id = p_organization_id AND d.hash = ANY (v_hashes) AND NOT EXISTS (
    SELECT FROM scan_run_descriptions l WHERE l.organization_id = p_organization_id AND l.description_hash = d.hash);
  GET DIAGNOSTICS v_deleted = ROW_COUNT;
  RETURN v_deleted;
END
$$;

-- Deletes up to p_limit chunks that no description has. Returns how many. It reads all chunk lists of the organization twice.
CREATE OR REPLACE FUNCTION collect_description_chunks(p_organization_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_ids uuid[];
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  v_ids := ARRAY(
    SELECT c.id FROM description_chunks c WHERE c.organization_id = p_organization_id
    EXCEPT SELECT referenced.id FROM list_description_chunks(p_organization_id) AS referenced (id)
    LIMIT p_limit);
  v_ids := ARRAY(
    SELECT c.id FROM description_chunks c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids)
    ORDER BY c.id
    FOR UPDATE SKIP LOCKED);
  -- Under the locks: a description may have been committed until then.
  v_ids := ARRAY(SELECT unnest(v_ids) EXCEPT SELECT referenced.id FROM list_description_chunks(p_organization_id) AS referenced (id));
  DELETE FROM description_chunks c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;

-- Every chunk that a description has, once for each place.
CREATE OR REPLACE FUNCTION list_description_chunks(p_organization_id uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE
AS $$
  SELECT unnest(d.chunks || coalesce(d.canonical_chunks, '{}')) FROM descriptions d WHERE d.organization_id = p_organization_id
$$;
