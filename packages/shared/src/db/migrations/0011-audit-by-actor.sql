-- What one key did, for whoever follows a leaked one.
-- Locks: audit_events against writing, for as long as reading it takes.

CREATE INDEX audit_events_by_actor ON audit_events (organization_id, actor_key_id, id)
  WHERE actor_key_id IS NOT NULL;
