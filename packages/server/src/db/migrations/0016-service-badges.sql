-- Badges: what shows a service's status outside of Waymark, with a token of its own. Creates a table, locks none.

CREATE TABLE service_badges (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  -- SHA-256 of the token in the badge's address; the token itself is not stored.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, service_id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);
-- Requests are looked up by it.
CREATE UNIQUE INDEX service_badges_token ON service_badges (token_hash);

ALTER TABLE service_badges ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_badges_own ON service_badges USING (organization_id = (SELECT current_organization_id()));
