-- Analyzes one table that has grown and never was, and says whether another may be left. Until then the planner takes an
-- organization for a single row, and any index that begins with it for as good as the one of the key. Autovacuum would do
-- it a minute later. Left to it is what is large already, as after a restore: that would take too long here.
CREATE OR REPLACE FUNCTION analyze_grown_table() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_table regclass;
BEGIN
  -- One worker is enough.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('waymark analyze_grown_table', 0)) THEN
    RETURN false;
  END IF;
  SELECT c.oid INTO v_table
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relowner = current_user::regrole
    AND c.reltuples < 0
    -- For fewer pages than these the planner takes it for as large anyway.
    AND pg_relation_size(c.oid) BETWEEN 11 * current_setting('block_size')::bigint AND 256 * 1024 * 1024
  ORDER BY c.oid
  LIMIT 1;
  IF v_table IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('ANALYZE (SKIP_LOCKED) %s', v_table);
  RETURN (SELECT c.reltuples >= 0 FROM pg_class c WHERE c.oid = v_table);
END
$$;
