-- The severities that an organization gives rules, by code. Creates a table, locks none.

CREATE TABLE severity_policies (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id),
  revision integer NOT NULL,
  -- A list of objects with code and severity, sorted by code.
  rules jsonb NOT NULL,
  updated_by_key_id uuid NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE severity_policies ENABLE ROW LEVEL SECURITY;
CREATE POLICY severity_policies_own ON severity_policies USING (organization_id = (SELECT current_organization_id()));
