-- Findings are assigned to users or teams. Locks finding_assignments and teams for a moment, and finding_assignments while the index is made.

-- A user or a team takes care of a finding. The assignment ends with the team.
ALTER TABLE finding_assignments
  ALTER COLUMN principal_id DROP NOT NULL,
  ADD COLUMN team_id uuid,
  ADD CHECK (num_nonnulls(principal_id, team_id) = 1),
  ADD FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE;
CREATE INDEX finding_assignments_by_team ON finding_assignments (organization_id, team_id, id) WHERE team_id IS NOT NULL;
