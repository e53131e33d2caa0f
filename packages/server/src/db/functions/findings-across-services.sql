-- The findings of current runs across services, by rule. All but the writing function run with the caller's rights.

-- The rules that a content breaks, by the day when its service first had the findings, with the places of these in submitted order;
-- see service_rules. A finding is the same if its rule, message and place are, in whichever content of the service.
CREATE OR REPLACE FUNCTION list_rules_of_snapshot(p_organization_id uuid, p_service_id uuid, p_snapshot_id uuid)
RETURNS TABLE (
  severity text, code text, seen_on date, part smallint, finding_count integer, indexes smallint[], chunks smallint[], ordinals smallint[],
  fingerprints uuid[], words tsvector, first_days date[]
)
LANGUAGE sql STABLE
AS $$
  WITH history AS MATERIALIZED (
    SELECT c.id, min(h.first_seen_at) AS first_seen_at
    FROM service_snapshots h
    JOIN snapshots n ON n.organization_id = h.organization_id AND n.id = h.snapshot_id
    CROSS JOIN LATERAL unnest(n.finding_chunks) AS c (id)
    WHERE h.organization_id = p_organization_id AND h.service_id = p_service_id
    GROUP BY c.id
  ), seen AS MATERIALIZED (
    SELECT h.id AS chunk_id, f.*, least(
             min(h.first_seen_at) OVER (PARTITION BY f.code, f.message, f.method, f.path),
             (SELECT k.first_seen_at FROM seen_items k
              WHERE k.organization_id = p_organization_id AND k.service_id = p_service_id
                AND k.item = finding_key(f.code, f.message, f.method, f.path))) AS first_seen_at
    FROM history h
    -- A chunk has no more.
    CROSS JOIN LATERAL (
      SELECT r.ordinal, r.severity, r.code, r.message, r.method, r.path FROM chunk_findings r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = h.id
      LIMIT 32) f
  )
  SELECT i.severity, i.code, i.seen_on, i.part, count(*)::integer, array_agg(i.index ORDER BY i.first_day, i.index),
         array_agg(i.chunk ORDER BY i.first_day, i.index), array_agg(i.ordinal ORDER BY i.first_day, i.index),
         array_agg(finding_fingerprint(i.code, i.method, i.path, i.message) ORDER BY i.first_day, i.index),
         finding_words(array_agg(concat_ws(' ', i.message, i.method, i.path) ORDER BY i.first_day, i.index)),
         array_agg(i.first_day ORDER BY i.first_day)
  FROM (
    SELECT a.*, ((row_number() OVER (PARTITION BY a.severity, a.code, a.seen_on ORDER BY a.index) - 1) / 32)::smallint AS part
    FROM (
      SELECT s.severity, s.code, s.message, s.method, s.path, c.n::smallint AS chunk, s.ordinal::smallint AS ordinal, d.first_day,
             greatest(d.first_day, (now() AT TIME ZONE 'UTC')::date - 31) AS seen_on,
             (row_number() OVER (ORDER BY c.n, s.ordinal) - 1)::smallint AS index
      FROM snapshots n
      CROSS JOIN LATERAL unnest(n.finding_chunks) WITH ORDINALITY AS c (id, n)
      JOIN seen s ON s.chunk_id = c.id
      CROSS JOIN LATERAL (SELECT (s.first_seen_at AT TIME ZONE 'UTC')::date AS first_day) d
      WHERE n.organization_id = p_organization_id AND n.id = p_snapshot_id
    ) a
  ) i
  GROUP BY i.severity, i.code, i.seen_on, i.part
$$;

