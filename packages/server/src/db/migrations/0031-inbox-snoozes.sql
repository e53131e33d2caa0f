-- Items of the overview that a person has snoozed. Creates a table, locks none.

CREATE TABLE inbox_snoozes (
  organization_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  kind text NOT NULL,
  -- A service, a run of a journey, a schedule or a key. No foreign key: it is not checked whether there is such an item.
  subject_id uuid NOT NULL,
  -- The event that the person saw, and how bad it was. The item is listed again when that changes.
  event text NOT NULL,
  level integer NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (organization_id, principal_id, kind, subject_id),
  FOREIGN KEY (organization_id, principal_id) REFERENCES principals (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX inbox_snoozes_by_end ON inbox_snoozes (organization_id, until);

ALTER TABLE inbox_snoozes ENABLE ROW LEVEL SECURITY;
CREATE POLICY inbox_snoozes_own ON inbox_snoozes USING (organization_id = (SELECT current_organization_id()));
