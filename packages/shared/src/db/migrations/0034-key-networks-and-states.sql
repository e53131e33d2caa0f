-- The networks that a key may be used from, the reversible state beside revocation, who made which key, and the keys
-- that may do everything.
-- Locks: api_keys against everything while its rows are checked once (no rewrite), and while two indexes are built.

ALTER TABLE api_keys
  -- Networks in CIDR notation and canonical form; null for anywhere.
  ADD COLUMN allowed_networks text[] CHECK (cardinality(allowed_networks) BETWEEN 1 AND 50),
  ADD COLUMN disabled_at timestamptz;
GRANT UPDATE (disabled_at) ON api_keys TO waymark_app;

-- What a leaked key has made is found level by level.
CREATE INDEX api_keys_by_creator ON api_keys (organization_id, created_by, id) WHERE created_by IS NOT NULL;
-- Whether another key that may do everything remains, asked while every other change of keys waits.
CREATE INDEX api_keys_full_access ON api_keys (organization_id, id)
  WHERE revoked_at IS NULL AND scopes @> '[{"permission": "*"}]';

-- The list of actions is the contract's (AuditAction): a new one needs no migration. As in 0032, whichever comes first.
ALTER TABLE audit_events DROP CONSTRAINT audit_events_action_check;
ALTER TABLE audit_events
  ADD CONSTRAINT audit_events_action_check CHECK (action ~ '^[a-z_]+\.[a-z_]+$') NOT VALID;
