-- Finds the service that a badge's token is for, before any organization is known.
CREATE OR REPLACE FUNCTION find_service_badge(p_token_hash bytea) RETURNS TABLE (
  badge_organization_id uuid, badge_service_id uuid
)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$ SELECT b.organization_id, b.service_id FROM service_badges b WHERE b.token_hash = p_token_hash $$;
