-- What managing keys needs: the audit record, a narrower right to change keys, and the note of a key's last use.
-- Locks: api_keys for a moment (grants only); audit_events is new.

-- Append-only: the services may insert and read. Nobody who speaks through them can change what happened.
CREATE TABLE audit_events (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  action text NOT NULL CHECK (action IN (
    'api_key.created', 'api_key.rotated', 'api_key.revoked', 'api_key.use_denied')),
  -- The key that did it; null for the operator.
  actor_key_id uuid,
  -- The key that it was done to.
  api_key_id uuid NOT NULL,
  -- Of a denied use: the route's pattern (never the address with its parameters) and the error code answered.
  route text,
  code text,
  details jsonb NOT NULL DEFAULT '{}',
  address text,
  request_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK ((action = 'api_key.use_denied') = (route IS NOT NULL AND code IS NOT NULL))
);
CREATE INDEX audit_events_by_key ON audit_events (organization_id, api_key_id, id);
-- One row per key, route, code and minute, whatever a caller does: denied uses can't fill the disk.
CREATE UNIQUE INDEX audit_events_denied_once ON audit_events (
  organization_id, api_key_id, route, code, date_trunc('minute', created_at AT TIME ZONE 'UTC')
) WHERE action = 'api_key.use_denied';

ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_events_own ON audit_events USING (organization_id = (SELECT current_organization_id()));
GRANT SELECT, INSERT ON audit_events TO waymark_app;

-- A key's scopes, owner and secret are for good: the services may end a key, and note that it was used.
REVOKE UPDATE ON api_keys FROM waymark_app;
GRANT UPDATE (expires_at, revoked_at, last_used_at) ON api_keys TO waymark_app;

-- Notes the use of keys, of many organizations at once, at most once a minute each. A row that is locked right now
-- is skipped: another process notes it, or it is being revoked.
CREATE FUNCTION touch_api_keys(p_organization_ids uuid[], p_ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  UPDATE api_keys k
  SET last_used_at = now()
  FROM (
    SELECT held.organization_id, held.id
    FROM unnest(p_organization_ids, p_ids) AS used (organization_id, id)
    JOIN api_keys held ON held.organization_id = used.organization_id AND held.id = used.id
    WHERE held.last_used_at IS NULL OR held.last_used_at <= now() - interval '1 minute'
    FOR NO KEY UPDATE OF held SKIP LOCKED
  ) due
  WHERE k.organization_id = due.organization_id AND k.id = due.id
$$;
REVOKE EXECUTE ON FUNCTION touch_api_keys(uuid[], uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION touch_api_keys(uuid[], uuid[]) TO waymark_app;
