-- The last change of each service, and the totals of each day, for the overview of all services. A worker writes them
-- some time after a scan, so that no scan waits for it. Creates four tables, locks none.

CREATE TABLE service_changes (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  -- The last run of its history that changed something.
  scan_run_id uuid NOT NULL,
  -- The one before it; null for the first.
  against_run_id uuid,
  changed_at timestamptz NOT NULL,
  -- Compared with the content before it; 0 for the first one.
  removed_endpoints integer NOT NULL,
  new_critical integer NOT NULL,
  new_high integer NOT NULL,
  PRIMARY KEY (organization_id, service_id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);

-- The counts of the last promoted run of a service on a day (UTC), by the time of its scan. For the days that the overview shows, and the
-- last one before.
CREATE TABLE service_days (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  day date NOT NULL,
  -- The time and the id of that run. Retention may have deleted it since.
  ordered_at timestamptz NOT NULL,
  scan_run_id uuid NOT NULL,
  endpoint_count integer NOT NULL,
  info integer NOT NULL,
  low integer NOT NULL,
  medium integer NOT NULL,
  high integer NOT NULL,
  critical integer NOT NULL,
  PRIMARY KEY (organization_id, service_id, day),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);

-- Organizations whose service_days have changed since their totals were computed.
CREATE TABLE stale_totals (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id)
);

-- The sums over the current contents of all services at the end of a day (UTC), or until now. A day on which they stayed the same as
-- on the last one has no row.
CREATE TABLE daily_totals (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  day date NOT NULL,
  service_count integer NOT NULL,
  endpoint_count integer NOT NULL,
  info integer NOT NULL,
  low integer NOT NULL,
  medium integer NOT NULL,
  high integer NOT NULL,
  critical integer NOT NULL,
  PRIMARY KEY (organization_id, day)
);

ALTER TABLE service_changes ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_changes_own ON service_changes USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE service_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_days_own ON service_days USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE stale_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY stale_totals_own ON stale_totals USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE daily_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY daily_totals_own ON daily_totals USING (organization_id = (SELECT current_organization_id()));
