-- Contents that are named by their hash. Only store_blobs writes them, so it runs with its owner's rights.

-- Stores those of these contents that are not stored yet, each named once, and locks all of them against deletion until the
-- transaction ends: call it before writing the rows that refer to them.
CREATE OR REPLACE FUNCTION store_blobs(
  p_organization_id uuid, p_hashes bytea[], p_sizes integer[], p_bytes bytea[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  -- An update that changes nothing locks the row, also where another transaction has just stored it. In the order of hashes:
  -- two transactions with the same contents can't wait for each other.
  INSERT INTO blobs (organization_id, hash, size, bytes)
  SELECT p_organization_id, b.hash, b.size, b.bytes
  FROM unnest(p_hashes, p_sizes, p_bytes) AS b (hash, size, bytes)
  ORDER BY b.hash
  ON CONFLICT (organization_id, hash) DO UPDATE SET size = blobs.size;
END
$$;

-- Deletes those of these contents that nothing refers to any more. Call it in the transaction that took references away.
CREATE OR REPLACE FUNCTION collect_blobs(p_organization_id uuid, p_hashes bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_hashes bytea[];
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  -- Whoever stores one at this moment has it locked, and refers to it.
  v_hashes := ARRAY(
    SELECT b.hash FROM blobs b WHERE b.organization_id = p_organization_id AND b.hash = ANY (p_hashes)
    ORDER BY b.hash
    FOR UPDATE SKIP LOCKED);
  -- Under the locks: a reference may have been committed until then.
  DELETE FROM blobs b
  WHERE b.organization_id = p_organization_id AND b.hash = ANY (v_hashes) AND NOT is_blob_used(p_organization_id, b.hash);
END
$$;

-- Whether a row refers to a content. Every column with a foreign key to blobs is named here: a test compares them.
CREATE OR REPLACE FUNCTION is_blob_used(p_organization_id uuid, p_hash bytea) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (
      SELECT FROM journey_document_versions v WHERE v.organization_id = p_organization_id AND v.blob_hash = p_hash)
    OR EXISTS (SELECT FROM journey_builds b WHERE b.organization_id = p_organization_id AND b.artifact_hash = p_hash)
    OR EXISTS (SELECT FROM build_operations o WHERE o.organization_id = p_organization_id AND o.artifact_hash = p_hash)
    OR EXISTS (SELECT FROM build_criteria c WHERE c.organization_id = p_organization_id AND c.artifact_hash = p_hash)
    OR EXISTS (SELECT FROM journey_releases l WHERE l.organization_id = p_organization_id AND l.artifact_hash = p_hash)
    OR EXISTS (SELECT FROM journey_runs r WHERE r.organization_id = p_organization_id AND r.artifact_hash = p_hash)
    OR EXISTS (SELECT FROM journey_runs r WHERE r.organization_id = p_organization_id AND r.result_hash = p_hash)
$$;
