-- The numbers that the overview begins with, as a worker counted them last on each day (UTC). Creates a table, locks none.

-- A number is null if it was not known. A day on which no worker ran has no row.
CREATE TABLE overview_days (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  day date NOT NULL,
  recorded_at timestamptz NOT NULL,
  breaking_services integer,
  gate_failures integer,
  proven_criteria integer,
  must_criteria integer,
  covered_endpoints integer,
  endpoints integer,
  PRIMARY KEY (organization_id, day),
  CHECK (num_nulls(proven_criteria, must_criteria) <> 1),
  CHECK (num_nulls(covered_endpoints, endpoints) <> 1)
);

ALTER TABLE overview_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY overview_days_own ON overview_days USING (organization_id = (SELECT current_organization_id()));
