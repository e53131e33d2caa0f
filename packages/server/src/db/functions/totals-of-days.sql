-- The totals of each day, from the last run of each service on it.

-- The first day of which the overview shows the totals.
CREATE OR REPLACE FUNCTION first_day_of_totals() RETURNS date
LANGUAGE sql STABLE
AS $$ SELECT (now() AT TIME ZONE 'UTC')::date - 90 $$;

-- Writes the last run of each day in the history of a service, back to the first day of the totals and one before. Rows of deleted runs
-- stay.
CREATE OR REPLACE FUNCTION record_days_of_service(p_organization_id uuid, p_service_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_before timestamptz := 'infinity';
  v_run record;
BEGIN
  LOOP
    SELECT h.id, h.ordered_at, (h.ordered_at AT TIME ZONE 'UTC')::date AS day, h.snapshot_id, h.endpoint_count INTO v_run
    FROM service_history(p_organization_id, p_service_id) h
    WHERE h.ordered_at < v_before
    ORDER BY h.ordered_at DESC, h.id DESC
    LIMIT 1;
    EXIT WHEN NOT FOUND;
    INSERT INTO service_days AS d
      (organization_id, service_id, day, ordered_at, scan_run_id, endpoint_count, info, low, medium, high, critical)
    SELECT p_organization_id, p_service_id, v_run.day, v_run.ordered_at, v_run.id, v_run.endpoint_count,
           coalesce((n.findings_by_severity->>'info')::integer, 0), coalesce((n.findings_by_severity->>'low')::integer, 0),
           coalesce((n.findings_by_severity->>'medium')::integer, 0), coalesce((n.findings_by_severity->>'high')::integer, 0),
           coalesce((n.findings_by_severity->>'critical')::integer, 0)
    FROM snapshots n WHERE n.organization_id = p_organization_id AND n.id = v_run.snapshot_id
    ON CONFLICT (organization_id, service_id, day) DO UPDATE
      SET ordered_at = excluded.ordered_at, scan_run_id = excluded.scan_run_id, endpoint_count = excluded.endpoint_count,
          info = excluded.info, low = excluded.low, medium = excluded.medium, high = excluded.high, critical = excluded.critical
      WHERE (excluded.ordered_at, excluded.scan_run_id) > (d.ordered_at, d.scan_run_id);
    EXIT WHEN v_run.day <= first_day_of_totals();
    v_before := v_run.day::timestamp AT TIME ZONE 'UTC';
  END LOOP;
  DELETE FROM service_days d
  WHERE d.organization_id = p_organization_id AND d.service_id = p_service_id AND d.day < (
    SELECT max(k.day) FROM service_days k
    WHERE k.organization_id = p_organization_id AND k.service_id = p_service_id AND k.day <= first_day_of_totals());
END
$$;

-- Writes the days of up to p_limit services after one that are not derived yet, in the order of their ids. Returns how many services it
-- found, and the last of them.
CREATE OR REPLACE FUNCTION record_service_days(
  p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_service record;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  service_count := 0;
  FOR v_service IN SELECT * FROM list_underived_services(p_organization_id, 'days', p_after_service_id, p_limit) LOOP
    service_count := service_count + 1;
    last_service_id := v_service.service_id;
    CONTINUE WHEN NOT mark_derived(p_organization_id, v_service.service_id, 'days', v_service.history);
    PERFORM record_days_of_service(p_organization_id, v_service.service_id);
  END LOOP;
  IF service_count > 0 THEN
    INSERT INTO stale_totals (organization_id) VALUES (p_organization_id) ON CONFLICT DO NOTHING;
  END IF;
END
$$;

-- True if a service is in lists and totals: it is neither archived nor deleted.
CREATE OR REPLACE FUNCTION is_counted(p_service services) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$ SELECT p_service.archived_at IS NULL AND p_service.deleted_at IS NULL $$;

-- The totals at the end of each day on which they changed, from the first day of the totals on: a service counts from the day when it was
-- created, or its first scan was made.
CREATE OR REPLACE FUNCTION sum_service_days(p_organization_id uuid)
RETURNS TABLE (
  day date, service_count integer, endpoint_count integer, info integer, low integer, medium integer, high integer, critical integer
)
LANGUAGE sql STABLE
AS $$
  WITH steps AS (
    SELECT greatest(d.day, first_day_of_totals()) AS day, 0 AS services,
           d.endpoint_count - lag(d.endpoint_count, 1, 0) OVER earlier AS endpoints, d.info - lag(d.info, 1, 0) OVER earlier AS info,
           d.low - lag(d.low, 1, 0) OVER earlier AS low, d.medium - lag(d.medium, 1, 0) OVER earlier AS medium,
           d.high - lag(d.high, 1, 0) OVER earlier AS high, d.critical - lag(d.critical, 1, 0) OVER earlier AS critical
    FROM service_days d
    JOIN services s ON s.organization_id = p_organization_id AND s.id = d.service_id AND is_counted(s)
    WHERE d.organization_id = p_organization_id
    WINDOW earlier AS (PARTITION BY d.service_id ORDER BY d.day)
    UNION ALL
    SELECT greatest(least((s.created_at AT TIME ZONE 'UTC')::date, f.day), first_day_of_totals()), 1, 0, 0, 0, 0, 0, 0
    FROM services s
    LEFT JOIN LATERAL (
      SELECT d.day FROM service_days d WHERE d.organization_id = p_organization_id AND d.service_id = s.id ORDER BY d.day LIMIT 1) f ON true
    WHERE s.organization_id = p_organization_id AND is_counted(s)
  ), changed AS (
    SELECT t.day, sum(t.services) AS services, sum(t.endpoints) AS endpoints, sum(t.info) AS info, sum(t.low) AS low, sum(t.medium) AS medium,
           sum(t.high) AS high, sum(t.critical) AS critical
    FROM steps t GROUP BY t.day
    HAVING (sum(t.services), sum(t.endpoints), sum(t.info), sum(t.low), sum(t.medium), sum(t.high), sum(t.critical))
      <> (0, 0, 0, 0, 0, 0, 0)
  )
  SELECT c.day, (sum(c.services) OVER until)::integer, (sum(c.endpoints) OVER until)::integer, (sum(c.info) OVER until)::integer,
         (sum(c.low) OVER until)::integer, (sum(c.medium) OVER until)::integer, (sum(c.high) OVER until)::integer,
         (sum(c.critical) OVER until)::integer
  FROM changed c
  WINDOW until AS (ORDER BY c.day)
$$;

-- Writes the totals of the days if services' days have changed since, or there are other services. Earlier days keep theirs.
CREATE OR REPLACE FUNCTION record_daily_totals(p_organization_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  DELETE FROM stale_totals t WHERE t.organization_id = p_organization_id;
  IF NOT FOUND AND (SELECT count(*) FROM services s WHERE s.organization_id = p_organization_id AND is_counted(s)) = coalesce((
    SELECT t.service_count FROM daily_totals t WHERE t.organization_id = p_organization_id ORDER BY t.day DESC LIMIT 1), 0) THEN
    RETURN;
  END IF;
  DELETE FROM daily_totals t
  WHERE t.organization_id = p_organization_id AND t.day >= first_day_of_totals()
    AND t.day NOT IN (SELECT n.day FROM sum_service_days(p_organization_id) n);
  INSERT INTO daily_totals AS d (organization_id, day, service_count, endpoint_count, info, low, medium, high, critical)
  SELECT p_organization_id, n.day, n.service_count, n.endpoint_count, n.info, n.low, n.medium, n.high, n.critical
  FROM sum_service_days(p_organization_id) n
  ON CONFLICT (organization_id, day) DO UPDATE
    SET service_count = excluded.service_count, endpoint_count = excluded.endpoint_count, info = excluded.info, low = excluded.low,
        medium = excluded.medium, high = excluded.high, critical = excluded.critical;
END
$$;
