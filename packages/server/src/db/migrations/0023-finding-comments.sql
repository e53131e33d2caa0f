-- Comments on findings of a service, and the users who take care of findings. Creates tables, locks none.

CREATE TABLE finding_comments (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid NOT NULL,
  -- See finding_fingerprint.
  fingerprint uuid NOT NULL,
  text text NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);
CREATE INDEX finding_comments_by_finding ON finding_comments (organization_id, service_id, fingerprint, id);

CREATE TABLE finding_assignments (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  fingerprint uuid NOT NULL,
  -- New with each assignment: the order of lists.
  id uuid NOT NULL,
  -- The finding that it was made for.
  code text NOT NULL,
  method text,
  path text,
  message text NOT NULL,
  principal_id uuid NOT NULL,
  assigned_by_key_id uuid NOT NULL,
  assigned_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, service_id, fingerprint),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id),
  FOREIGN KEY (organization_id, principal_id) REFERENCES principals (organization_id, id)
);
CREATE INDEX finding_assignments_by_id ON finding_assignments (organization_id, id);
CREATE INDEX finding_assignments_by_principal ON finding_assignments (organization_id, principal_id, id);

ALTER TABLE finding_comments ENABLE ROW LEVEL SECURITY;
CREATE POLICY finding_comments_own ON finding_comments USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE finding_assignments ENABLE ROW LEVEL SECURITY;
CREATE POLICY finding_assignments_own ON finding_assignments USING (organization_id = (SELECT current_organization_id()));
