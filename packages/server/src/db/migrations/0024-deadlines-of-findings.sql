-- Deadlines of findings: the days that an organization gives each severity, and the first day of each finding. Adds columns; locks
-- severity_policies and service_rules for a moment. Rows of service_rules are derived again by a worker, and until then by each request.
-- Drops functions whose result changes, which CREATE OR REPLACE can't do.

-- The days by severity, without those that have none.
ALTER TABLE severity_policies ADD COLUMN due_days jsonb NOT NULL DEFAULT '{}';

DELETE FROM service_derivations WHERE kind = 'rules';
DELETE FROM service_rules;
ALTER TABLE service_rules
  -- The oldest of first_days.
  ADD COLUMN oldest_on date NOT NULL,
  -- The day (UTC) when the service first had each finding. seen_on, or before.
  ADD COLUMN first_days date[] NOT NULL;

DROP FUNCTION IF EXISTS list_rules_of_snapshot;
DROP FUNCTION IF EXISTS list_current_rules;
DROP FUNCTION IF EXISTS list_judged_rules;
