-- The schema that migrations/, functions/ and roles/grants.sql make, to be read and reviewed; nothing runs this file.
-- `npm run schema` writes it, and `npm run check` fails when it is not what they make.

CREATE SCHEMA bullmq;
GRANT USAGE ON SCHEMA bullmq TO waymark_app;

CREATE SCHEMA public;
GRANT USAGE ON SCHEMA public TO PUBLIC;
GRANT USAGE ON SCHEMA public TO waymark_app;

CREATE TYPE chunk_endpoint_row AS (
  chunk_id uuid,
  ordinal integer,
  method text,
  path text,
  operation_id text,
  tags text[],
  summary text
);

CREATE TYPE chunk_finding_row AS (
  chunk_id uuid,
  ordinal integer,
  code text,
  severity text,
  message text,
  method text,
  path text
);

CREATE TABLE api_key_requests (
  organization_id uuid NOT NULL,
  created_by uuid NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL,
  api_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT api_key_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT api_key_requests_pkey PRIMARY KEY (organization_id, created_by, idempotency_key),
  CONSTRAINT api_key_requests_request_hash_check CHECK ((length(request_hash) = 32))
);
ALTER TABLE api_key_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_key_requests_own ON api_key_requests AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON api_key_requests TO waymark_app;
GRANT UPDATE (api_key_id) ON api_key_requests TO waymark_app;

CREATE TABLE api_keys (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL,
  owner_principal_type text,
  owner_principal_id uuid,
  owner_display_name text,
  created_by uuid,
  scopes jsonb NOT NULL,
  allowed_networks text[],
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  disabled_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT api_keys_allowed_networks_check CHECK (((cardinality(allowed_networks) >= 1) AND (cardinality(allowed_networks) <= 50))),
  CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT api_keys_owner_principal_type_check CHECK ((owner_principal_type = ANY (ARRAY['user'::text, 'service_account'::text]))),
  CONSTRAINT api_keys_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT api_keys_scopes_check CHECK ((jsonb_typeof(scopes) = 'array'::text)),
  CONSTRAINT api_keys_secret_hash_check CHECK ((length(secret_hash) = 32))
);
CREATE INDEX api_keys_by_creator ON public.api_keys USING btree (organization_id, created_by, id) WHERE (created_by IS NOT NULL);
CREATE INDEX api_keys_full_access ON public.api_keys USING btree (organization_id, id) WHERE ((revoked_at IS NULL) AND (scopes @> '[{"permission": "*"}]'::jsonb));
CREATE UNIQUE INDEX api_keys_prefix ON public.api_keys USING btree (prefix);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_own ON api_keys AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON api_keys TO waymark_app;
GRANT UPDATE (disabled_at, expires_at, last_used_at, revoked_at) ON api_keys TO waymark_app;

