-- Organizations, API keys, and the role that the services work as.
-- The role owns nothing and bypasses nothing: row-level security stands behind every query's own condition.
-- Locks: none that matter, the tables are new.

DO $$
BEGIN
  CREATE ROLE waymark_app NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
EXCEPTION
  -- Roles belong to the whole server: another database of it may have made this one, also at this moment.
  WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'waymark_app', 'SET') THEN
    EXECUTE format('GRANT waymark_app TO %I', current_user);
  END IF;
END
$$;

GRANT USAGE ON SCHEMA public TO waymark_app;

-- The organization that the current transaction acts for; null outside of one, which matches no row.
CREATE FUNCTION current_organization_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('waymark.organization_id', true), '')::uuid;

CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
CREATE POLICY organizations_own ON organizations USING (id = (SELECT current_organization_id()));

CREATE TABLE api_keys (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  name text NOT NULL,
  -- `wmk_<keyid>`: what a request is looked up by, and what people may see.
  prefix text NOT NULL,
  -- SHA-256 of the secret part; the secret itself is nowhere.
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  owner_principal_type text CHECK (owner_principal_type IN ('user', 'service_account')),
  owner_principal_id uuid,
  owner_display_name text,
  created_by uuid,
  scopes jsonb NOT NULL CHECK (jsonb_typeof(scopes) = 'array'),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX api_keys_prefix ON api_keys (prefix);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_own ON api_keys USING (organization_id = (SELECT current_organization_id()));

-- The one way from a key to its organization, before any organization is known.
CREATE FUNCTION find_api_key(p_prefix text) RETURNS SETOF api_keys
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$ SELECT * FROM api_keys WHERE prefix = p_prefix $$;
REVOKE EXECUTE ON FUNCTION find_api_key(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(text) TO waymark_app;

GRANT SELECT ON organizations TO waymark_app;
GRANT SELECT, INSERT, UPDATE ON api_keys TO waymark_app;
