-- Sessions of the console, known to the server: signing out ends one everywhere, and every copy of its cookie with it.
-- Locks: api_keys against writing for a moment, for the foreign key of a new and empty table.

CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  -- SHA-256 of the token in the cookie; the token itself is nowhere.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  -- The key that it was opened with, and acts as.
  api_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Noted at most once a minute.
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
-- A session is opened and ended; nothing of it changes but when it was last seen, by the function below.
GRANT SELECT, INSERT, DELETE ON sessions TO waymark_app;

-- The one way from a token to its key, before any organization is known.
CREATE FUNCTION find_session(p_token_hash bytea) RETURNS TABLE (
  session_last_seen_at timestamptz, session_expires_at timestamptz, session_key_prefix text
)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
  SELECT s.last_seen_at, s.expires_at, k.prefix
  FROM sessions s
  JOIN api_keys k ON k.organization_id = s.organization_id AND k.id = s.api_key_id
  WHERE s.token_hash = p_token_hash
$$;
REVOKE EXECUTE ON FUNCTION find_session(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_session(bytea) TO waymark_app;

-- Ends the sessions of tokens. Whoever has a token may, also when its key no longer works.
CREATE FUNCTION end_sessions(p_token_hashes bytea[]) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$ DELETE FROM sessions WHERE token_hash = ANY (p_token_hashes) $$;
REVOKE EXECUTE ON FUNCTION end_sessions(bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_sessions(bytea[]) TO waymark_app;

-- Notes that sessions were used, of many organizations at once, at most once a minute each. A row that is locked right
-- now is skipped: another process notes it, or it is being ended.
CREATE FUNCTION touch_sessions(p_token_hashes bytea[]) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  UPDATE sessions s
  SET last_seen_at = now()
  FROM (
    SELECT held.token_hash
    FROM unnest(p_token_hashes) AS used (token_hash)
    JOIN sessions held ON held.token_hash = used.token_hash
    WHERE held.last_seen_at <= now() - interval '1 minute'
    FOR NO KEY UPDATE OF held SKIP LOCKED
  ) due
  WHERE s.token_hash = due.token_hash
$$;
REVOKE EXECUTE ON FUNCTION touch_sessions(bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION touch_sessions(bytea[]) TO waymark_app;