CREATE TABLE audit_events (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  action text NOT NULL,
  actor_key_id uuid,
  api_key_id uuid,
  route text,
  code text,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  address text,
  request_id text,
  once_a_minute text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT audit_events_action_check CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
  CONSTRAINT audit_events_check CHECK (((action = 'api_key.use_denied'::text) = ((route IS NOT NULL) AND (code IS NOT NULL)))),
  CONSTRAINT audit_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT audit_events_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_events_by_actor ON public.audit_events USING btree (organization_id, actor_key_id, id) WHERE (actor_key_id IS NOT NULL);
CREATE INDEX audit_events_by_key ON public.audit_events USING btree (organization_id, api_key_id, id);
CREATE UNIQUE INDEX audit_events_denied_once ON public.audit_events USING btree (organization_id, api_key_id, route, code, date_trunc('minute'::text, (created_at AT TIME ZONE 'UTC'::text))) WHERE (action = 'api_key.use_denied'::text);
CREATE UNIQUE INDEX audit_events_once_a_minute ON public.audit_events USING btree (organization_id, once_a_minute, date_trunc('minute'::text, (created_at AT TIME ZONE 'UTC'::text))) WHERE (once_a_minute IS NOT NULL);
ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_events_own ON audit_events AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON audit_events TO waymark_app;

CREATE TABLE chunk_endpoints (
  organization_id uuid NOT NULL,
  chunk_id uuid NOT NULL,
  ordinal integer NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  operation_id text,
  tags text[] NOT NULL,
  summary text,
  CONSTRAINT chunk_endpoints_pkey PRIMARY KEY (organization_id, chunk_id, ordinal)
);
ALTER TABLE chunk_endpoints ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunk_endpoints_own ON chunk_endpoints AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
CREATE TRIGGER kept_from_delete AFTER DELETE ON public.chunk_endpoints REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON public.chunk_endpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_from_update AFTER UPDATE ON public.chunk_endpoints REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
GRANT SELECT ON chunk_endpoints TO waymark_app;

CREATE TABLE chunk_findings (
  organization_id uuid NOT NULL,
  chunk_id uuid NOT NULL,
  ordinal integer NOT NULL,
  code text NOT NULL,
  severity text NOT NULL,
  message text NOT NULL,
  method text,
  path text,
  CONSTRAINT chunk_findings_pkey PRIMARY KEY (organization_id, chunk_id, ordinal)
);
ALTER TABLE chunk_findings ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunk_findings_own ON chunk_findings AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
CREATE TRIGGER kept_from_delete AFTER DELETE ON public.chunk_findings REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON public.chunk_findings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_from_update AFTER UPDATE ON public.chunk_findings REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
GRANT SELECT ON chunk_findings TO waymark_app;

CREATE TABLE chunks (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  endpoint_count smallint NOT NULL,
  finding_count smallint GENERATED ALWAYS AS ((((info_count + low_count) + medium_count) + high_count) + critical_count),
  info_count smallint NOT NULL,
  low_count smallint NOT NULL,
  medium_count smallint NOT NULL,
  high_count smallint NOT NULL,
  critical_count smallint NOT NULL,
  CONSTRAINT chunks_pkey PRIMARY KEY (organization_id, id)
);
ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunks_own ON chunks AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
CREATE TRIGGER kept_from_delete AFTER DELETE ON public.chunks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_chunks_of_snapshots();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON public.chunks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_from_update AFTER UPDATE ON public.chunks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_chunks_of_snapshots();
GRANT SELECT ON chunks TO waymark_app;

CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  scan_run_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, key)
);
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY idempotency_keys_own ON idempotency_keys AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON idempotency_keys TO waymark_app;

CREATE TABLE organization_usage (
  organization_id uuid NOT NULL,
  day date NOT NULL,
  scans bigint NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT organization_usage_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT organization_usage_pkey PRIMARY KEY (organization_id, day)
);
ALTER TABLE organization_usage ENABLE ROW LEVEL SECURITY;
CREATE POLICY organization_usage_own ON organization_usage AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON organization_usage TO waymark_app;

