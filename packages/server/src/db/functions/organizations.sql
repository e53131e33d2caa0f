-- The id of the next organization after this one, for work that processes one organization after another.
CREATE OR REPLACE FUNCTION next_organization_id(p_after uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$ SELECT id FROM organizations WHERE id > p_after ORDER BY id LIMIT 1 $$;
