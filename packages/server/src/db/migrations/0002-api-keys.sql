CREATE TABLE api_keys (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  name text NOT NULL,
  -- `wmk_<keyid>`: requests are looked up by it, and people may see it.
  prefix text NOT NULL,
  -- SHA-256 of the secret part; the secret itself is not stored.
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  owner_principal_type text CHECK (owner_principal_type IN ('user', 'service_account')),
  owner_principal_id uuid,
  owner_display_name text,
  -- The key that created this one; null for the operator.
  created_by uuid,
  -- The key that this one was rotated into last.
  replaced_by uuid,
  scopes jsonb NOT NULL CHECK (jsonb_typeof(scopes) = 'array'),
  -- Networks that the key may be used from, in CIDR notation and canonical form; null for anywhere.
  allowed_networks text[] CHECK (cardinality(allowed_networks) BETWEEN 1 AND 50),
  expires_at timestamptz,
  last_used_at timestamptz,
  -- Until then, the request that created the key may be repeated, which replaces the key if it was not used; null without an
  -- Idempotency-Key. Meanwhile the first use is recorded before it is allowed.
  replaceable_until timestamptz,
  -- Reversible, unlike revoked_at.
  disabled_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX api_keys_prefix ON api_keys (prefix);
-- Finds the keys that a leaked key has created, level by level.
CREATE INDEX api_keys_by_creator ON api_keys (organization_id, created_by, id) WHERE created_by IS NOT NULL;
-- Finds whether another key with full access remains, while all other changes of keys wait.
CREATE INDEX api_keys_full_access ON api_keys (organization_id, id)
  WHERE revoked_at IS NULL AND scopes @> '[{"permission": "*"}]';
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_own ON api_keys USING (organization_id = (SELECT current_organization_id()));

-- The id of the key that an Idempotency-Key created, for 24 hours. Not the key itself: a repetition replaces it.
CREATE TABLE api_key_requests (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- The calling key. The same Idempotency-Key of another key is another request.
  created_by uuid NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  api_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The calling key's next request with an Idempotency-Key deletes expired rows.
  PRIMARY KEY (organization_id, created_by, idempotency_key)
);
ALTER TABLE api_key_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_key_requests_own ON api_key_requests USING (organization_id = (SELECT current_organization_id()));