-- Which rules services break now, from service_rules, or from the findings of contents whose rules are not derived yet. The arguments after
-- the organization limit it; null does not. Archived services are left out.
CREATE OR REPLACE FUNCTION list_current_rules(
  p_organization_id uuid, p_service_ids uuid[], p_severity text, p_code text, p_seen_from date, p_seen_before date, p_words tsquery
) RETURNS TABLE (
  service_id uuid, service_name text, scan_run_id uuid, snapshot_id uuid, severity text, code text, seen_on date,
  part smallint, finding_count integer, fingerprints uuid[], first_days date[], is_indexed boolean
)
LANGUAGE sql STABLE
AS $$
  SELECT s.id, s.name, s.current_run_id, s.current_snapshot_id, r.severity, r.code, r.seen_on, r.part, r.finding_count, r.fingerprints,
         r.first_days, true
  FROM services s
  JOIN service_derivations i
    ON i.organization_id = s.organization_id AND i.service_id = s.id AND i.kind = 'rules' AND i.history = s.history
  CROSS JOIN LATERAL (
    SELECT r.severity, r.code, r.seen_on, r.part, r.finding_count, r.fingerprints, r.first_days FROM service_rules r
    WHERE r.organization_id = p_organization_id AND r.service_id = s.id AND r.snapshot_id = s.current_snapshot_id
      -- Without OR, the primary key finds the rows of one severity, and those of the others are not read.
      AND r.severity = ANY (CASE WHEN p_severity IS NULL THEN ARRAY['critical', 'high', 'medium', 'low', 'info'] ELSE ARRAY[p_severity] END)
      AND (p_code IS NULL OR r.code = p_code)
      AND (p_seen_from IS NULL OR r.seen_on >= p_seen_from) AND (p_seen_before IS NULL OR r.seen_on < p_seen_before)
      AND (p_words IS NULL OR r.words @@ p_words)
    -- With OFFSET 0, each service's rows are looked up by their key, however many the planner expects.
    OFFSET 0) r
  WHERE s.organization_id = p_organization_id AND (p_service_ids IS NULL OR s.id = ANY (p_service_ids)) AND s.archived_at IS NULL
  UNION ALL
  SELECT s.id, s.name, s.current_run_id, s.current_snapshot_id, r.severity, r.code, r.seen_on, r.part, r.finding_count, r.fingerprints,
         r.first_days, false
  FROM (
    SELECT u.id, u.name, u.current_run_id, u.current_snapshot_id
    FROM services u
    JOIN snapshots n ON n.organization_id = u.organization_id AND n.id = u.current_snapshot_id AND n.finding_count > 0
    WHERE u.organization_id = p_organization_id AND (p_service_ids IS NULL OR u.id = ANY (p_service_ids)) AND u.archived_at IS NULL
      AND NOT EXISTS (
        SELECT FROM service_derivations i
        WHERE i.organization_id = p_organization_id AND i.service_id = u.id AND i.kind = 'rules' AND i.history = u.history)
    -- With OFFSET 0, no findings are read of services whose rules are derived.
    OFFSET 0) s
  CROSS JOIN LATERAL list_rules_of_snapshot(p_organization_id, s.id, s.current_snapshot_id) r
  WHERE (p_severity IS NULL OR r.severity = p_severity) AND (p_code IS NULL OR r.code = p_code)
    AND (p_seen_from IS NULL OR r.seen_on >= p_seen_from) AND (p_seen_before IS NULL OR r.seen_on < p_seen_before)
    AND (p_words IS NULL OR r.words @@ p_words)
$$;

-- The days that an organization gives each severity that has a deadline.
CREATE OR REPLACE FUNCTION finding_deadlines(p_organization_id uuid) RETURNS TABLE (severity text, days integer)
LANGUAGE sql STABLE
AS $$
  SELECT d.key, d.value::integer FROM severity_policies p CROSS JOIN LATERAL jsonb_each_text(p.due_days) d
  WHERE p.organization_id = p_organization_id
$$;

