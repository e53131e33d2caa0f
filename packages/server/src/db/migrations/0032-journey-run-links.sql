-- Links by which people without an account read one run of a journey. Creates a table; locks organizations for a moment.

ALTER TABLE organizations
  -- False: nobody makes links to runs, and those that there are do not work.
  ADD COLUMN shares_journey_runs boolean NOT NULL DEFAULT true;

CREATE TABLE journey_run_links (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  -- Without a foreign key: a link outlives its run, and says that the run is no longer kept.
  run_id uuid NOT NULL,
  -- SHA-256 of the token in the link; the token itself is not stored.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  includes text NOT NULL CHECK (includes IN ('verdicts', 'exchanges')),
  note text,
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  open_count integer NOT NULL DEFAULT 0,
  last_opened_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
-- Requests are looked up by it.
CREATE UNIQUE INDEX journey_run_links_token ON journey_run_links (token_hash);
CREATE INDEX journey_run_links_by_run ON journey_run_links (organization_id, run_id, id);
CREATE INDEX journey_run_links_by_end ON journey_run_links (organization_id, expires_at);

ALTER TABLE journey_run_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_links_own ON journey_run_links USING (organization_id = (SELECT current_organization_id()));
