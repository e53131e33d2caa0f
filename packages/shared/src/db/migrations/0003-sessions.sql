-- Sessions of the console, known to the server: signing out ends one everywhere, and every copy of its cookie with it.
CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  -- SHA-256 of the token in the cookie; the token itself is not stored.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  -- The key that it was opened with, and acts as.
  api_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Recorded at most once a minute.
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, token_hash),
  FOREIGN KEY (organization_id, api_key_id) REFERENCES api_keys (organization_id, id)
);
-- What a request is looked up by.
CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
-- What the number of open sessions per key is limited by, and what expired ones are found by.
CREATE INDEX sessions_by_key ON sessions (organization_id, api_key_id, created_at);
CREATE INDEX sessions_by_expiry ON sessions (organization_id, expires_at);
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_own ON sessions USING (organization_id = (SELECT current_organization_id()));
