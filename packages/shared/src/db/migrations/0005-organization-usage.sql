-- What an organization had accepted in a day, counted where a limit per day is set, in the statement that accepts.
CREATE TABLE organization_usage (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- In UTC.
  day date NOT NULL,
  scans bigint NOT NULL,
  -- Of decoded bodies.
  bytes bigint NOT NULL,
  PRIMARY KEY (organization_id, day)
);
ALTER TABLE organization_usage ENABLE ROW LEVEL SECURITY;
CREATE POLICY organization_usage_own ON organization_usage
  USING (organization_id = (SELECT current_organization_id()));
