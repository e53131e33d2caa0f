-- Which key an Idempotency-Key has made, for 24 hours. Never the key itself: a repetition replaces it.
-- Locks: none that matter, the table is new.

CREATE TABLE api_key_requests (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- The calling key. Another one's equal Idempotency-Key is another request.
  created_by uuid NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  api_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The calling key's next request with an Idempotency-Key deletes what is too old: there are never more rows than keys.
  PRIMARY KEY (organization_id, created_by, idempotency_key)
);
ALTER TABLE api_key_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_key_requests_own ON api_key_requests USING (organization_id = (SELECT current_organization_id()));
GRANT SELECT, INSERT, DELETE ON api_key_requests TO waymark_app;
GRANT UPDATE (api_key_id) ON api_key_requests TO waymark_app;
