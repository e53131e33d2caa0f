-- How many changes broke clients on each day, and how many runs nobody compared. Only these functions write the tables, so they run with
-- their owner's rights.

-- Says that a run was compared, or that an approval of its changes was used or is open again: its day is counted again.
CREATE OR REPLACE FUNCTION mark_breaks_stale(p_organization_id uuid, p_scan_run_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  INSERT INTO stale_break_days (organization_id, service_id, day)
  SELECT p_organization_id, r.service_id, (r.ordered_at AT TIME ZONE 'UTC')::date
  FROM scan_runs r WHERE r.organization_id = p_organization_id AND r.id = p_scan_run_id;
END
$$;

-- Counts a day of a service's history. The first run of a history has none before it, and is left out.
CREATE OR REPLACE FUNCTION count_breaks_of_day(p_organization_id uuid, p_service_id uuid, p_day date, p_is_cut boolean)
RETURNS TABLE (breaking integer, compared integer, not_compared integer)
LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT coalesce(sum(CASE WHEN c.outcome = 'compared' THEN c.breaking - count_approved(r, k.fingerprints[1 : c.breaking]) END), 0)::integer,
         count(*) FILTER (WHERE w.is_whole)::integer,
         count(*) FILTER (WHERE NOT w.is_whole AND (p_is_cut OR c.previous_run_id IS NOT NULL OR c.outcome IS NOT NULL))::integer
  FROM read_comparisons(p_organization_id, ARRAY(
    SELECT h.id FROM service_history(p_organization_id, p_service_id) h
    WHERE h.ordered_at >= p_day::timestamp AT TIME ZONE 'UTC' AND h.ordered_at < (p_day + 1)::timestamp AT TIME ZONE 'UTC')) c
  JOIN scan_runs r ON r.organization_id = p_organization_id AND r.id = c.scan_run_id
  LEFT JOIN LATERAL (
    SELECT i.fingerprints FROM scan_comparisons i
    WHERE i.organization_id = p_organization_id AND i.scan_run_id = c.scan_run_id
    LIMIT 1) k ON true
  CROSS JOIN LATERAL (
    SELECT CASE c.outcome WHEN 'compared' THEN c.not_compared = '[]' ELSE c.outcome IS NULL AND c.is_same END AS is_whole) w
$$;

-- Counts the days of a service again on which something has changed since: those that are marked, and those with other runs. Returns them.
CREATE OR REPLACE FUNCTION record_breaks_of_service(p_organization_id uuid, p_service_id uuid) RETURNS date[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_is_cut boolean;
  v_first_id uuid;
  v_marked date[];
  v_days date[];
BEGIN
  -- The row's lock makes two workers count one after another.
  INSERT INTO break_derivations AS d (organization_id, service_id, history, current_run_id)
  SELECT p_organization_id, s.id, s.history, s.current_run_id FROM services s
  WHERE s.organization_id = p_organization_id AND s.id = p_service_id
  ON CONFLICT (organization_id, service_id) DO UPDATE SET history = excluded.history, current_run_id = excluded.current_run_id
  RETURNING d.is_cut INTO v_is_cut;
  WITH gone AS (
    DELETE FROM stale_break_days k WHERE k.organization_id = p_organization_id AND k.service_id = p_service_id RETURNING k.day
  )
  SELECT coalesce(array_agg(DISTINCT g.day), '{}') INTO v_marked FROM gone g;
  IF NOT v_is_cut THEN
    SELECT h.id INTO v_first_id FROM service_history(p_organization_id, p_service_id) h ORDER BY h.ordered_at, h.id LIMIT 1;
  END IF;
  WITH runs AS (
    SELECT (h.ordered_at AT TIME ZONE 'UTC')::date AS day, count(*) FILTER (WHERE h.id IS DISTINCT FROM v_first_id) AS count
    FROM service_history(p_organization_id, p_service_id) h
    WHERE h.ordered_at >= first_day_of_totals()::timestamp AT TIME ZONE 'UTC'
    GROUP BY 1
  ), counted AS (
    SELECT d.day, d.compared + d.not_compared AS count, d.is_final FROM service_break_days d
    WHERE d.organization_id = p_organization_id AND d.service_id = p_service_id AND d.day >= first_day_of_totals()
  )
  SELECT coalesce(array_agg(coalesce(r.day, c.day)), '{}') INTO v_days
  FROM runs r
  FULL JOIN counted c ON c.day = r.day
  WHERE c.is_final IS NOT TRUE
    AND (coalesce(r.count, 0) <> coalesce(c.count, 0) OR coalesce(r.day, c.day) = ANY (v_marked));
  INSERT INTO service_break_days AS d (organization_id, service_id, day, breaking, compared, not_compared)
  SELECT p_organization_id, p_service_id, named.day, n.breaking, n.compared, n.not_compared
  FROM unnest(v_days) AS named (day)
  CROSS JOIN LATERAL count_breaks_of_day(p_organization_id, p_service_id, named.day, v_is_cut) n
  ON CONFLICT (organization_id, service_id, day) DO UPDATE
    SET breaking = excluded.breaking, compared = excluded.compared, not_compared = excluded.not_compared;
  DELETE FROM service_break_days d
  WHERE d.organization_id = p_organization_id AND d.service_id = p_service_id AND d.day < first_day_of_totals();
  RETURN v_days;
END
$$;

-- Writes the sums of some days over all services.
CREATE OR REPLACE FUNCTION sum_breaks_of_days(p_organization_id uuid, p_days date[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF cardinality(p_days) = 0 THEN
    RETURN;
  END IF;
  -- One after another: the sums of two who don't see each other's rows would be wrong.
  PERFORM pg_advisory_xact_lock(hashtextextended('breaks of days ' || p_organization_id, 0));
  INSERT INTO daily_breaks AS d (organization_id, day, breaking, compared, not_compared)
  SELECT p_organization_id, named.day, coalesce(n.breaking, 0), coalesce(n.compared, 0), coalesce(n.not_compared, 0)
  FROM (SELECT DISTINCT unnest(p_days) AS day) AS named
  LEFT JOIN LATERAL (
    SELECT sum(b.breaking) AS breaking, sum(b.compared) AS compared, sum(b.not_compared) AS not_compared FROM service_break_days b
    WHERE b.organization_id = p_organization_id AND b.day = named.day) n ON true
  ON CONFLICT (organization_id, day) DO UPDATE
    SET breaking = excluded.breaking, compared = excluded.compared, not_compared = excluded.not_compared;
END
$$;

-- Counts the days of up to p_limit services after one on which something has changed since, in the order of their ids. Returns how many
-- services it found, and the last of them.
CREATE OR REPLACE FUNCTION record_service_breaks(
  p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_service_id uuid;
  v_days date[] := '{}';
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  service_count := 0;
  FOR v_service_id IN
    SELECT s.id
    FROM services s
    LEFT JOIN LATERAL (
      SELECT i.history, i.current_run_id FROM break_derivations i
      WHERE i.organization_id = p_organization_id AND i.service_id = s.id
      LIMIT 1) d ON true
    WHERE s.organization_id = p_organization_id AND s.id > p_after_service_id AND (
      s.current_run_id IS NOT NULL AND (d.history, d.current_run_id) IS DISTINCT FROM (s.history, s.current_run_id)
      OR EXISTS (SELECT FROM stale_break_days k WHERE k.organization_id = p_organization_id AND k.service_id = s.id))
    -- In one order: two workers wait for one another, and never in a circle.
    ORDER BY s.id
    LIMIT p_limit
  LOOP
    service_count := service_count + 1;
    last_service_id := v_service_id;
    v_days := v_days || record_breaks_of_service(p_organization_id, v_service_id);
  END LOOP;
  PERFORM sum_breaks_of_days(p_organization_id, v_days);
END
$$;

-- Counts the days of runs that retention is about to delete for the last time. Late scans change them no more.
CREATE OR REPLACE FUNCTION finish_days_of_breaks(p_organization_id uuid, p_scan_run_ids uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_service_id uuid;
  v_days date[] := '{}';
BEGIN
  FOR v_service_id IN
    SELECT DISTINCT r.service_id FROM scan_runs r
    WHERE r.organization_id = p_organization_id AND r.id = ANY (p_scan_run_ids) AND r.promote
    ORDER BY r.service_id
  LOOP
    v_days := v_days || record_breaks_of_service(p_organization_id, v_service_id);
    UPDATE break_derivations d SET is_cut = true
    WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id AND NOT d.is_cut;
    UPDATE service_break_days d SET is_final = true
    WHERE d.organization_id = p_organization_id AND d.service_id = v_service_id AND NOT d.is_final AND d.day IN (
      SELECT (r.ordered_at AT TIME ZONE 'UTC')::date FROM scan_runs r
      WHERE r.organization_id = p_organization_id AND r.id = ANY (p_scan_run_ids) AND r.service_id = v_service_id);
  END LOOP;
  PERFORM sum_breaks_of_days(p_organization_id, v_days);
END
$$;
