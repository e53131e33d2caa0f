-- The schema that migrations/, functions/ and roles/grants.sql make, to be read and reviewed; nothing runs this file.
-- `npm run schema` writes it, and `npm run check` fails when it is not what they make.

CREATE SCHEMA bullmq;
GRANT USAGE ON SCHEMA bullmq TO waymark_app;

CREATE SCHEMA public;
GRANT USAGE ON SCHEMA public TO PUBLIC;
GRANT USAGE ON SCHEMA public TO waymark_app;

CREATE TYPE snapshot_endpoint_row AS (
  snapshot_id bytea,
  ordinal integer,
  method text,
  path text,
  operation_id text,
  tags text[],
  summary text
);

CREATE TYPE snapshot_finding_row AS (
  snapshot_id bytea,
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

CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  scan_run_id uuid NOT NULL,
  service_created boolean NOT NULL,
  answered_status text NOT NULL,
  answered_unchanged boolean NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT idempotency_keys_answered_status_check CHECK ((answered_status = ANY (ARRAY['accepted'::text, 'completed'::text]))),
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
  body bytea STORAGE EXTERNAL NOT NULL,
  body_encoding text NOT NULL,
  body_hash bytea NOT NULL,
  body_bytes integer NOT NULL,
  contract_version integer,
  trace_parent text,
  available_at timestamp with time zone DEFAULT now(),
  attempts integer DEFAULT 0 NOT NULL,
  attempts_excused integer DEFAULT 0 NOT NULL,
  last_error text,
  CONSTRAINT scan_payloads_body_encoding_check CHECK ((body_encoding = ANY (ARRAY['zstd'::text, 'identity'::text, 'rows'::text]))),
  CONSTRAINT scan_payloads_body_hash_check CHECK ((length(body_hash) = 32)),
  CONSTRAINT scan_payloads_pkey PRIMARY KEY (organization_id, scan_run_id)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, toast.autovacuum_vacuum_scale_factor=0, toast.autovacuum_vacuum_threshold=20000);
CREATE INDEX scan_payloads_due ON public.scan_payloads USING btree (organization_id, available_at) WHERE (available_at IS NOT NULL);
ALTER TABLE scan_payloads ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_payloads_own ON scan_payloads AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_payloads TO waymark_app;

CREATE TABLE scan_receipts (
  organization_id uuid NOT NULL,
  contract_version integer NOT NULL,
  body_hash bytea NOT NULL,
  service_id uuid NOT NULL,
  spec_hash text NOT NULL,
  spec_format text NOT NULL,
  spec_version text,
  spec_title text,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  snapshot_id bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT scan_receipts_body_hash_check CHECK ((length(body_hash) = 32)),
  CONSTRAINT scan_receipts_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT scan_receipts_organization_id_snapshot_id_endpoint_count_f_fkey FOREIGN KEY (organization_id, snapshot_id, endpoint_count, finding_count) REFERENCES snapshots(organization_id, id, endpoint_count, finding_count) ON DELETE RESTRICT,
  CONSTRAINT scan_receipts_pkey PRIMARY KEY (organization_id, contract_version, body_hash)
);
CREATE INDEX scan_receipts_by_snapshot ON public.scan_receipts USING btree (organization_id, snapshot_id);
ALTER TABLE scan_receipts ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_receipts_own ON scan_receipts AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_receipts TO waymark_app;

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
  snapshot_id bytea,
  unchanged boolean DEFAULT false NOT NULL,
  promote boolean NOT NULL,
  ordered_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  completed_at timestamp with time zone,
  error_code text,
  error_message text,
  created_by_key_id uuid NOT NULL,
  CONSTRAINT scan_runs_check CHECK (((status = 'completed'::text) = (snapshot_id IS NOT NULL))),
  CONSTRAINT scan_runs_check1 CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  CONSTRAINT scan_runs_check2 CHECK (((status = 'failed'::text) = ((error_code IS NOT NULL) AND (error_message IS NOT NULL)))),
  CONSTRAINT scan_runs_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT scan_runs_organization_id_snapshot_id_endpoint_count_findi_fkey FOREIGN KEY (organization_id, snapshot_id, endpoint_count, finding_count) REFERENCES snapshots(organization_id, id, endpoint_count, finding_count) ON DELETE RESTRICT,
  CONSTRAINT scan_runs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT scan_runs_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX scan_runs_by_service ON public.scan_runs USING btree (organization_id, service_id, created_at, id);
