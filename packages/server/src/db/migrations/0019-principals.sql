-- Users and service accounts, to which keys may belong, and the roles of users. Creates tables. The index on api_keys locks it while it is made.

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

-- Roles of the organization's own. The built-in ones are in the code.
CREATE TABLE roles (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9-]{0,62}$'),
  permissions text[] NOT NULL CHECK (cardinality(permissions) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, name)
);
ALTER TABLE roles ENABLE ROW LEVEL SECURITY;
CREATE POLICY roles_own ON roles USING (organization_id = (SELECT current_organization_id()));

-- The roles of users.
CREATE TABLE role_grants (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  principal_id uuid NOT NULL,
  -- A built-in role, or one of the organization's own.
  role text NOT NULL,
  -- Names of services, or globs that end in *; null for everything.
  service_names text[] CHECK (cardinality(service_names) BETWEEN 1 AND 50),
  -- The key that granted it; null for the operator.
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, principal_id) REFERENCES principals (organization_id, id)
);
-- Each request of a user reads the user's roles.
CREATE INDEX role_grants_by_principal ON role_grants (organization_id, principal_id, id);
CREATE INDEX role_grants_by_role ON role_grants (organization_id, role);
ALTER TABLE role_grants ENABLE ROW LEVEL SECURITY;
CREATE POLICY role_grants_own ON role_grants USING (organization_id = (SELECT current_organization_id()));

-- Persons who may become users. Accepting an invitation deletes it.
CREATE TABLE invitations (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  email text NOT NULL CHECK (email ~ '^[!-~]+$'),
  -- The roles that the user gets.
  roles jsonb NOT NULL CHECK (jsonb_typeof(roles) = 'array'),
  -- SHA-256 of the token in the link; the token itself is not stored.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  -- The key that invited, which must still be usable; null for the operator.
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- Requests are looked up by it.
CREATE UNIQUE INDEX invitations_token ON invitations (token_hash);
CREATE UNIQUE INDEX invitations_email ON invitations (organization_id, lower(email COLLATE "C"));
ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY invitations_own ON invitations USING (organization_id = (SELECT current_organization_id()));
