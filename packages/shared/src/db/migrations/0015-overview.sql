-- What the last change of each service did, and the totals of each day, for the overview of all services. A worker writes them some time
-- after a scan, so that no scan waits for it. Creates two tables, locks none.

CREATE TABLE service_changes (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  -- The content that the change brought. If the service has another one now, the row says nothing.
  snapshot_id uuid NOT NULL,
  -- The first promoted run with this content since the one before it.
  scan_run_id uuid NOT NULL,
  changed_at timestamptz NOT NULL,
  -- Compared with the content before it; 0 for the first one.
  removed_endpoints integer NOT NULL,
  new_critical integer NOT NULL,
  new_high integer NOT NULL,
  PRIMARY KEY (organization_id, service_id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
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
ALTER TABLE daily_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY daily_totals_own ON daily_totals USING (organization_id = (SELECT current_organization_id()));
