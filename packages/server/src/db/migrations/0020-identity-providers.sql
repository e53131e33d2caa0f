-- Identity providers of organizations, by which people sign in. Creates tables, adds columns without a rewrite, and replaces a function.

CREATE TABLE identity_providers (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  display_name text NOT NULL,
  -- Never changes: the subjects of identities are the issuer's.
  issuer text NOT NULL,
  client_id text NOT NULL,
  -- Encrypted with the organization's data key; null for a public client.
  client_secret bytea,
  client_secret_nonce bytea CHECK (length(client_secret_nonce) = 12),
  client_secret_key_id uuid,
  -- Scopes that are requested besides openid, email and profile.
  scopes text[] NOT NULL,
  -- Admitted are people with an address in one of these domains and in one of these groups. An empty list admits all.
  email_domains text[] NOT NULL,
  groups text[] NOT NULL,
  groups_claim text NOT NULL,
  trusts_email boolean NOT NULL,
  -- The roles that a person gets: [{ group, role, serviceNames }].
  roles jsonb NOT NULL CHECK (jsonb_typeof(roles) = 'array'),
  -- The teams that a person is a member of: [{ group, team }].
  teams jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(teams) = 'array'),
  -- The key that created it; null for the operator.
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, client_secret_key_id) REFERENCES data_keys (organization_id, id) ON DELETE RESTRICT,
  CHECK (cardinality(email_domains) + cardinality(groups) > 0),
  CHECK ((client_secret IS NULL) = (client_secret_nonce IS NULL) AND (client_secret IS NULL) = (client_secret_key_id IS NULL))
);
-- A sign-in names its provider before the organization is known.
CREATE UNIQUE INDEX identity_providers_id ON identity_providers (id);
ALTER TABLE identity_providers ENABLE ROW LEVEL SECURITY;
CREATE POLICY identity_providers_own ON identity_providers USING (organization_id = (SELECT current_organization_id()));

-- Domains of e-mail addresses whose people are led to a provider. The operator sets them: an organization must not lead others' people away.
CREATE TABLE sign_in_domains (
  organization_id uuid NOT NULL,
  domain text NOT NULL CHECK (domain ~ '^[a-z0-9.-]+$'),
  identity_provider_id uuid NOT NULL,
  PRIMARY KEY (organization_id, domain),
  FOREIGN KEY (organization_id, identity_provider_id) REFERENCES identity_providers (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX sign_in_domains_domain ON sign_in_domains (domain);
CREATE INDEX sign_in_domains_by_provider ON sign_in_domains (organization_id, identity_provider_id);
ALTER TABLE sign_in_domains ENABLE ROW LEVEL SECURITY;
CREATE POLICY sign_in_domains_own ON sign_in_domains USING (organization_id = (SELECT current_organization_id()));

-- A person as a provider knows them.
CREATE TABLE principal_identities (
  organization_id uuid NOT NULL,
  identity_provider_id uuid NOT NULL,
  -- The sub of the provider's tokens.
  subject text NOT NULL,
  principal_id uuid NOT NULL,
  -- The personal key of the sessions, whose secret nobody has.
  api_key_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, identity_provider_id, subject),
  FOREIGN KEY (organization_id, identity_provider_id) REFERENCES identity_providers (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, principal_id) REFERENCES principals (organization_id, id)
);
-- A user has one identity at a provider.
CREATE UNIQUE INDEX principal_identities_by_principal ON principal_identities (organization_id, principal_id, identity_provider_id);
ALTER TABLE principal_identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY principal_identities_own ON principal_identities USING (organization_id = (SELECT current_organization_id()));

-- Sign-ins that have begun and not ended. Each is taken once.
CREATE TABLE sign_ins (
  organization_id uuid NOT NULL,
  -- SHA-256 of the token in the browser's cookie; the token itself is not stored.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  identity_provider_id uuid NOT NULL,
  -- True if the provider must ask for the credentials, although the person is signed in there.
  again boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, token_hash),
  FOREIGN KEY (organization_id, identity_provider_id) REFERENCES identity_providers (organization_id, id) ON DELETE CASCADE
);
-- Requests are looked up by it.
CREATE UNIQUE INDEX sign_ins_token ON sign_ins (token_hash);
CREATE INDEX sign_ins_by_expiry ON sign_ins (organization_id, expires_at);
CREATE INDEX sign_ins_by_provider ON sign_ins (organization_id, identity_provider_id);
ALTER TABLE sign_ins ENABLE ROW LEVEL SECURITY;
CREATE POLICY sign_ins_own ON sign_ins USING (organization_id = (SELECT current_organization_id()));

ALTER TABLE sessions
  -- When the person last showed who they are: with a key, or by what the provider says.
  ADD COLUMN authenticated_at timestamptz NOT NULL DEFAULT now(),
  -- The provider by which it was opened, and the provider's own session; null for a session of a key.
  ADD COLUMN identity_provider_id uuid,
  ADD COLUMN provider_session text;
CREATE INDEX sessions_by_provider ON sessions (organization_id, identity_provider_id, provider_session)
  WHERE identity_provider_id IS NOT NULL;

-- The provider whose groups gave a role, and take it away; null for a role that was granted by hand.
ALTER TABLE role_grants ADD COLUMN identity_provider_id uuid;
CREATE INDEX role_grants_by_provider ON role_grants (organization_id, identity_provider_id) WHERE identity_provider_id IS NOT NULL;

-- It returns another column now.
DROP FUNCTION IF EXISTS find_session(bytea);

-- Finds an organization by the name that somebody types when signing in.
CREATE INDEX organizations_by_name ON organizations (lower(name));
