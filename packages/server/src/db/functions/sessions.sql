-- Finds the session and key of a token, before the organization is known.
CREATE OR REPLACE FUNCTION find_session(p_token_hash bytea) RETURNS TABLE (
  session_last_seen_at timestamptz, session_expires_at timestamptz, session_authenticated_at timestamptz,
  session_identity_provider_id uuid, session_key_prefix text
)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
  SELECT s.last_seen_at, s.expires_at, s.authenticated_at, s.identity_provider_id, k.prefix
  FROM sessions s
  JOIN api_keys k ON k.organization_id = s.organization_id AND k.id = s.api_key_id
  WHERE s.token_hash = p_token_hash
$$;

-- Ends the sessions of tokens, even if their key is no longer usable.
CREATE OR REPLACE FUNCTION end_sessions(p_token_hashes bytea[]) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$ DELETE FROM sessions WHERE token_hash = ANY (p_token_hashes) $$;

-- Records the use of sessions, of many organizations at once, at most once a minute each. A locked row is skipped:
-- another process records its use, or ends it.
CREATE OR REPLACE FUNCTION touch_sessions(p_token_hashes bytea[]) RETURNS void
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
