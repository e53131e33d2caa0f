-- Deadlines of findings: the days that an organization gives each severity, and the first day of each finding. Adds columns; locks
-- severity_policies and service_rules for a moment. Rows of service_rules are derived again by a worker, and until then by each request.
-- Drops functions whose result changes, which CREATE OR REPLACE can't do.

-- The days by severity, without those that have none.
ALTER TABLE severity_policies ADD COLUMN due_days jsonb NOT NULL DEFAULT '{}';

DELETE FROM service_derivations WHERE kind = 'rules';
DELETE FROM service_rules;
-- The day (UTC) when the service first had each finding, the oldest first: the other lists have this order, too. seen_on is the last one,
-- or later.
ALTER TABLE service_rules ADD COLUMN first_days date[] NOT NULL;

DROP FUNCTION IF EXISTS list_rules_of_snapshot;
DROP FUNCTION IF EXISTS list_current_rules;
DROP FUNCTION IF EXISTS list_judged_rules;
