-- Finds the organization of an invitation's token, before any organization is known.
CREATE OR REPLACE FUNCTION find_invitation(p_token_hash bytea) RETURNS TABLE (organization_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$ SELECT i.organization_id FROM invitations i WHERE i.token_hash = p_token_hash $$;
