-- The audit record of more than keys: promotions, sign-ins, operator commands and rate refusals.
-- Locks: ACCESS EXCLUSIVE on audit_events for a moment; the rows that are there fit the constraint, which replaces a
-- stricter one and need not be checked again. The index is built over no row.

-- An organization's limit or a promotion concerns no key.
ALTER TABLE audit_events ALTER COLUMN api_key_id DROP NOT NULL;

-- The list of actions is the contract's (AuditAction): a new one needs no migration.
ALTER TABLE audit_events DROP CONSTRAINT audit_events_action_check;
ALTER TABLE audit_events
  ADD CONSTRAINT audit_events_action_check CHECK (action ~ '^[a-z_]+\.[a-z_]+$') NOT VALID;

-- What a caller can repeat at will is recorded once a minute: this column says what counts as the same.
ALTER TABLE audit_events ADD COLUMN once_a_minute text;
CREATE UNIQUE INDEX audit_events_once_a_minute ON audit_events (
  organization_id, once_a_minute, date_trunc('minute', created_at AT TIME ZONE 'UTC')
) WHERE once_a_minute IS NOT NULL;
