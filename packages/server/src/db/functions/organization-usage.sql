-- Counts what this transaction accepted. Above a limit it raises WM002, which rolls the transaction back; the detail
-- holds the usage without it. Call it last, so that the lock on the day's row is held only during the commit. A null
-- limit means no limit. Returns no row if nothing was accepted.
CREATE OR REPLACE FUNCTION count_accepted_scans(
  p_organization_id uuid, p_scans bigint, p_bytes bigint, p_scans_max bigint, p_bytes_max bigint
) RETURNS TABLE (scans bigint, bytes bigint, reset_seconds integer)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamp := now() AT TIME ZONE 'UTC';
  v_reset_seconds integer := ceil(extract(epoch FROM date_trunc('day', v_now) + interval '1 day' - v_now));
  v_usage organization_usage;
BEGIN
  IF p_scans = 0 AND p_bytes = 0 THEN
    RETURN;
  END IF;
  -- The accepting functions wait for other locks for a moment only. This one is always free soon.
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true),
          set_config('lock_timeout', '0', true);
  UPDATE organization_usage u SET scans = u.scans + p_scans, bytes = u.bytes + p_bytes
  WHERE u.organization_id = p_organization_id AND u.day = v_now::date
  RETURNING u.* INTO v_usage;
  IF NOT FOUND THEN
    INSERT INTO organization_usage AS u (organization_id, day, scans, bytes)
    VALUES (p_organization_id, v_now::date, p_scans, p_bytes)
    ON CONFLICT ON CONSTRAINT organization_usage_pkey DO UPDATE
      SET scans = u.scans + excluded.scans, bytes = u.bytes + excluded.bytes
    RETURNING u.* INTO v_usage;
    -- The first of its day clears up.
    DELETE FROM organization_usage u
    WHERE u.organization_id = p_organization_id AND u.day < v_now::date - 31;
  END IF;
  IF v_usage.scans > p_scans_max OR v_usage.bytes > p_bytes_max THEN
    RAISE EXCEPTION 'a limit of the organization is exceeded' USING ERRCODE = 'WM002', DETAIL = json_build_object(
      'scans', v_usage.scans - p_scans, 'bytes', v_usage.bytes - p_bytes, 'resetSeconds', v_reset_seconds)::text;
  END IF;
  RETURN QUERY SELECT v_usage.scans, v_usage.bytes, v_reset_seconds;
END
$$;
