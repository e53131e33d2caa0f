-- Finds an identity provider, before the organization is known.
CREATE OR REPLACE FUNCTION find_identity_provider(p_id uuid) RETURNS SETOF identity_providers
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$ SELECT * FROM identity_providers WHERE id = p_id $$;

-- Finds the identity providers to which a domain of e-mail addresses leads, before the organization is known.
CREATE OR REPLACE FUNCTION find_sign_in_by_domain(p_domain text) RETURNS TABLE (id uuid, display_name text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  SELECT p.id, p.display_name
  FROM sign_in_domains d
  JOIN identity_providers p ON p.organization_id = d.organization_id AND p.id = d.identity_provider_id
  WHERE d.domain = p_domain
$$;

-- Finds the identity providers of an organization by its id, or by its name where one organization only has it.
CREATE OR REPLACE FUNCTION find_sign_in_by_organization(p_organization text) RETURNS TABLE (id uuid, display_name text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  SELECT p.id, p.display_name
  FROM (
    SELECT min(o.id::text)::uuid AS id
    FROM organizations o
    WHERE o.id = CASE WHEN p_organization ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN p_organization::uuid END
      OR lower(o.name) = lower(p_organization)
    HAVING count(*) = 1
  ) named
  JOIN identity_providers p ON p.organization_id = named.id
  ORDER BY p.id
$$;

-- Finds the identity providers of the only organization. With more than one organization it finds none: nobody learns of another's.
CREATE OR REPLACE FUNCTION find_sign_in_of_only_organization() RETURNS TABLE (id uuid, display_name text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$ SELECT p.id, p.display_name FROM identity_providers p WHERE is_only_organization() ORDER BY p.id $$;

-- Finds the organization of a sign-in's token.
CREATE OR REPLACE FUNCTION find_sign_in(p_token_hash bytea) RETURNS TABLE (organization_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$ SELECT s.organization_id FROM sign_ins s WHERE s.token_hash = p_token_hash $$;
