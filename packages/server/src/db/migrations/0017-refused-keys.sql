-- The overview names the keys that were refused lately: without an index of their own, it would read all events of a week. Writes to
-- audit_events wait while the index is made.
CREATE INDEX audit_events_denied ON audit_events (organization_id, id) WHERE action = 'api_key.use_denied';
