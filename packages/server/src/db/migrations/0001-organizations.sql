-- Every table of a tenant has organization_id first in its primary key, and a policy that shows the services' role the
-- rows of one organization only. The role owns nothing and bypasses nothing; its privileges are in roles/grants.sql.

-- The organization that the current transaction acts for. Outside of one it is null, which matches no row.
CREATE FUNCTION current_organization_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('waymark.organization_id', true), '')::uuid;

CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  -- False: the descriptions behind scans are refused. What was stored before stays until its runs are deleted.
  stores_descriptions boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
CREATE POLICY organizations_own ON organizations USING (id = (SELECT current_organization_id()));
