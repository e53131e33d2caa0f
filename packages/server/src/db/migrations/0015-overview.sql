-- The last change of each service, and the totals of each day, for the overview of all services. A worker writes them
-- some time after a scan, so that no scan waits for it. Creates eight tables, locks none.

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

-- The changes that broke clients in the runs of a service's history on a day (UTC), for the days that the overview shows. Each run with a
-- run before it is compared or not compared.
CREATE TABLE service_break_days (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  day date NOT NULL,
  -- Changes that break clients and are not approved.
  breaking integer NOT NULL,
  compared integer NOT NULL,
  -- Also those that are compared only in part.
  not_compared integer NOT NULL,
  -- Retention has deleted runs of the day: the counts stay.
  is_final boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, service_id, day),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);
CREATE INDEX service_break_days_by_day ON service_break_days (organization_id, day);

-- A day of a service on which a comparison or an approval has changed since it was counted. Several rows may name the same day, so that
-- nobody waits who writes one.
CREATE TABLE stale_break_days (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  day date NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  PRIMARY KEY (organization_id, service_id, day, id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);

-- From which history of a service its days were counted. A repetition of the same content is a run, and changes only the current run.
CREATE TABLE break_derivations (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  history integer NOT NULL,
  current_run_id uuid,
  -- Retention has deleted runs: the first run that is left had one before it.
  is_cut boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, service_id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);

-- The sums of service_break_days over all services.
CREATE TABLE daily_breaks (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  day date NOT NULL,
  breaking integer NOT NULL,
  compared integer NOT NULL,
  not_compared integer NOT NULL,
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
ALTER TABLE service_break_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_break_days_own ON service_break_days USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE stale_break_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY stale_break_days_own ON stale_break_days USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE break_derivations ENABLE ROW LEVEL SECURITY;
CREATE POLICY break_derivations_own ON break_derivations USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE daily_breaks ENABLE ROW LEVEL SECURITY;
CREATE POLICY daily_breaks_own ON daily_breaks USING (organization_id = (SELECT current_organization_id()));
