-- The history of services, from which what changed and since when is derived, and which services' data is not derived from it yet.

-- The history of a service: its completed and promoted runs, newest last by (ordered_at, id). What changed, and since when, is derived
-- from it and nothing else. To be put into queries, which order and limit it.
CREATE OR REPLACE FUNCTION service_history(p_organization_id uuid, p_service_id uuid)
RETURNS TABLE (id uuid, ordered_at timestamptz, snapshot_id uuid, endpoint_count integer, finding_count integer)
LANGUAGE sql STABLE
AS $$
  SELECT r.id, r.ordered_at, r.snapshot_id, r.endpoint_count, r.finding_count FROM scan_runs r
  WHERE r.organization_id = p_organization_id AND r.service_id = p_service_id AND r.status = 'completed' AND r.promote
$$;

-- Return the keys that identify an endpoint and a finding within a service, as seen_items has them.
CREATE OR REPLACE FUNCTION endpoint_key(p_method text, p_path text) RETURNS uuid
LANGUAGE sql IMMUTABLE
AS $$ SELECT md5('endpoint ' || p_method || ' ' || p_path)::uuid $$;

CREATE OR REPLACE FUNCTION finding_key(p_code text, p_message text, p_method text, p_path text) RETURNS uuid
LANGUAGE sql IMMUTABLE
AS $$
  SELECT md5('finding ' || quote_literal(p_code) || quote_literal(p_message) || quote_nullable(p_method) || quote_nullable(p_path))::uuid
$$;

-- Services after one whose data of a kind is not derived from their history yet, in the order of their ids.
CREATE OR REPLACE FUNCTION list_underived_services(p_organization_id uuid, p_kind text, p_after_service_id uuid, p_limit integer)
RETURNS TABLE (service_id uuid, snapshot_id uuid, history integer)
LANGUAGE sql STABLE
AS $$
  SELECT s.id, s.current_snapshot_id, s.history
  FROM services s
  LEFT JOIN LATERAL (
    SELECT i.history FROM service_derivations i
    WHERE i.organization_id = p_organization_id AND i.service_id = s.id AND i.kind = p_kind
    -- With LIMIT, each is looked up by its key, however many the planner expects.
    LIMIT 1) d ON true
  WHERE s.organization_id = p_organization_id AND s.id > p_after_service_id AND s.current_snapshot_id IS NOT NULL
    AND d.history IS DISTINCT FROM s.history
  -- In one order: two workers wait for one another, and never in a circle.
  ORDER BY s.id
  LIMIT p_limit
$$;

-- Says from which history data was derived. Call it before the data is written: another worker may do the same. Returns false if
-- it was derived from this history, or a later one, meanwhile.
CREATE OR REPLACE FUNCTION mark_derived(p_organization_id uuid, p_service_id uuid, p_kind text, p_history integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO service_derivations AS d (organization_id, service_id, kind, history)
  VALUES (p_organization_id, p_service_id, p_kind, p_history)
  ON CONFLICT (organization_id, service_id, kind) DO UPDATE SET history = excluded.history WHERE d.history < excluded.history;
  RETURN FOUND;
END
$$;
