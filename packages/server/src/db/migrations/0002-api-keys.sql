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
  -- The trust policy that issued it in exchange for a workload's token. No foreign key: it stays when the policy is deleted.
  trust_policy_id uuid,
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
-- Finds what a trust policy has issued, and what was issued long ago.
CREATE INDEX api_keys_by_trust_policy ON api_keys (organization_id, trust_policy_id, id) WHERE trust_policy_id IS NOT NULL;
CREATE INDEX api_keys_issued ON api_keys (organization_id, expires_at) WHERE trust_policy_id IS NOT NULL;
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

-- Rules by which workloads get short-lived keys in exchange for the tokens of their issuer.
CREATE TABLE trust_policies (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  name text NOT NULL,
  issuer text NOT NULL,
  audience text NOT NULL,
  -- Accepted values by claim.
  conditions jsonb NOT NULL CHECK (jsonb_typeof(conditions) = 'object'),
  scopes jsonb NOT NULL CHECK (jsonb_typeof(scopes) = 'array'),
  allowed_networks text[] CHECK (cardinality(allowed_networks) BETWEEN 1 AND 50),
  lifetime_seconds integer NOT NULL CHECK (lifetime_seconds BETWEEN 300 AND 3600),
  expires_at timestamptz,
  revision integer NOT NULL DEFAULT 1,
  created_by_key_id uuid NOT NULL,
  -- The key whose permissions it passes on.
  updated_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, name)
);
-- Tokens are looked up by it, before any organization is known.
CREATE INDEX trust_policies_issuer ON trust_policies (issuer, audience);
CREATE INDEX trust_policies_by_key ON trust_policies (organization_id, updated_by_key_id);
ALTER TABLE trust_policies ENABLE ROW LEVEL SECURITY;
CREATE POLICY trust_policies_own ON trust_policies USING (organization_id = (SELECT current_organization_id()));

-- Tokens that were exchanged, until they expire: none is exchanged twice.
CREATE TABLE exchanged_tokens (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- SHA-256 of the issuer and the token's id, or of the signed text of a token without one.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, token_hash)
);
CREATE INDEX exchanged_tokens_by_expiry ON exchanged_tokens (organization_id, expires_at);
ALTER TABLE exchanged_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY exchanged_tokens_own ON exchanged_tokens USING (organization_id = (SELECT current_organization_id()));
