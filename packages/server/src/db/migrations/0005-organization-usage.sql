-- The accepted scans of an organization per day, counted by the accepting statement if there is a daily limit.
CREATE TABLE organization_usage (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- In UTC.
  day date NOT NULL,
  scans bigint NOT NULL,
  -- The size of the decoded bodies.
  bytes bigint NOT NULL,
  PRIMARY KEY (organization_id, day)
);
ALTER TABLE organization_usage ENABLE ROW LEVEL SECURITY;
CREATE POLICY organization_usage_own ON organization_usage
  USING (organization_id = (SELECT current_organization_id()));
