-- Decisions about findings: an accepted risk, a false positive, or one that nobody will fix. Creates a table; adds a column with a
-- constant default to organizations, which rewrites no row.

ALTER TABLE organizations ADD COLUMN finding_decision_days_max integer NOT NULL DEFAULT 365
  CHECK (finding_decision_days_max BETWEEN 1 AND 3650);

CREATE TABLE finding_decisions (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  -- Null: every service.
  service_id uuid,
  code text NOT NULL,
  -- See finding_fingerprint. Null: every finding of the rule.
  fingerprint uuid,
  -- The finding that it was made for.
  method text,
  path text,
  message text,
  kind text NOT NULL CHECK (kind IN ('accepted_risk', 'false_positive', 'wont_fix')),
  -- The highest severity that it covers.
  severity_max text NOT NULL DEFAULT 'critical' CHECK (severity_max IN ('info', 'low', 'medium', 'high', 'critical')),
  reason text NOT NULL,
  -- The last day on which it holds, in UTC.
  until date NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id),
  CHECK (fingerprint IS NULL OR service_id IS NOT NULL),
  CHECK ((fingerprint IS NULL) = (message IS NULL))
);
-- One for each target. Also for the look-ups by service, code and fingerprint.
CREATE UNIQUE INDEX finding_decisions_by_target ON finding_decisions (
  organization_id, coalesce(service_id, '00000000-0000-0000-0000-000000000000'), code,
  coalesce(fingerprint, '00000000-0000-0000-0000-000000000000'));
-- For the foreign key's own check, and the deletion of a service.
CREATE INDEX finding_decisions_by_service ON finding_decisions (organization_id, service_id) WHERE service_id IS NOT NULL;

ALTER TABLE finding_decisions ENABLE ROW LEVEL SECURITY;
CREATE POLICY finding_decisions_own ON finding_decisions USING (organization_id = (SELECT current_organization_id()));
