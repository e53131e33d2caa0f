-- The rules that services break now, with the places of their findings, to count and list findings across services. A worker writes
-- them some time after a scan, so that no scan waits for it. Creates two tables, locks none.

-- From which history of a service its data was derived, by kind. If the service has another one now, the data says nothing.
CREATE TABLE service_derivations (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('changes', 'days', 'rules')),
  history integer NOT NULL,
  PRIMARY KEY (organization_id, service_id, kind),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);

CREATE TABLE service_rules (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  -- The content that has the findings: the service's current one, if the derivation is of its history.
  snapshot_id uuid NOT NULL,
  severity text NOT NULL,
  code text NOT NULL,
  -- The day (UTC) when the service first had these findings; if that is older than any filter by age, 31 days before the row was
  -- written, so that old findings share a row.
  seen_on date NOT NULL,
  -- From 0. A row has at most 32 findings: a tsvector holds 255 positions of a word, and less than 1 MB.
  part smallint NOT NULL,
  finding_count integer NOT NULL,
  -- For each finding: its index in submitted order from 0, its chunk in the list from 1, its ordinal in the chunk.
  indexes smallint[] NOT NULL,
  chunks smallint[] NOT NULL,
  ordinals smallint[] NOT NULL,
  -- See finding_fingerprint.
  fingerprints uuid[] NOT NULL,
  -- The words of the findings' messages, methods and paths, each with the places of its findings in these lists, from
  -- 1.
  words tsvector NOT NULL,
  PRIMARY KEY (organization_id, service_id, snapshot_id, severity, code, seen_on, part),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);

ALTER TABLE service_derivations ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_derivations_own ON service_derivations USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE service_rules ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_rules_own ON service_rules USING (organization_id = (SELECT current_organization_id()));
