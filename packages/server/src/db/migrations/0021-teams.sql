-- Teams of users, their roles, and the services that they own. Creates tables and a view. The columns lock role_grants and services for a moment;
-- the indexes lock them while they are made.

CREATE TABLE teams (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  -- The name that files and addresses have. The words that a filter uses are none.
  slug text NOT NULL CHECK (slug ~ '^[a-z][a-z0-9-]{0,62}$' AND slug NOT IN ('me', 'none', 'all')),
  display_name text NOT NULL,
  -- Its names in CODEOWNERS, in lower case: '@acme/payments'.
  handles text[] NOT NULL DEFAULT '{}' CHECK (cardinality(handles) <= 20),
  -- The key that created it; null for the operator.
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, slug)
);
ALTER TABLE teams ENABLE ROW LEVEL SECURITY;
CREATE POLICY teams_own ON teams USING (organization_id = (SELECT current_organization_id()));

CREATE TABLE team_members (
  organization_id uuid NOT NULL,
  team_id uuid NOT NULL,
  -- A user.
  principal_id uuid NOT NULL,
  -- The identity provider whose group adds and removes it; null for a member that was added by hand.
  identity_provider_id uuid,
  -- The key that added it; null for the operator and the provider.
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, team_id, principal_id),
  FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, principal_id) REFERENCES principals (organization_id, id)
);
CREATE INDEX team_members_by_provider ON team_members (organization_id, identity_provider_id) WHERE identity_provider_id IS NOT NULL;
-- Each request of a user reads the user's teams.
CREATE INDEX team_members_by_principal ON team_members (organization_id, principal_id, team_id);
ALTER TABLE team_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY team_members_own ON team_members USING (organization_id = (SELECT current_organization_id()));

-- A role is that of a user or of a team.
ALTER TABLE role_grants
  ALTER COLUMN principal_id DROP NOT NULL,
  ADD COLUMN team_id uuid,
  -- The team whose services it is for; null for everything, or for service_names.
  ADD COLUMN owned_by_team_id uuid,
  ADD CHECK (num_nonnulls(principal_id, team_id) = 1),
  ADD CHECK (num_nonnulls(service_names, owned_by_team_id) <= 1),
  ADD FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE,
  ADD FOREIGN KEY (organization_id, owned_by_team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE;
CREATE INDEX role_grants_by_team ON role_grants (organization_id, team_id, id) WHERE team_id IS NOT NULL;
CREATE INDEX role_grants_by_owner ON role_grants (organization_id, owned_by_team_id) WHERE owned_by_team_id IS NOT NULL;

-- A service of a team that is deleted has no owner.
ALTER TABLE services
  ADD COLUMN owner_team_id uuid,
  ADD FOREIGN KEY (organization_id, owner_team_id) REFERENCES teams (organization_id, id) ON DELETE SET NULL (owner_team_id);
CREATE INDEX services_by_owner ON services (organization_id, owner_team_id, id) WHERE owner_team_id IS NOT NULL;

-- Lists the roles of a user: the own ones and those of the user's teams. service_ids has the services that a role is for if it is for those that
-- a team owns. It has no settings, so that Postgres makes it a part of the statement that calls it.
CREATE FUNCTION held_roles(p_organization_id uuid, p_principal_id uuid)
RETURNS TABLE (role text, permissions text[], service_names text[], service_ids uuid[])
LANGUAGE sql STABLE
AS $$
  SELECT g.role, r.permissions, g.service_names,
    CASE WHEN g.owned_by_team_id IS NOT NULL THEN ARRAY(
      SELECT s.id FROM services s
      WHERE s.organization_id = g.organization_id AND s.owner_team_id = g.owned_by_team_id AND s.deleted_at IS NULL
    ) END
  FROM (
    SELECT own.organization_id, own.role, own.service_names, own.owned_by_team_id
    FROM role_grants own
    WHERE own.organization_id = p_organization_id AND own.principal_id = p_principal_id
    UNION ALL
    SELECT t.organization_id, t.role, t.service_names, t.owned_by_team_id
    FROM team_members m
    JOIN role_grants t ON t.organization_id = m.organization_id AND t.team_id = m.team_id
    WHERE m.organization_id = p_organization_id AND m.principal_id = p_principal_id
  ) g
  LEFT JOIN roles r ON r.organization_id = g.organization_id AND r.name = g.role
$$;

-- A key with its owner as it is now, for checking a request. The roles are json and not jsonb: jsonb_agg takes 36 ms for the ids of 1,000
-- services, and json_agg 1 ms.
CREATE VIEW checked_api_keys AS
SELECT k.organization_id, k.id, k.prefix, k.secret_hash, k.scopes, k.allowed_networks, k.expires_at, k.last_used_at,
  k.replaceable_until, k.disabled_at, k.revoked_at, p.kind AS owner_kind, p.id AS owner_id,
  p.disabled_at AS owner_disabled_at,
  CASE WHEN p.kind = 'user' THEN (
    SELECT coalesce(
      json_agg(json_build_object(
        'role', h.role, 'permissions', h.permissions, 'serviceNames', h.service_names, 'serviceIds', h.service_ids)), '[]')
    FROM held_roles(p.organization_id, p.id) h
  ) END AS owner_grants
FROM api_keys k
LEFT JOIN principals p ON p.organization_id = k.organization_id AND p.id = k.owner_principal_id;
