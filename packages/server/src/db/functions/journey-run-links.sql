-- Finds the organization of a link's token, before any organization is known.
CREATE OR REPLACE FUNCTION find_journey_run_link(p_token_hash bytea) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$ SELECT l.organization_id FROM journey_run_links l WHERE l.token_hash = p_token_hash $$;
