-- API keys. The reason for the planner settings of the two lookups: docs/adr/0006-plans-by-key.md.

-- Finds a key, and with it the organization, before any organization is known.
CREATE OR REPLACE FUNCTION find_api_key(p_prefix text) RETURNS SETOF checked_api_keys
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
SET random_page_cost = 0
AS $$ SELECT * FROM checked_api_keys WHERE prefix = p_prefix $$;

-- Finds several keys, for concurrent requests that share this statement.
CREATE OR REPLACE FUNCTION find_api_keys(p_prefixes text[]) RETURNS SETOF checked_api_keys
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
SET random_page_cost = 0
AS $$
BEGIN
  RETURN QUERY SELECT k.* FROM checked_api_keys k WHERE k.prefix = ANY (p_prefixes);
END
$$;

-- Records the use of keys, of many organizations at once, at most once a minute each. A locked row is skipped: another
-- process records its use, or revokes it.
CREATE OR REPLACE FUNCTION touch_api_keys(p_organization_ids uuid[], p_ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  UPDATE api_keys k
  SET last_used_at = now()
  FROM (
    SELECT held.organization_id, held.id
    FROM unnest(p_organization_ids, p_ids) AS used (organization_id, id)
    JOIN api_keys held ON held.organization_id = used.organization_id AND held.id = used.id
    WHERE held.last_used_at IS NULL OR held.last_used_at <= now() - interval '1 minute'
    FOR NO KEY UPDATE OF held SKIP LOCKED
  ) due
  WHERE k.organization_id = due.organization_id AND k.id = due.id
$$;

-- Records the first use of a key, so that a repeated creation does not replace a key that is in use. It waits for a transaction
-- that holds the key, which touch_api_keys does not. Returns false for a revoked key.
CREATE OR REPLACE FUNCTION record_first_use(p_organization_id uuid, p_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET random_page_cost = 0
AS $$
BEGIN
  UPDATE api_keys k SET last_used_at = now()
  WHERE k.organization_id = p_organization_id AND k.id = p_id AND k.last_used_at IS NULL AND k.revoked_at IS NULL;
  RETURN FOUND OR EXISTS (
    SELECT FROM api_keys k WHERE k.organization_id = p_organization_id AND k.id = p_id AND k.revoked_at IS NULL);
END
$$;

-- Finds the trust policies that name an issuer, before the organization is known: first those with an audience of the token. An audience
-- belongs to one organization, so the limit holds all of them; others are for explaining a refusal.
CREATE OR REPLACE FUNCTION find_trust_policies(p_issuer text, p_audiences text[]) RETURNS SETOF trust_policies
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  SELECT * FROM trust_policies
  WHERE issuer = p_issuer AND (expires_at IS NULL OR expires_at > now())
  ORDER BY audience = ANY (p_audiences) DESC, id
  LIMIT 400
$$;

-- True if there is one organization only: then every audience is its own.
CREATE OR REPLACE FUNCTION is_only_organization() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$ SELECT count(*) = 1 FROM (SELECT FROM organizations LIMIT 2) found $$;

-- Deletes up to p_limit issued keys that expired more than p_days ago and have no session. Returns how many.
CREATE OR REPLACE FUNCTION delete_issued_keys(p_organization_id uuid, p_days integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_ids uuid[];
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  v_ids := ARRAY(
    SELECT k.id FROM api_keys k
    WHERE k.organization_id = p_organization_id AND k.trust_policy_id IS NOT NULL
      AND k.expires_at < now() - p_days * interval '1 day'
      AND NOT EXISTS (SELECT FROM sessions s WHERE s.organization_id = k.organization_id AND s.api_key_id = k.id)
    ORDER BY k.expires_at
    LIMIT p_limit);
  DELETE FROM api_keys k WHERE k.organization_id = p_organization_id AND k.id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;
