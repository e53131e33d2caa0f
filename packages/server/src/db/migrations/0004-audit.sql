-- Append-only: the services' role may insert and read.
CREATE TABLE audit_events (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  -- The list of actions is the contract's (AuditAction): a new one needs no migration.
  action text NOT NULL CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
  -- The acting key; null for the operator.
  actor_key_id uuid,
  -- The affected key; null if there is none, as for a promotion.
  api_key_id uuid,
  -- The route's pattern (never the address with its parameters) and the error code of a denied use.
  route text,
  code text,
  details jsonb NOT NULL DEFAULT '{}',
  address text,
  request_id text,
  -- Actions that a caller can repeat at will are recorded once a minute: equal texts in this column are the same action.
  once_a_minute text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK ((action = 'api_key.use_denied') = (route IS NOT NULL AND code IS NOT NULL))
);
CREATE INDEX audit_events_by_key ON audit_events (organization_id, api_key_id, id);
CREATE INDEX audit_events_by_actor ON audit_events (organization_id, actor_key_id, id) WHERE actor_key_id IS NOT NULL;
-- Uploaded results with a secret, which are counted before each upload.
CREATE INDEX audit_events_secrets_found ON audit_events (organization_id, created_at)
  WHERE action = 'journey_result.secret_found';
-- One row per key, route, code and minute, so that denied uses can't fill the disk. Console sessions have rows of their own: the
-- overview leaves them out, so they must not stand for a client's.
CREATE UNIQUE INDEX audit_events_denied_once ON audit_events (
  organization_id, api_key_id, route, code, (details @> '{"session": true}'),
  date_trunc('minute', created_at AT TIME ZONE 'UTC')
) WHERE action = 'api_key.use_denied';
CREATE UNIQUE INDEX audit_events_once_a_minute ON audit_events (
  organization_id, once_a_minute, date_trunc('minute', created_at AT TIME ZONE 'UTC')
) WHERE once_a_minute IS NOT NULL;
ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_events_own ON audit_events USING (organization_id = (SELECT current_organization_id()));
