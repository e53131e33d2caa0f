-- Comments on scan runs, in the timeline of a change. Creates a table, locks scan_runs for a moment.

CREATE TABLE scan_run_comments (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  id uuid NOT NULL,
  text text NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Null until the text is changed.
  edited_at timestamptz,
  PRIMARY KEY (organization_id, scan_run_id, id),
  FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs (organization_id, id) ON DELETE CASCADE
);

ALTER TABLE scan_run_comments ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_run_comments_own ON scan_run_comments USING (organization_id = (SELECT current_organization_id()));
