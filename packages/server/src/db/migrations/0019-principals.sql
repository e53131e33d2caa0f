-- Users and service accounts, to which keys may belong. Creates a table and a view. The index on api_keys locks it while it is made.

CREATE TABLE principals (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('user', 'service_account')),
  display_name text NOT NULL,
  -- ASCII only, so that no two look equal.
  email text CHECK (email ~ '^[!-~]+$'),
  -- The key that created it; null for the operator.
  created_by uuid,
  -- Ends its keys and their sessions until it is enabled again.
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK ((kind = 'user') = (email IS NOT NULL))
);
CREATE UNIQUE INDEX principals_email ON principals (organization_id, lower(email COLLATE "C")) WHERE email IS NOT NULL;
ALTER TABLE principals ENABLE ROW LEVEL SECURITY;
CREATE POLICY principals_own ON principals USING (organization_id = (SELECT current_organization_id()));

-- Finds the keys of a principal.
CREATE INDEX api_keys_by_owner ON api_keys (organization_id, owner_principal_id, id) WHERE owner_principal_id IS NOT NULL;

-- A key with its owner as it is now, for checking a request.
CREATE VIEW checked_api_keys AS
SELECT k.organization_id, k.id, k.prefix, k.secret_hash, k.scopes, k.allowed_networks, k.expires_at, k.last_used_at,
  k.replaceable_until, k.disabled_at, k.revoked_at, p.kind AS owner_kind, p.id AS owner_id,
  p.disabled_at AS owner_disabled_at
FROM api_keys k
LEFT JOIN principals p ON p.organization_id = k.organization_id AND p.id = k.owner_principal_id;
