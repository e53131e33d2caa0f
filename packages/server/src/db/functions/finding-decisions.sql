-- Decisions about findings. All functions run with the caller's rights.

-- A text that is equal for findings that one decision covers. The same as findingIdentity in packages/shared.
CREATE OR REPLACE FUNCTION finding_identity(p_code text, p_method text, p_path text, p_message text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT char_length(p_code) || ':' || p_code
      || ' ' || coalesce(char_length(p_method) || ':' || p_method, '-')
      || ' ' || coalesce(char_length(s.shape) || ':' || s.shape, '-')
      || ' ' || char_length(m.pattern) || ':' || m.pattern
  FROM (SELECT regexp_replace(p_path, '\{[^{}]*\}', '{}', 'g') AS shape) s,
    LATERAL (SELECT regexp_replace(p_message, '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}', '#', 'g') AS text) m1,
    LATERAL (SELECT regexp_replace(m1.text, '\{[^{}]*\}', '{}', 'g') AS text) m2,
    LATERAL (SELECT regexp_replace(m2.text, '"([A-Za-z_$/#.{][^ "]*)"', '\1', 'g') AS text) m3,
    LATERAL (SELECT regexp_replace(m3.text, '"[^"]*"', '""', 'g') AS text) m4,
    LATERAL (SELECT regexp_replace(m4.text, '`([A-Za-z_$/#.{][^ `]*)`', '\1', 'g') AS text) m5,
    LATERAL (SELECT regexp_replace(m5.text, '`[^`]*`', '``', 'g') AS text) m6,
    LATERAL (SELECT regexp_replace(m6.text, '(^|[ (=:,])''([A-Za-z_$/#.{][^ '']*)''', '\1\2', 'g') AS text) m7,
    LATERAL (SELECT regexp_replace(m7.text, '(^|[ (=:,])''[^'']*''', '\1''''', 'g') AS text) m8,
    LATERAL (SELECT regexp_replace(m8.text, '[0-9]+([.,:-][0-9]+)*', '#', 'g') AS pattern) m
$$;

-- The first 128 bits of SHA-256 of that text. The same as findingFingerprint in packages/server.
CREATE OR REPLACE FUNCTION finding_fingerprint(p_code text, p_method text, p_path text, p_message text) RETURNS uuid
LANGUAGE sql IMMUTABLE
AS $$
  SELECT encode(substr(sha256(convert_to(finding_identity(p_code, p_method, p_path, p_message), 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- The severities that a decision up to one covers. The same as coversSeverity in packages/shared.
CREATE OR REPLACE FUNCTION severities_up_to(p_severity_max text) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT s.all[1:array_position(s.all, p_severity_max)] FROM (SELECT ARRAY['info', 'low', 'medium', 'high', 'critical'] AS all) s
$$;

-- How many findings of a service's current run decisions cover that hold today, by severity. Severities without any are left out.
CREATE OR REPLACE FUNCTION decided_by_severity(p_organization_id uuid, p_service_id uuid) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_every CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  v_today CONSTANT date := (now() AT TIME ZONE 'UTC')::date;
  v_service services;
  -- The severities with a decided rule or finding, and the rules and findings that are decided at each, as a severity and a code or fingerprint.
  v_severities text[];
  v_rules text[];
  v_findings text[];
BEGIN
  SELECT array_agg(DISTINCT v.severity), array_agg(v.severity || ' ' || d.code) FILTER (WHERE d.fingerprint IS NULL),
         array_agg(v.severity || ' ' || d.fingerprint) FILTER (WHERE d.fingerprint IS NOT NULL)
  INTO v_severities, v_rules, v_findings
  FROM finding_decisions d
  CROSS JOIN LATERAL unnest(severities_up_to(d.severity_max)) v (severity)
  WHERE d.organization_id = p_organization_id AND coalesce(d.service_id, v_every) IN (p_service_id, v_every) AND d.until >= v_today;
  IF v_severities IS NULL THEN
    RETURN '{}';
  END IF;
  SELECT s.* INTO v_service FROM services s WHERE s.organization_id = p_organization_id AND s.id = p_service_id;
  RETURN (
    SELECT coalesce(jsonb_object_agg(c.severity, c.decided), '{}')
    FROM (
      SELECT r.severity, sum(CASE
          WHEN r.severity || ' ' || r.code = ANY (v_rules) THEN r.finding_count
          ELSE (SELECT count(*) FROM unnest(r.fingerprints) f WHERE r.severity || ' ' || f = ANY (v_findings))
        END) AS decided
      FROM (
        SELECT k.severity, k.code, k.finding_count, k.fingerprints FROM service_rules k
        JOIN service_derivations i
          ON i.organization_id = k.organization_id AND i.service_id = k.service_id AND i.kind = 'rules' AND i.history = v_service.history
        WHERE k.organization_id = p_organization_id AND k.service_id = p_service_id AND k.snapshot_id = v_service.current_snapshot_id
        UNION ALL
        SELECT l.severity, l.code, l.finding_count, l.fingerprints
        FROM list_rules_of_snapshot(p_organization_id, p_service_id, v_service.current_snapshot_id) l
        WHERE NOT EXISTS (
          SELECT FROM service_derivations i
          WHERE i.organization_id = p_organization_id AND i.service_id = p_service_id AND i.kind = 'rules' AND i.history = v_service.history)
      ) r
      GROUP BY r.severity
    ) c
    WHERE c.decided > 0);
END
$$;
