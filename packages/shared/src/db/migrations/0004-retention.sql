-- Housekeeping walks through the organizations, and the collection of unused snapshots must not pull one away
-- from under a worker that has just found it. Locks: none, functions only.

-- The next organization after this one, for work that is done for each in turn. Ids only.
CREATE FUNCTION next_organization_id(p_after uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$ SELECT id FROM organizations WHERE id > p_after ORDER BY id LIMIT 1 $$;
REVOKE EXECUTE ON FUNCTION next_organization_id(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_organization_id(uuid) TO waymark_app;

-- As before, but a snapshot that exists is locked too (against deletion, not against others who use it): the
-- collection either sees this lock and passes on, or is waited for, and then the snapshot is missing.
CREATE OR REPLACE FUNCTION lock_missing_snapshots(p_organization_id uuid, p_snapshot_ids bytea[]) RETURNS SETOF bytea
LANGUAGE plpgsql
AS $$
DECLARE
  v_snapshot_id bytea;
BEGIN
  FOREACH v_snapshot_id IN ARRAY p_snapshot_ids LOOP
    PERFORM FROM snapshots s WHERE s.organization_id = p_organization_id AND s.id = v_snapshot_id FOR KEY SHARE;
    IF NOT FOUND THEN
      PERFORM pg_advisory_xact_lock(hashtextextended(p_organization_id::text || encode(v_snapshot_id, 'hex'), 0));
      PERFORM FROM snapshots s WHERE s.organization_id = p_organization_id AND s.id = v_snapshot_id FOR KEY SHARE;
      IF NOT FOUND THEN
        RETURN NEXT v_snapshot_id;
      END IF;
    END IF;
  END LOOP;
END
$$;
