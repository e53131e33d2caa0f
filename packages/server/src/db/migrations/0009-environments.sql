-- Environments that journeys run in, their secrets, and what a protected one runs. Secrets are encrypted by the services: the
-- database has no key that opens them.

CREATE TABLE environments (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  name text NOT NULL,
  -- Base URLs by the name of a journey's source.
  servers jsonb NOT NULL CHECK (jsonb_typeof(servers) = 'object'),
  -- Values of server variables by source and name.
  variables jsonb NOT NULL CHECK (jsonb_typeof(variables) = 'object'),
  -- Values of a journey's inputs by name, never of secret ones.
  inputs jsonb NOT NULL CHECK (jsonb_typeof(inputs) = 'object'),
  -- The destinations that a run may connect to: `host` or `host:port`, where `*.` at the beginning stands for one
  -- label.
  allowed_hosts text[] NOT NULL,
  -- Runs only versions that were released for it.
  is_protected boolean NOT NULL,
  -- Whether the evidence of its runs has bodies, which may be personal data.
  stores_bodies boolean NOT NULL,
  -- Rises with each change: a run and a build name the revision that they used.
  revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, name)
);
ALTER TABLE environments ENABLE ROW LEVEL SECURITY;
CREATE POLICY environments_own ON environments USING (organization_id = (SELECT current_organization_id()));

-- The keys that encrypt an organization's secrets, themselves encrypted (wrapped) with a key of the configuration. The newest one
-- encrypts.
CREATE TABLE data_keys (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  -- 32 bytes and the authentication tag.
  wrapped_key bytea NOT NULL CHECK (length(wrapped_key) = 48),
  nonce bytea NOT NULL CHECK (length(nonce) = 12),
  -- Which key of the configuration it is wrapped with.
  kek_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  wrapped_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
ALTER TABLE data_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY data_keys_own ON data_keys USING (organization_id = (SELECT current_organization_id()));

CREATE TABLE environment_secrets (
  organization_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  -- 8 bytes to 64 KiB and the authentication tag. Opens only with this name, version and hosts in this environment.
  ciphertext bytea NOT NULL CHECK (length(ciphertext) BETWEEN 24 AND 65552),
  nonce bytea NOT NULL CHECK (length(nonce) = 12),
  data_key_id uuid NOT NULL,
  -- The only hosts that it is sent to, written as allowed_hosts.
  hosts text[] NOT NULL CHECK (cardinality(hosts) > 0),
  version integer NOT NULL CHECK (version > 0),
  updated_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Recorded at most once a minute.
  last_used_at timestamptz,
  PRIMARY KEY (organization_id, environment_id, name),
  FOREIGN KEY (organization_id, environment_id) REFERENCES environments (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, data_key_id) REFERENCES data_keys (organization_id, id) ON DELETE RESTRICT
);
-- Ciphertext doesn't compress: don't let Postgres try.
ALTER TABLE environment_secrets ALTER COLUMN ciphertext SET STORAGE EXTERNAL;
ALTER TABLE environment_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY environment_secrets_own ON environment_secrets
  USING (organization_id = (SELECT current_organization_id()));

-- The artifact of a journey that a protected environment runs.
CREATE TABLE journey_releases (
  organization_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  -- The artifact that is run, byte for byte, also after the compiler has changed.
  artifact_hash bytea NOT NULL,
  program_id text NOT NULL,
  -- As that of a build: its inputs and the names of its secrets.
  needs text NOT NULL,
  -- Every document and server that the artifact was built from. If one of them has changed, nothing runs.
  built_from jsonb NOT NULL,
  released_by_key_id uuid NOT NULL,
  released_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, environment_id, document_id),
  FOREIGN KEY (organization_id, environment_id) REFERENCES environments (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, document_id, version)
    REFERENCES journey_document_versions (organization_id, document_id, version),
  FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs (organization_id, hash) ON DELETE RESTRICT
);
-- For the foreign key's own check when an unused blob is deleted, and to keep the builds of released artifacts.
CREATE INDEX journey_releases_by_artifact ON journey_releases (organization_id, artifact_hash);
ALTER TABLE journey_releases ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_releases_own ON journey_releases USING (organization_id = (SELECT current_organization_id()));