CREATE TABLE organizations (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT organizations_pkey PRIMARY KEY (id)
);
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
CREATE POLICY organizations_own ON organizations AS PERMISSIVE FOR ALL TO public USING ((id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON organizations TO waymark_app;

CREATE TABLE scan_payloads (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  snapshot_id uuid NOT NULL,
  endpoint_chunks uuid[] STORAGE EXTERNAL NOT NULL,
  finding_chunks uuid[] STORAGE EXTERNAL NOT NULL,
  items bytea STORAGE EXTERNAL NOT NULL,
  items_bytes integer NOT NULL,
  available_at timestamp with time zone DEFAULT now(),
  attempts integer DEFAULT 0 NOT NULL,
  attempts_excused integer DEFAULT 0 NOT NULL,
  last_error text,
  trace_parent text,
  CONSTRAINT scan_payloads_pkey PRIMARY KEY (organization_id, scan_run_id)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, toast.autovacuum_vacuum_scale_factor=0, toast.autovacuum_vacuum_threshold=20000);
CREATE INDEX scan_payloads_due ON public.scan_payloads USING btree (organization_id, available_at) WHERE (available_at IS NOT NULL);
ALTER TABLE scan_payloads ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_payloads_own ON scan_payloads AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_payloads TO waymark_app;

CREATE TABLE scan_runs (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid NOT NULL,
  status text NOT NULL,
  spec_hash text NOT NULL,
  spec_format text NOT NULL,
  spec_version text,
  spec_title text,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  snapshot_id uuid,
  unchanged boolean DEFAULT false NOT NULL,
  promote boolean NOT NULL,
  ordered_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  completed_at timestamp with time zone,
  error_code text,
  error_message text,
  created_by_key_id uuid NOT NULL,
  body_hash bytea,
  contract_version integer NOT NULL,
  CONSTRAINT scan_runs_body_hash_check CHECK ((length(body_hash) = 32)),
  CONSTRAINT scan_runs_check CHECK (((status = 'completed'::text) = (snapshot_id IS NOT NULL))),
  CONSTRAINT scan_runs_check1 CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  CONSTRAINT scan_runs_check2 CHECK (((status = 'failed'::text) = ((error_code IS NOT NULL) AND (error_message IS NOT NULL)))),
  CONSTRAINT scan_runs_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT scan_runs_organization_id_snapshot_id_endpoint_count_findi_fkey FOREIGN KEY (organization_id, snapshot_id, endpoint_count, finding_count) REFERENCES snapshots(organization_id, id, endpoint_count, finding_count) ON DELETE RESTRICT,
  CONSTRAINT scan_runs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT scan_runs_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX scan_runs_by_body ON public.scan_runs USING btree (organization_id, body_hash) WHERE (body_hash IS NOT NULL);
CREATE INDEX scan_runs_by_service ON public.scan_runs USING btree (organization_id, service_id, created_at, id);
CREATE INDEX scan_runs_by_snapshot ON public.scan_runs USING btree (organization_id, snapshot_id) WHERE (snapshot_id IS NOT NULL);
ALTER TABLE scan_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_runs_own ON scan_runs AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_runs TO waymark_app;

CREATE TABLE service_snapshots (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  snapshot_id uuid NOT NULL,
  first_seen_at timestamp with time zone NOT NULL,
  last_seen_at timestamp with time zone NOT NULL,
  CONSTRAINT service_snapshots_organization_id_snapshot_id_fkey FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT service_snapshots_pkey PRIMARY KEY (organization_id, service_id, snapshot_id)
);
CREATE INDEX service_snapshots_by_snapshot ON public.service_snapshots USING btree (organization_id, snapshot_id);
ALTER TABLE service_snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_snapshots_own ON service_snapshots AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON service_snapshots TO waymark_app;

CREATE TABLE services (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  current_run_id uuid,
  current_ordered_at timestamp with time zone,
  CONSTRAINT services_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT services_organization_id_name_key UNIQUE (organization_id, name),
  CONSTRAINT services_pkey PRIMARY KEY (organization_id, id)
);
ALTER TABLE services ENABLE ROW LEVEL SECURITY;
CREATE POLICY services_own ON services AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT, UPDATE ON services TO waymark_app;

CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  api_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sessions_organization_id_api_key_id_fkey FOREIGN KEY (organization_id, api_key_id) REFERENCES api_keys(organization_id, id),
  CONSTRAINT sessions_pkey PRIMARY KEY (organization_id, token_hash),
  CONSTRAINT sessions_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (organization_id, expires_at);
CREATE INDEX sessions_by_key ON public.sessions USING btree (organization_id, api_key_id, created_at);
CREATE UNIQUE INDEX sessions_token ON public.sessions USING btree (token_hash);
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_own ON sessions AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON sessions TO waymark_app;

CREATE TABLE snapshots (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  endpoint_chunks uuid[] STORAGE EXTERNAL NOT NULL,
  finding_chunks uuid[] STORAGE EXTERNAL NOT NULL,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  findings_by_severity jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT snapshots_organization_id_id_endpoint_count_finding_count_key UNIQUE (organization_id, id, endpoint_count, finding_count),
  CONSTRAINT snapshots_pkey PRIMARY KEY (organization_id, id)
);
ALTER TABLE snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshots_own ON snapshots AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
CREATE TRIGGER kept_from_update BEFORE UPDATE OF organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity ON public.snapshots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON snapshots TO waymark_app;

CREATE TABLE waymark_functions (
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT waymark_functions_pkey PRIMARY KEY (name)
);

CREATE TABLE waymark_migrations (
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT waymark_migrations_pkey PRIMARY KEY (name)
);
GRANT SELECT ON waymark_migrations TO waymark_app;

CREATE OR REPLACE FUNCTION public.accept_scan_run(p_organization_id uuid, p_scan_run_id uuid, p_created_by_key_id uuid, p_body_hash bytea, p_contract_version integer, p_idempotency_key text, p_promote boolean, p_scanned_at timestamp with time zone, p_trace_parent text, p_may_wait boolean, p_may_create boolean, p_may_update boolean, p_service_id uuid, p_content jsonb, p_endpoint_chunks uuid[], p_finding_chunks uuid[], p_sent_chunks uuid[], p_items bytea, p_items_bytes integer, p_body_bytes bigint, p_scans_max bigint, p_bytes_max bigint, OUT outcome text, OUT run_id uuid, OUT created_at timestamp with time zone, OUT unchanged boolean, OUT service_id uuid, OUT service_name text, OUT service_is_new boolean, OUT endpoint_count integer, OUT finding_count integer, OUT missing_chunks uuid[], OUT usage json)
 RETURNS record
 LANGUAGE plpgsql
 SET random_page_cost TO '0';
-- Body of accept_scan_run: sha256 f9aa476da2332f5585cdf61fe56a55a77c47981d424a76cc8387eaeeec3b292b

CREATE OR REPLACE FUNCTION public.apply_snapshot(p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_snapshot_id uuid, p_ordered_at timestamp with time zone, p_promote boolean)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of apply_snapshot: sha256 1cf5c7e1a3190d9456e3760ff22521d6c1c74061c69a2e91ac395eb4b1737e87

CREATE OR REPLACE FUNCTION public.assert_own_organization(p_organization_id uuid)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of assert_own_organization: sha256 c1861e4ec09bad7a07f15d5a9543ec4120017624fbdde1fef2fc18586bde2bec

CREATE OR REPLACE FUNCTION public.claim_scan_runs(p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval)
 RETURNS TABLE(organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, items bytea, endpoint_row_type oid, finding_row_type oid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of claim_scan_runs: sha256 4351dca96a1586a5cc8ab246bce72f5aa97117df747b3baee5d714ee883d7d69
GRANT EXECUTE ON FUNCTION claim_scan_runs(uuid,integer,bigint,interval) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_chunks(p_organization_id uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of collect_chunks: sha256 5c732ad22ad76317a80bcec1427b2d0ec6a1ae1daacb53db0e420c2b2225b1e4
GRANT EXECUTE ON FUNCTION collect_chunks(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_snapshots(p_organization_id uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of collect_snapshots: sha256 79fa486a582f5dff50a3292ec6cdc56da60d3827931e8f418f33646e67882add
GRANT EXECUTE ON FUNCTION collect_snapshots(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.count_accepted_scans(p_organization_id uuid, p_scans bigint, p_bytes bigint, p_scans_max bigint, p_bytes_max bigint)
 RETURNS TABLE(scans bigint, bytes bigint, reset_seconds integer)
 LANGUAGE plpgsql;
-- Body of count_accepted_scans: sha256 92678f74899b8109faf7a4711e08b44750ca784f3682346d16659337a001ccdc

CREATE OR REPLACE FUNCTION public.current_organization_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('waymark.organization_id'::text, true), ''::text))::uuid
;

CREATE OR REPLACE FUNCTION public.end_sessions(p_token_hashes bytea[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of end_sessions: sha256 84e487b3deb6256505ef826f340800e8b5abd1a830c5c04a0dca4c751640faa7
GRANT EXECUTE ON FUNCTION end_sessions(bytea[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.extend_scan_leases(p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_lease interval)
 RETURNS integer
 LANGUAGE plpgsql;
-- Body of extend_scan_leases: sha256 9c7ebbe14de20805b63a5f553fe47a88332d64af068be46d0c126bf4c6d9f7c3

CREATE OR REPLACE FUNCTION public.find_api_key(p_prefix text)
 RETURNS SETOF api_keys
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of find_api_key: sha256 81893807994dc781c17487957578b001bc25b74082d2e2176b96988a3d20e50c
GRANT EXECUTE ON FUNCTION find_api_key(text) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_api_keys(p_prefixes text[])
 RETURNS SETOF api_keys
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of find_api_keys: sha256 a56af983cc130f57f9382527647ccdb1961732e324b4c7b986b83b0afc4f34ee
GRANT EXECUTE ON FUNCTION find_api_keys(text[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_current_snapshot(p_organization_id uuid, p_service_id uuid)
 RETURNS SETOF snapshots
 LANGUAGE plpgsql
 STABLE ROWS 1;
-- Body of find_current_snapshot: sha256 90c83a6812335146a8642ff7b0382cdc7996968b53c5b0b1d4be9e167490c322

CREATE OR REPLACE FUNCTION public.find_replay(p_organization_id uuid, p_idempotency_key text, p_body_hash bytea, p_content jsonb, OUT outcome text, OUT run_id uuid, OUT created_at timestamp with time zone, OUT unchanged boolean, OUT service_id uuid, OUT service_name text, OUT service_is_new boolean, OUT endpoint_count integer, OUT finding_count integer)
 RETURNS record
 LANGUAGE plpgsql;
-- Body of find_replay: sha256 e114654e65a6ecbb4b18a5d7e9148c006d9483bc99582ad762cca5e31f9f2e5b

CREATE OR REPLACE FUNCTION public.find_session(p_token_hash bytea)
 RETURNS TABLE(session_last_seen_at timestamp with time zone, session_expires_at timestamp with time zone, session_key_prefix text)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of find_session: sha256 03b76707e98f8d2e5c6840c5ab8b6137f22e2b329e43a691327955a0cc1f3fad
GRANT EXECUTE ON FUNCTION find_session(bytea) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_trace_parents(p_organization_id uuid, p_scan_run_ids uuid[])
 RETURNS TABLE(scan_run_id uuid, trace_parent text)
 LANGUAGE plpgsql;
-- Body of find_trace_parents: sha256 ae8361adbc6f142daa760a9a3e1a96c35c06496d749c40b1eaea90732cf9d358

CREATE OR REPLACE FUNCTION public.find_waiting_scan_runs(p_organization_id uuid, p_scan_run_ids uuid[])
 RETURNS TABLE(id uuid, service_id uuid, ordered_at timestamp with time zone, promote boolean, endpoint_count integer, finding_count integer, snapshot_id uuid, endpoint_chunks uuid[], finding_chunks uuid[])
 LANGUAGE sql
 STABLE;
-- Body of find_waiting_scan_runs: sha256 85859759c5c2c1dead32e5061180364ea71317635971e30419d0f5df5a791e75

CREATE OR REPLACE FUNCTION public.keep_chunks_of_snapshots()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp';
-- Body of keep_chunks_of_snapshots: sha256 5f930d22f2657413f3aff8660f748f5cf7d2b7822aaacff322496442a1a3d060

CREATE OR REPLACE FUNCTION public.keep_rows_of_chunks()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp';
-- Body of keep_rows_of_chunks: sha256 4f19eca83c9843ae1d23f45582b1565f3c905b195afd9bf2bf2c8c9b39410c6e

CREATE OR REPLACE FUNCTION public.list_referenced_chunks(p_organization_id uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE;
-- Body of list_referenced_chunks: sha256 0fb3137078cffb1aad8925321ee8f6f9ff28e561c6d4ad5d5f5fe4d4ba0e1c1e

CREATE OR REPLACE FUNCTION public.lock_missing_chunks(p_organization_id uuid, p_service_id uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of lock_missing_chunks: sha256 0f9de3f2f646f2269bfdefaab706d4c45b99670ea80e2359fa1e5caa9a083a7d
GRANT EXECUTE ON FUNCTION lock_missing_chunks(uuid,uuid,uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.lock_snapshot(p_organization_id uuid, p_snapshot_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of lock_snapshot: sha256 858835ad3366575065d6a2b95eb3baa91688bacc22973c6fc32dd30d9435f5e9
GRANT EXECUTE ON FUNCTION lock_snapshot(uuid,uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.next_organization_id(p_after uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of next_organization_id: sha256 ea02b3d2100e12467b2387691ce905f81f8f164d2ae636606ce41b0cc40fda33
GRANT EXECUTE ON FUNCTION next_organization_id(uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.persist_scan_runs(p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_endpoints chunk_endpoint_row[], p_findings chunk_finding_row[])
 RETURNS TABLE(completed integer, row_count integer)
 LANGUAGE plpgsql
 SET random_page_cost TO '0';
-- Body of persist_scan_runs: sha256 6f0f369bb619779152a628795726bfcf11551e1c5d4806f1da775d05a219abe7

CREATE OR REPLACE FUNCTION public.promote_scan_run(p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_ordered_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of promote_scan_run: sha256 da65f85ab58641064def689a175fa024905c627812c2019be895f2656e5e1845

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql;
-- Body of refuse_change: sha256 598ffe90aa15439185f498d966ead0545f043a6c19df22c6b03d841038c57bd8

CREATE OR REPLACE FUNCTION public.sample_scan_backlog(p_limit integer)
 RETURNS TABLE(unfinished integer, oldest_age_seconds double precision)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of sample_scan_backlog: sha256 55fe917846ae6b8868cfce6de5e68e7fcefa81e7d3d96855191072a4e4f5998c
GRANT EXECUTE ON FUNCTION sample_scan_backlog(integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.store_chunks(p_organization_id uuid, p_endpoints chunk_endpoint_row[], p_findings chunk_finding_row[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of store_chunks: sha256 6411d07c0c4edef6ef9e7dd797f6494228a7e893655b5f50a8d175648d96b716
GRANT EXECUTE ON FUNCTION store_chunks(uuid,chunk_endpoint_row[],chunk_finding_row[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.store_snapshot(p_organization_id uuid, p_snapshot_id uuid, p_endpoint_chunks uuid[], p_finding_chunks uuid[], p_endpoint_count integer, p_finding_count integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of store_snapshot: sha256 9876613c7e8f786341c46ad1c313c5ff593b059e7ee2b82a296953a113d4ba74
GRANT EXECUTE ON FUNCTION store_snapshot(uuid,uuid,uuid[],uuid[],integer,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.touch_api_keys(p_organization_ids uuid[], p_ids uuid[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of touch_api_keys: sha256 51339fc17134ba792295c3b921b0f6d78530916f0132a652f2112f5c6f492284
GRANT EXECUTE ON FUNCTION touch_api_keys(uuid[],uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.touch_sessions(p_token_hashes bytea[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of touch_sessions: sha256 fa4bd548263ea24930329208427afaa17bd5c463015cfc7f2315b557832bbff8
GRANT EXECUTE ON FUNCTION touch_sessions(bytea[]) TO waymark_app;
