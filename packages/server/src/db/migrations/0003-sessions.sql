-- Sessions of the console. Signing out ends a session for every copy of its cookie.
CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  -- SHA-256 of the token in the cookie; the token itself is not stored.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  -- The key that it was opened with, whose permissions it has.
  api_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Recorded at most once a minute.
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, token_hash),
  FOREIGN KEY (organization_id, api_key_id) REFERENCES api_keys (organization_id, id)
);
-- Requests are looked up by it.
CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
-- For the limit of open sessions per key, and for finding expired ones.
CREATE INDEX sessions_by_key ON sessions (organization_id, api_key_id, created_at);
CREATE INDEX sessions_by_expiry ON sessions (organization_id, expires_at);
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_own ON sessions USING (organization_id = (SELECT current_organization_id()));