-- The rows of list_current_rules, each with how many of its findings a decision covers that holds today, how many of the others are
-- overdue, with the day on which the first was due, and how many are due today or in the p_soon_days days after it.
CREATE OR REPLACE FUNCTION list_judged_rules(
  p_organization_id uuid, p_service_ids uuid[], p_severity text, p_code text, p_seen_from date, p_seen_before date, p_words tsquery,
  p_soon_days integer
) RETURNS TABLE (
  service_id uuid, service_name text, scan_run_id uuid, snapshot_id uuid, severity text, code text, seen_on date,
  part smallint, finding_count integer, decided_count integer, overdue_count integer, oldest_due_on date, soon_count integer,
  is_indexed boolean
)
LANGUAGE sql STABLE
AS $$
  WITH active AS MATERIALIZED (
    SELECT d.service_id, v.severity, d.code, d.fingerprint
    FROM finding_decisions d
    CROSS JOIN LATERAL unnest(severities_up_to(d.severity_max)) v (severity)
    WHERE d.organization_id = p_organization_id AND d.until >= (now() AT TIME ZONE 'UTC')::date
      AND (p_service_ids IS NULL OR d.service_id IS NULL OR d.service_id = ANY (p_service_ids))
  ), due AS MATERIALIZED (
    -- Open findings that a service had before these days are overdue, and overdue or due soon.
    SELECT d.severity, d.days, t.today - d.days AS overdue_before, t.today + p_soon_days + 1 - d.days AS soon_before
    FROM finding_deadlines(p_organization_id) d, (SELECT (now() AT TIME ZONE 'UTC')::date AS today) t
  ), judged AS (
    SELECT r.*, own.fingerprints AS decided, due.days, due.overdue_before, due.soon_before,
           in_service.code IS NOT NULL OR everywhere.code IS NOT NULL AS is_decided
    FROM list_current_rules(p_organization_id, p_service_ids, p_severity, p_code, p_seen_from, p_seen_before, p_words) r
    LEFT JOIN due ON due.severity = r.severity
    LEFT JOIN (SELECT a.severity, a.code FROM active a WHERE a.service_id IS NULL GROUP BY a.severity, a.code) everywhere
      ON everywhere.code = r.code AND everywhere.severity = r.severity
    LEFT JOIN (
      SELECT a.service_id, a.severity, a.code FROM active a WHERE a.service_id IS NOT NULL AND a.fingerprint IS NULL
      GROUP BY a.service_id, a.severity, a.code) in_service
      ON in_service.service_id = r.service_id AND in_service.code = r.code AND in_service.severity = r.severity
    LEFT JOIN (
      SELECT a.service_id, a.severity, a.code, array_agg(a.fingerprint) AS fingerprints FROM active a
      WHERE a.fingerprint IS NOT NULL GROUP BY a.service_id, a.severity, a.code) own
      ON own.service_id = r.service_id AND own.code = r.code AND own.severity = r.severity
  ), counted AS (
    SELECT j.*,
           CASE
             WHEN j.is_decided THEN j.finding_count
             WHEN j.decided IS NOT NULL THEN (SELECT count(*)::integer FROM unnest(j.fingerprints) f WHERE f = ANY (j.decided))
             ELSE 0
           END AS decided_count,
           -- width_bucket says how many of the sorted days are not after one. So 20,800 rows take 14 ms longer than without deadlines;
           -- with unnest, they take twice as long.
           CASE
             WHEN j.overdue_before IS NULL OR j.is_decided THEN 0
             WHEN j.decided IS NULL THEN width_bucket(j.overdue_before - 1, j.first_days)
             ELSE (SELECT count(*)::integer FROM unnest(j.first_days, j.fingerprints) f (day, fingerprint)
                   WHERE f.day < j.overdue_before AND NOT f.fingerprint = ANY (j.decided))
           END AS overdue_count,
           CASE
             WHEN j.soon_before IS NULL OR j.is_decided THEN 0
             WHEN j.decided IS NULL THEN width_bucket(j.soon_before - 1, j.first_days) - width_bucket(j.overdue_before - 1, j.first_days)
             ELSE (SELECT count(*)::integer FROM unnest(j.first_days, j.fingerprints) f (day, fingerprint)
                   WHERE f.day >= j.overdue_before AND f.day < j.soon_before AND NOT f.fingerprint = ANY (j.decided))
           END AS soon_count
    FROM judged j
  )
  SELECT c.service_id, c.service_name, c.scan_run_id, c.snapshot_id, c.severity, c.code, c.seen_on, c.part, c.finding_count,
         c.decided_count, c.overdue_count,
         CASE
           WHEN c.overdue_count > 0 AND c.decided IS NULL THEN c.first_days[1] + c.days
           WHEN c.overdue_count > 0 THEN (
             SELECT min(f.day) + c.days FROM unnest(c.first_days, c.fingerprints) f (day, fingerprint)
             WHERE NOT f.fingerprint = ANY (c.decided))
         END, c.soon_count, c.is_indexed
  FROM counted c
$$;

-- The order of severities: the worst first.
CREATE OR REPLACE FUNCTION severity_rank(p_severity text) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$
  SELECT array_position(ARRAY['critical', 'high', 'medium', 'low', 'info'], p_severity)
$$;

-- Writes the rules of up to p_limit services after one that are not derived yet, in the order of their ids, in place of those of earlier
-- contents. Returns how many services it found, and the last of them.
CREATE OR REPLACE FUNCTION index_service_rules(
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
  FOR v_service IN SELECT * FROM list_underived_services(p_organization_id, 'rules', p_after_service_id, p_limit) LOOP
    service_count := service_count + 1;
    last_service_id := v_service.service_id;
    -- It may have been replaced and collected since.
    CONTINUE WHEN NOT lock_snapshot(p_organization_id, v_service.snapshot_id);
    CONTINUE WHEN NOT mark_derived(p_organization_id, v_service.service_id, 'rules', v_service.history);
    DELETE FROM service_rules r WHERE r.organization_id = p_organization_id AND r.service_id = v_service.service_id;
    INSERT INTO service_rules
      (organization_id, service_id, snapshot_id, severity, code, seen_on, part, finding_count, indexes, chunks, ordinals, fingerprints, words,
       first_days)
    SELECT p_organization_id, v_service.service_id, v_service.snapshot_id, r.severity, r.code, r.seen_on, r.part, r.finding_count,
           r.indexes, r.chunks, r.ordinals, r.fingerprints, r.words, r.first_days
    FROM list_rules_of_snapshot(p_organization_id, v_service.service_id, v_service.snapshot_id) r
    ORDER BY r.severity, r.code, r.seen_on, r.part;
  END LOOP;
END
$$;