CREATE INDEX scan_runs_by_snapshot ON public.scan_runs USING btree (organization_id, snapshot_id) WHERE (snapshot_id IS NOT NULL);
ALTER TABLE scan_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_runs_own ON scan_runs AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_runs TO waymark_app;

CREATE TABLE service_snapshots (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  snapshot_id bytea NOT NULL,
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

CREATE TABLE snapshot_endpoints (
  organization_id uuid NOT NULL,
  snapshot_id bytea NOT NULL,
  ordinal integer NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  operation_id text,
  tags text[] NOT NULL,
  summary text,
  CONSTRAINT snapshot_endpoints_pkey PRIMARY KEY (organization_id, snapshot_id, ordinal)
);
ALTER TABLE snapshot_endpoints ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshot_endpoints_own ON snapshot_endpoints AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
CREATE TRIGGER kept_from_delete AFTER DELETE ON public.snapshot_endpoints REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON public.snapshot_endpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
CREATE TRIGGER kept_from_update AFTER UPDATE ON public.snapshot_endpoints REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
GRANT SELECT ON snapshot_endpoints TO waymark_app;

CREATE TABLE snapshot_findings (
  organization_id uuid NOT NULL,
  snapshot_id bytea NOT NULL,
  ordinal integer NOT NULL,
  code text NOT NULL,
  severity text NOT NULL,
  message text NOT NULL,
  method text,
  path text,
  CONSTRAINT snapshot_findings_pkey PRIMARY KEY (organization_id, snapshot_id, ordinal)
);
ALTER TABLE snapshot_findings ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshot_findings_own ON snapshot_findings AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
CREATE TRIGGER kept_from_delete AFTER DELETE ON public.snapshot_findings REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON public.snapshot_findings FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
CREATE TRIGGER kept_from_update AFTER UPDATE ON public.snapshot_findings REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_snapshots();
GRANT SELECT ON snapshot_findings TO waymark_app;

CREATE TABLE snapshots (
  organization_id uuid NOT NULL,
  id bytea NOT NULL,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  findings_by_severity jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT snapshots_id_check CHECK ((length(id) = 32)),
  CONSTRAINT snapshots_organization_id_id_endpoint_count_finding_count_key UNIQUE (organization_id, id, endpoint_count, finding_count),
  CONSTRAINT snapshots_pkey PRIMARY KEY (organization_id, id)
);
ALTER TABLE snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshots_own ON snapshots AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON snapshots TO waymark_app;
GRANT UPDATE (created_at) ON snapshots TO waymark_app;

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

CREATE OR REPLACE FUNCTION public.accept_known_scan_run(p_organization_id uuid, p_scan_run_id uuid, p_contract_version integer, p_body_hash bytea, p_promote boolean, p_scanned_at timestamp with time zone, p_created_by_key_id uuid)
 RETURNS TABLE(created_at timestamp with time zone, unchanged boolean, service_id uuid, endpoint_count integer, finding_count integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of accept_known_scan_run: sha256 d79008acb2830c56a806b04a16b008b40ba5aceba28cb9ca9d8d0defa4ef8803

CREATE OR REPLACE FUNCTION public.accept_known_scan_runs(p_organization_id uuid, p_contract_version integer, p_scan_run_ids uuid[], p_body_hashes bytea, p_promote boolean[], p_scanned_at timestamp with time zone[], p_created_by_key_ids uuid[])
 RETURNS TABLE(place integer, created_at timestamp with time zone, unchanged boolean, service_id uuid, endpoint_count integer, finding_count integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of accept_known_scan_runs: sha256 6aff39a1b1c9283c950b30837997333ed2819ca4a1fc9c4e4f2e353a10ad6443

CREATE OR REPLACE FUNCTION public.accept_new_scan_run(p_organization_id uuid, p_scan_run_id uuid, p_service_id uuid, p_find_service boolean, p_new_service_id uuid, p_service_name text, p_spec_hash text, p_spec_format text, p_spec_version text, p_spec_title text, p_endpoint_count integer, p_finding_count integer, p_promote boolean, p_scanned_at timestamp with time zone, p_created_by_key_id uuid, p_body bytea, p_body_encoding text, p_body_bytes integer, p_idempotency_key text, p_body_hash bytea, p_contract_version integer, p_trace_parent text)
 RETURNS TABLE(created_at timestamp with time zone, service_id uuid)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of accept_new_scan_run: sha256 95c7a783da195016628479532845e465096a71af4840732dc61ef469adeec10d

CREATE OR REPLACE FUNCTION public.accept_new_scan_runs(p_organization_id uuid, p_contract_version integer, p_runs json, p_scanned_at timestamp with time zone[], p_body_hashes bytea, p_bodies bytea)
 RETURNS TABLE(place integer, created_at timestamp with time zone, service_id uuid)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of accept_new_scan_runs: sha256 312927db3beae7107eb679f328ef09af3323f59c7fa50d1d4008f9a99fd3f0d2

CREATE OR REPLACE FUNCTION public.accept_repeated_scan_run(p_organization_id uuid, p_scan_run_id uuid, p_contract_version integer, p_body_hash bytea, p_promote boolean, p_scanned_at timestamp with time zone, p_created_by_key_id uuid, p_idempotency_key text)
 RETURNS TABLE(created_at timestamp with time zone, unchanged boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of accept_repeated_scan_run: sha256 98810d7b6579a15ce5fd319239f90399d10d0dce0990b3d2e648bf76a549d03e

CREATE OR REPLACE FUNCTION public.analyze_grown_table()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of analyze_grown_table: sha256 a957d08dfba186cd7a8027bba0f52f87068c9b5a41926caada49a6177e71930b
GRANT EXECUTE ON FUNCTION analyze_grown_table() TO waymark_app;

CREATE OR REPLACE FUNCTION public.claim_scan_payloads(p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval)
 RETURNS TABLE(organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, body bytea, body_encoding text, body_hash bytea, contract_version integer, endpoint_row_type oid, finding_row_type oid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of claim_scan_payloads: sha256 29013a6d3d07558759015a8ad03f99fe6ca2b2045e6f21347ec7feed41a409b5
GRANT EXECUTE ON FUNCTION claim_scan_payloads(uuid,integer,bigint,interval) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_unused_snapshots(p_organization_id uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of collect_unused_snapshots: sha256 ef1e263f6b5586972ae6ba5658ee1f8328f697dfb891f436657ee3912ac8ec1a
GRANT EXECUTE ON FUNCTION collect_unused_snapshots(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.complete_scan_runs(p_organization_id uuid, p_scan_run_ids uuid[], p_snapshot_ids bytea[], p_contract_version integer)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of complete_scan_runs: sha256 96678aea38d214765338b6b35b6193ba80ad95c6b5558a2c5fea8309aa496620

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
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of find_api_key: sha256 81893807994dc781c17487957578b001bc25b74082d2e2176b96988a3d20e50c
GRANT EXECUTE ON FUNCTION find_api_key(text) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_api_keys(p_prefixes text[])
 RETURNS SETOF api_keys
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of find_api_keys: sha256 a56af983cc130f57f9382527647ccdb1961732e324b4c7b986b83b0afc4f34ee
GRANT EXECUTE ON FUNCTION find_api_keys(text[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_scan_receipt(p_organization_id uuid, p_contract_version integer, p_body_hash bytea, p_idempotency_key text)
 RETURNS TABLE(service_id uuid, service_name text, endpoint_count integer, finding_count integer, snapshot_id bytea, replayed_run_id uuid, replayed_body_hash bytea, replayed_service_id uuid, replayed_service_name text, replayed_service_created boolean, replayed_status text, replayed_unchanged boolean, replayed_endpoint_count integer, replayed_finding_count integer, replayed_created_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of find_scan_receipt: sha256 6c19c2e698280ad490be81947f226b318e3e07e3eae5170c7092724adaabc026

CREATE OR REPLACE FUNCTION public.find_scan_service(p_organization_id uuid, p_service_name text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of find_scan_service: sha256 f1e7d87a2afefb4b0c718c9f112119c11575ceaa2d6ac8326239ed63f534eda5

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

CREATE OR REPLACE FUNCTION public.insert_snapshots(p_organization_id uuid, p_snapshot_ids bytea[], p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of insert_snapshots: sha256 fcaac9cb479e896f5e7afe5e3d521d5c23b50b6ef6afb46ec69cff7b979f52e2
GRANT EXECUTE ON FUNCTION insert_snapshots(uuid,bytea[],snapshot_endpoint_row[],snapshot_finding_row[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.keep_rows_of_snapshots()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp';
-- Body of keep_rows_of_snapshots: sha256 7073d3da2c9835a7f5f9f48a72734758b92d5d04b45b20cf9e522cff77179222

CREATE OR REPLACE FUNCTION public.lock_missing_snapshots(p_organization_id uuid, p_snapshot_ids bytea[])
 RETURNS SETOF bytea
 LANGUAGE plpgsql;
-- Body of lock_missing_snapshots: sha256 cc85bc8d059a557de732500c81ac1a6ec12aed4f9af8529478e88eb0697aa0aa

CREATE OR REPLACE FUNCTION public.next_organization_id(p_after uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of next_organization_id: sha256 ea02b3d2100e12467b2387691ce905f81f8f164d2ae636606ce41b0cc40fda33
GRANT EXECUTE ON FUNCTION next_organization_id(uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.persist_scan_runs(p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_snapshot_ids bytea[], p_endpoints snapshot_endpoint_row[], p_findings snapshot_finding_row[], p_contract_version integer)
 RETURNS TABLE(completed integer, row_count integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET random_page_cost TO '0'
 SET seq_page_cost TO '0';
-- Body of persist_scan_runs: sha256 a94715eefc8c3765746ce1255d82da7196e3aeead0df669a42b8edcd6cbfa081

CREATE OR REPLACE FUNCTION public.promote_scan_run(p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_ordered_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql;
-- Body of promote_scan_run: sha256 6740f7bbb2e4e44bd90960f484376a1658e450c3a3bd0375514af28e97284a1a

CREATE OR REPLACE FUNCTION public.refuse_truncate()
 RETURNS trigger
 LANGUAGE plpgsql;
-- Body of refuse_truncate: sha256 e1c03d68f5ea9643d7c81371403e8e9ccf95ed742a077c775a4b84c3f02ddeb5

CREATE OR REPLACE FUNCTION public.sample_scan_backlog(p_limit integer)
 RETURNS TABLE(unfinished integer, oldest_age_seconds double precision)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of sample_scan_backlog: sha256 55fe917846ae6b8868cfce6de5e68e7fcefa81e7d3d96855191072a4e4f5998c
GRANT EXECUTE ON FUNCTION sample_scan_backlog(integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.see_snapshot(p_organization_id uuid, p_service_id uuid, p_snapshot_id bytea, p_seen_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql;
-- Body of see_snapshot: sha256 a3c95fc948f858110cafd4c3e3121f5e0969d9b6133a24ae2fb62e285307a312

CREATE OR REPLACE FUNCTION public.take_idempotency_key(p_organization_id uuid, p_key text, p_body_hash bytea, p_scan_run_id uuid, p_service_created boolean, p_status text, p_unchanged boolean)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of take_idempotency_key: sha256 14e86995ec353be209bcb861a9a2d09e4141d72bc4fd580ffd882db2ee3e1fca

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
