-- Pages of the console with their filters, under names that a person or a team gave them. Creates a table, locks none.

CREATE TABLE saved_views (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  -- A user or a team has it.
  principal_id uuid,
  team_id uuid,
  name text NOT NULL,
  page text NOT NULL,
  -- Without the question mark.
  query text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK (num_nonnulls(principal_id, team_id) = 1),
  FOREIGN KEY (organization_id, principal_id) REFERENCES principals (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX saved_views_of_principal ON saved_views (organization_id, principal_id, lower(name)) WHERE principal_id IS NOT NULL;
CREATE UNIQUE INDEX saved_views_of_team ON saved_views (organization_id, team_id, lower(name)) WHERE team_id IS NOT NULL;

ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
CREATE POLICY saved_views_own ON saved_views USING (organization_id = (SELECT current_organization_id()));
