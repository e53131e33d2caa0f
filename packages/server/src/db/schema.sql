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

CREATE TYPE endpoint_position AS (
  service_name text,
  path text,
  method text,
  occurrence integer
);

CREATE TYPE journey_run_end AS (
  outcome jsonb,
  result_hash bytea,
  result_size integer,
  result bytea,
  steps journey_run_steps[],
  operations jsonb,
  criteria jsonb
);

CREATE TYPE scan_content AS (
  description jsonb,
  new_service_id uuid,
  snapshot_id uuid,
  endpoint_count integer,
  finding_count integer,
  endpoint_chunks uuid[],
  finding_chunks uuid[]
);

CREATE TYPE scan_grant AS (
  may_create boolean,
  may_update boolean,
  service_id uuid
);

CREATE TYPE scan_limits AS (
  body_bytes bigint,
  scans_max bigint,
  bytes_max bigint
);

CREATE TYPE scan_submission AS (
  scan_run_id uuid,
  created_by_key_id uuid,
  body_hash bytea,
  contract_version integer,
  idempotency_key text,
  promote boolean,
  scanned_at timestamp with time zone,
  trace_parent text,
  source jsonb
);

CREATE TYPE sent_chunks AS (
  chunks uuid[],
  items bytea,
  items_bytes integer
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
  replaced_by uuid,
  trust_policy_id uuid,
  scopes jsonb NOT NULL,
  allowed_networks text[],
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  replaceable_until timestamp with time zone,
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
CREATE INDEX api_keys_by_owner ON public.api_keys USING btree (organization_id, owner_principal_id, id) WHERE (owner_principal_id IS NOT NULL);
CREATE INDEX api_keys_by_trust_policy ON public.api_keys USING btree (organization_id, trust_policy_id, id) WHERE (trust_policy_id IS NOT NULL);
CREATE INDEX api_keys_full_access ON public.api_keys USING btree (organization_id, id) WHERE ((revoked_at IS NULL) AND (scopes @> '[{"permission": "*"}]'::jsonb));
CREATE INDEX api_keys_issued ON public.api_keys USING btree (organization_id, expires_at) WHERE (trust_policy_id IS NOT NULL);
CREATE UNIQUE INDEX api_keys_prefix ON public.api_keys USING btree (prefix);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_own ON api_keys AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON api_keys TO waymark_app;
GRANT UPDATE (disabled_at, expires_at, last_used_at, replaced_by, revoked_at) ON api_keys TO waymark_app;

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
CREATE INDEX audit_events_denied ON public.audit_events USING btree (organization_id, id) WHERE (action = 'api_key.use_denied'::text);
CREATE UNIQUE INDEX audit_events_denied_once ON public.audit_events USING btree (organization_id, api_key_id, route, code, ((details @> '{"session": true}'::jsonb)), date_trunc('minute'::text, (created_at AT TIME ZONE 'UTC'::text))) WHERE (action = 'api_key.use_denied'::text);
CREATE UNIQUE INDEX audit_events_once_a_minute ON public.audit_events USING btree (organization_id, once_a_minute, date_trunc('minute'::text, (created_at AT TIME ZONE 'UTC'::text))) WHERE (once_a_minute IS NOT NULL);
CREATE INDEX audit_events_secrets_found ON public.audit_events USING btree (organization_id, created_at) WHERE (action = 'journey_result.secret_found'::text);
ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_events_own ON audit_events AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON audit_events TO waymark_app;

CREATE TABLE blobs (
  organization_id uuid NOT NULL,
  hash bytea NOT NULL,
  size integer NOT NULL,
  bytes bytea STORAGE EXTERNAL NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT blobs_hash_check CHECK ((length(hash) = 32)),
  CONSTRAINT blobs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT blobs_pkey PRIMARY KEY (organization_id, hash),
  CONSTRAINT blobs_size_check CHECK ((size >= 0))
);
ALTER TABLE blobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY blobs_own ON blobs AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON blobs TO waymark_app;

CREATE TABLE break_derivations (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  history integer NOT NULL,
  current_run_id uuid,
  is_cut boolean DEFAULT false NOT NULL,
  CONSTRAINT break_derivations_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT break_derivations_pkey PRIMARY KEY (organization_id, service_id)
);
ALTER TABLE break_derivations ENABLE ROW LEVEL SECURITY;
CREATE POLICY break_derivations_own ON break_derivations AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON break_derivations TO waymark_app;

CREATE TABLE build_criteria (
  organization_id uuid NOT NULL,
  artifact_hash bytea NOT NULL,
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  severity text NOT NULL,
  description text NOT NULL,
  proven_by text[] NOT NULL,
  CONSTRAINT build_criteria_organization_id_artifact_hash_fkey FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT build_criteria_pkey PRIMARY KEY (organization_id, artifact_hash, owner_document_id, criterion_id)
);
ALTER TABLE build_criteria ENABLE ROW LEVEL SECURITY;
CREATE POLICY build_criteria_own ON build_criteria AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON build_criteria TO waymark_app;

CREATE TABLE build_operations (
  organization_id uuid NOT NULL,
  artifact_hash bytea NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  path_key text NOT NULL,
  operation_id text,
  source_document_id uuid,
  CONSTRAINT build_operations_organization_id_artifact_hash_fkey FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT build_operations_pkey PRIMARY KEY (organization_id, artifact_hash, ordinal)
);
ALTER TABLE build_operations ENABLE ROW LEVEL SECURITY;
CREATE POLICY build_operations_own ON build_operations AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON build_operations TO waymark_app;

CREATE TABLE change_approvals (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid NOT NULL,
  fingerprint text NOT NULL,
  reason text NOT NULL,
  until date,
  scan_run_id uuid,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  used_by_run_id uuid,
  change jsonb,
  CONSTRAINT change_approvals_fingerprint_check CHECK ((fingerprint ~ '^[0-9a-f]{32}$'::text)),
  CONSTRAINT change_approvals_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT change_approvals_organization_id_used_by_run_id_fkey FOREIGN KEY (organization_id, used_by_run_id) REFERENCES scan_runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT change_approvals_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX change_approvals_by_run ON public.change_approvals USING btree (organization_id, used_by_run_id) WHERE (used_by_run_id IS NOT NULL);
CREATE INDEX change_approvals_by_service ON public.change_approvals USING btree (organization_id, service_id, id);
CREATE UNIQUE INDEX change_approvals_open ON public.change_approvals USING btree (organization_id, service_id, fingerprint) WHERE (used_by_run_id IS NULL);
CREATE INDEX change_approvals_unused ON public.change_approvals USING btree (organization_id, id) WHERE (used_by_run_id IS NULL);
ALTER TABLE change_approvals ENABLE ROW LEVEL SECURITY;
CREATE POLICY change_approvals_own ON change_approvals AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON change_approvals TO waymark_app;

CREATE VIEW checked_api_keys AS SELECT k.organization_id,
    k.id,
    k.prefix,
    k.secret_hash,
    k.scopes,
    k.allowed_networks,
    k.expires_at,
    k.last_used_at,
    k.replaceable_until,
    k.disabled_at,
    k.revoked_at,
    p.kind AS owner_kind,
    p.id AS owner_id,
    p.disabled_at AS owner_disabled_at,
        CASE
            WHEN (p.kind = 'user'::text) THEN ( SELECT COALESCE(json_agg(json_build_object('role', h.role, 'permissions', h.permissions, 'serviceNames', h.service_names, 'serviceIds', h.service_ids)), '[]'::json) AS "coalesce"
               FROM held_roles(p.organization_id, p.id) h(role, permissions, service_names, service_ids))
            ELSE NULL::json
        END AS owner_grants
   FROM (api_keys k
     LEFT JOIN principals p ON (((p.organization_id = k.organization_id) AND (p.id = k.owner_principal_id))));

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

CREATE TABLE chunk_words (
  organization_id uuid NOT NULL,
  chunk_id uuid NOT NULL,
  words tsvector NOT NULL,
  CONSTRAINT chunk_words_organization_id_chunk_id_fkey FOREIGN KEY (organization_id, chunk_id) REFERENCES chunks(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT chunk_words_pkey PRIMARY KEY (organization_id, chunk_id)
);
CREATE INDEX chunk_words_by_word ON public.chunk_words USING gin (words);
ALTER TABLE chunk_words ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunk_words_own ON chunk_words AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON chunk_words TO waymark_app;

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

CREATE TABLE daily_breaks (
  organization_id uuid NOT NULL,
  day date NOT NULL,
  breaking integer NOT NULL,
  compared integer NOT NULL,
  not_compared integer NOT NULL,
  CONSTRAINT daily_breaks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT daily_breaks_pkey PRIMARY KEY (organization_id, day)
);
ALTER TABLE daily_breaks ENABLE ROW LEVEL SECURITY;
CREATE POLICY daily_breaks_own ON daily_breaks AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON daily_breaks TO waymark_app;

CREATE TABLE daily_totals (
  organization_id uuid NOT NULL,
  day date NOT NULL,
  service_count integer NOT NULL,
  endpoint_count integer NOT NULL,
  info integer NOT NULL,
  low integer NOT NULL,
  medium integer NOT NULL,
  high integer NOT NULL,
  critical integer NOT NULL,
  CONSTRAINT daily_totals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT daily_totals_pkey PRIMARY KEY (organization_id, day)
);
ALTER TABLE daily_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY daily_totals_own ON daily_totals AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON daily_totals TO waymark_app;

CREATE TABLE data_keys (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  wrapped_key bytea NOT NULL,
  nonce bytea NOT NULL,
  kek_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  wrapped_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT data_keys_nonce_check CHECK ((length(nonce) = 12)),
  CONSTRAINT data_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT data_keys_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT data_keys_wrapped_key_check CHECK ((length(wrapped_key) = 48))
);
ALTER TABLE data_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY data_keys_own ON data_keys AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON data_keys TO waymark_app;

CREATE TABLE description_chunks (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  size integer NOT NULL,
  bytes bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT description_chunks_pkey PRIMARY KEY (organization_id, id)
);
ALTER TABLE description_chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY description_chunks_own ON description_chunks AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON description_chunks TO waymark_app;

CREATE TABLE descriptions (
  organization_id uuid NOT NULL,
  hash bytea NOT NULL,
  format text NOT NULL,
  size integer NOT NULL,
  chunks uuid[] STORAGE EXTERNAL NOT NULL,
  canonical_hash bytea NOT NULL,
  canonical_size integer NOT NULL,
  canonical_chunks uuid[] STORAGE EXTERNAL,
  operations_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT descriptions_canonical_hash_check CHECK ((length(canonical_hash) = 32)),
  CONSTRAINT descriptions_format_check CHECK ((format = ANY (ARRAY['json'::text, 'yaml'::text]))),
  CONSTRAINT descriptions_hash_check CHECK ((length(hash) = 32)),
  CONSTRAINT descriptions_operations_hash_check CHECK ((length(operations_hash) = 32)),
  CONSTRAINT descriptions_pkey PRIMARY KEY (organization_id, hash)
);
ALTER TABLE descriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY descriptions_own ON descriptions AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON descriptions TO waymark_app;

CREATE TABLE environment_secrets (
  organization_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  ciphertext bytea STORAGE EXTERNAL NOT NULL,
  nonce bytea NOT NULL,
  data_key_id uuid NOT NULL,
  hosts text[] NOT NULL,
  version integer NOT NULL,
  updated_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT environment_secrets_ciphertext_check CHECK (((length(ciphertext) >= 24) AND (length(ciphertext) <= 65552))),
  CONSTRAINT environment_secrets_hosts_check CHECK ((cardinality(hosts) > 0)),
  CONSTRAINT environment_secrets_nonce_check CHECK ((length(nonce) = 12)),
  CONSTRAINT environment_secrets_organization_id_data_key_id_fkey FOREIGN KEY (organization_id, data_key_id) REFERENCES data_keys(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT environment_secrets_organization_id_environment_id_fkey FOREIGN KEY (organization_id, environment_id) REFERENCES environments(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT environment_secrets_pkey PRIMARY KEY (organization_id, environment_id, name),
  CONSTRAINT environment_secrets_version_check CHECK ((version > 0))
);
ALTER TABLE environment_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY environment_secrets_own ON environment_secrets AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON environment_secrets TO waymark_app;

CREATE TABLE environments (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  servers jsonb NOT NULL,
  variables jsonb NOT NULL,
  inputs jsonb NOT NULL,
  allowed_hosts text[] NOT NULL,
  is_protected boolean NOT NULL,
  stores_bodies boolean NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT environments_inputs_check CHECK ((jsonb_typeof(inputs) = 'object'::text)),
  CONSTRAINT environments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT environments_organization_id_name_key UNIQUE (organization_id, name),
  CONSTRAINT environments_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT environments_revision_check CHECK ((revision > 0)),
  CONSTRAINT environments_servers_check CHECK ((jsonb_typeof(servers) = 'object'::text)),
  CONSTRAINT environments_variables_check CHECK ((jsonb_typeof(variables) = 'object'::text))
);
ALTER TABLE environments ENABLE ROW LEVEL SECURITY;
CREATE POLICY environments_own ON environments AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON environments TO waymark_app;

CREATE TABLE exchanged_tokens (
  organization_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT exchanged_tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT exchanged_tokens_pkey PRIMARY KEY (organization_id, token_hash),
  CONSTRAINT exchanged_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX exchanged_tokens_by_expiry ON public.exchanged_tokens USING btree (organization_id, expires_at);
ALTER TABLE exchanged_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY exchanged_tokens_own ON exchanged_tokens AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON exchanged_tokens TO waymark_app;

CREATE TABLE finding_assignments (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  fingerprint uuid NOT NULL,
  id uuid NOT NULL,
  code text NOT NULL,
  method text,
  path text,
  message text NOT NULL,
  principal_id uuid,
  assigned_by_key_id uuid NOT NULL,
  assigned_at timestamp with time zone DEFAULT now() NOT NULL,
  team_id uuid,
  CONSTRAINT finding_assignments_check CHECK ((num_nonnulls(principal_id, team_id) = 1)),
  CONSTRAINT finding_assignments_organization_id_principal_id_fkey FOREIGN KEY (organization_id, principal_id) REFERENCES principals(organization_id, id),
  CONSTRAINT finding_assignments_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT finding_assignments_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES teams(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT finding_assignments_pkey PRIMARY KEY (organization_id, service_id, fingerprint)
);
CREATE INDEX finding_assignments_by_id ON public.finding_assignments USING btree (organization_id, id);
CREATE INDEX finding_assignments_by_principal ON public.finding_assignments USING btree (organization_id, principal_id, id);
CREATE INDEX finding_assignments_by_team ON public.finding_assignments USING btree (organization_id, team_id, id) WHERE (team_id IS NOT NULL);
ALTER TABLE finding_assignments ENABLE ROW LEVEL SECURITY;
CREATE POLICY finding_assignments_own ON finding_assignments AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON finding_assignments TO waymark_app;

CREATE TABLE finding_comments (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid NOT NULL,
  fingerprint uuid NOT NULL,
  text text NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT finding_comments_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT finding_comments_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX finding_comments_by_finding ON public.finding_comments USING btree (organization_id, service_id, fingerprint, id);
ALTER TABLE finding_comments ENABLE ROW LEVEL SECURITY;
CREATE POLICY finding_comments_own ON finding_comments AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON finding_comments TO waymark_app;

CREATE TABLE finding_decisions (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid,
  code text NOT NULL,
  fingerprint uuid,
  method text,
  path text,
  message text,
  kind text NOT NULL,
  severity_max text DEFAULT 'critical'::text NOT NULL,
  reason text NOT NULL,
  until date NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT finding_decisions_check CHECK (((fingerprint IS NULL) OR (service_id IS NOT NULL))),
  CONSTRAINT finding_decisions_check1 CHECK (((fingerprint IS NULL) = (message IS NULL))),
  CONSTRAINT finding_decisions_kind_check CHECK ((kind = ANY (ARRAY['accepted_risk'::text, 'false_positive'::text, 'wont_fix'::text]))),
  CONSTRAINT finding_decisions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT finding_decisions_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT finding_decisions_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT finding_decisions_severity_max_check CHECK ((severity_max = ANY (ARRAY['info'::text, 'low'::text, 'medium'::text, 'high'::text, 'critical'::text])))
);
CREATE INDEX finding_decisions_by_service ON public.finding_decisions USING btree (organization_id, service_id) WHERE (service_id IS NOT NULL);
CREATE UNIQUE INDEX finding_decisions_by_target ON public.finding_decisions USING btree (organization_id, COALESCE(service_id, '00000000-0000-0000-0000-000000000000'::uuid), code, COALESCE(fingerprint, '00000000-0000-0000-0000-000000000000'::uuid));
ALTER TABLE finding_decisions ENABLE ROW LEVEL SECURITY;
CREATE POLICY finding_decisions_own ON finding_decisions AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON finding_decisions TO waymark_app;

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

CREATE TABLE identity_providers (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  display_name text NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret bytea,
  client_secret_nonce bytea,
  client_secret_key_id uuid,
  scopes text[] NOT NULL,
  email_domains text[] NOT NULL,
  groups text[] NOT NULL,
  groups_claim text NOT NULL,
  trusts_email boolean NOT NULL,
  roles jsonb NOT NULL,
  teams jsonb DEFAULT '[]'::jsonb NOT NULL,
  created_by uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT identity_providers_check CHECK (((cardinality(email_domains) + cardinality(groups)) > 0)),
  CONSTRAINT identity_providers_check1 CHECK ((((client_secret IS NULL) = (client_secret_nonce IS NULL)) AND ((client_secret IS NULL) = (client_secret_key_id IS NULL)))),
  CONSTRAINT identity_providers_client_secret_nonce_check CHECK ((length(client_secret_nonce) = 12)),
  CONSTRAINT identity_providers_organization_id_client_secret_key_id_fkey FOREIGN KEY (organization_id, client_secret_key_id) REFERENCES data_keys(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT identity_providers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT identity_providers_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT identity_providers_roles_check CHECK ((jsonb_typeof(roles) = 'array'::text)),
  CONSTRAINT identity_providers_teams_check CHECK ((jsonb_typeof(teams) = 'array'::text))
);
CREATE UNIQUE INDEX identity_providers_id ON public.identity_providers USING btree (id);
ALTER TABLE identity_providers ENABLE ROW LEVEL SECURITY;
CREATE POLICY identity_providers_own ON identity_providers AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON identity_providers TO waymark_app;
GRANT UPDATE (client_id, client_secret, client_secret_key_id, client_secret_nonce, display_name, email_domains, groups, groups_claim, roles, scopes, teams, trusts_email, updated_at) ON identity_providers TO waymark_app;

CREATE TABLE inbox_snoozes (
  organization_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  kind text NOT NULL,
  subject_id uuid NOT NULL,
  event text NOT NULL,
  level integer NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT inbox_snoozes_organization_id_principal_id_fkey FOREIGN KEY (organization_id, principal_id) REFERENCES principals(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT inbox_snoozes_pkey PRIMARY KEY (organization_id, principal_id, kind, subject_id)
);
CREATE INDEX inbox_snoozes_by_end ON public.inbox_snoozes USING btree (organization_id, until);
ALTER TABLE inbox_snoozes ENABLE ROW LEVEL SECURITY;
CREATE POLICY inbox_snoozes_own ON inbox_snoozes AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON inbox_snoozes TO waymark_app;

CREATE TABLE indexed_snapshots (
  organization_id uuid NOT NULL,
  snapshot_id uuid NOT NULL,
  CONSTRAINT indexed_snapshots_organization_id_snapshot_id_fkey FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT indexed_snapshots_pkey PRIMARY KEY (organization_id, snapshot_id)
);
ALTER TABLE indexed_snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY indexed_snapshots_own ON indexed_snapshots AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON indexed_snapshots TO waymark_app;

CREATE TABLE invitations (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  email text NOT NULL,
  roles jsonb NOT NULL,
  token_hash bytea NOT NULL,
  created_by uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT invitations_email_check CHECK ((email ~ '^[!-~]+$'::text)),
  CONSTRAINT invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT invitations_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT invitations_roles_check CHECK ((jsonb_typeof(roles) = 'array'::text)),
  CONSTRAINT invitations_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE UNIQUE INDEX invitations_email ON public.invitations USING btree (organization_id, lower((email COLLATE "C")));
CREATE UNIQUE INDEX invitations_token ON public.invitations USING btree (token_hash);
ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY invitations_own ON invitations AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON invitations TO waymark_app;

CREATE TABLE journey_builds (
  organization_id uuid NOT NULL,
  build_key bytea NOT NULL,
  document_id uuid NOT NULL,
  document_version integer NOT NULL,
  environment_id uuid NOT NULL,
  environment_revision integer NOT NULL,
  inputs jsonb NOT NULL,
  compiler_version text NOT NULL,
  problems jsonb NOT NULL,
  artifact_hash bytea,
  program_id text,
  needs text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT journey_builds_build_key_check CHECK ((length(build_key) = 32)),
  CONSTRAINT journey_builds_check CHECK (((artifact_hash IS NULL) = (program_id IS NULL))),
  CONSTRAINT journey_builds_check1 CHECK (((artifact_hash IS NULL) = (needs IS NULL))),
  CONSTRAINT journey_builds_organization_id_artifact_hash_fkey FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT journey_builds_organization_id_document_id_document_versio_fkey FOREIGN KEY (organization_id, document_id, document_version) REFERENCES journey_document_versions(organization_id, document_id, version),
  CONSTRAINT journey_builds_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT journey_builds_pkey PRIMARY KEY (organization_id, build_key)
);
CREATE INDEX journey_builds_by_artifact ON public.journey_builds USING btree (organization_id, artifact_hash) WHERE (artifact_hash IS NOT NULL);
CREATE INDEX journey_builds_by_document ON public.journey_builds USING btree (organization_id, document_id, document_version);
CREATE INDEX journey_builds_by_program ON public.journey_builds USING btree (organization_id, program_id) WHERE (program_id IS NOT NULL);
ALTER TABLE journey_builds ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_builds_own ON journey_builds AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_builds TO waymark_app;

CREATE TABLE journey_changeset_requests (
  organization_id uuid NOT NULL,
  created_by uuid NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL,
  response jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT journey_changeset_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT journey_changeset_requests_pkey PRIMARY KEY (organization_id, created_by, idempotency_key),
  CONSTRAINT journey_changeset_requests_request_hash_check CHECK ((length(request_hash) = 32))
);
ALTER TABLE journey_changeset_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_changeset_requests_own ON journey_changeset_requests AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_changeset_requests TO waymark_app;

CREATE TABLE journey_criteria (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  severity text NOT NULL,
  description text NOT NULL,
  proven_by text[] NOT NULL,
  CONSTRAINT journey_criteria_organization_id_document_id_fkey FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents(organization_id, id),
  CONSTRAINT journey_criteria_organization_id_owner_document_id_fkey FOREIGN KEY (organization_id, owner_document_id) REFERENCES journey_documents(organization_id, id),
  CONSTRAINT journey_criteria_pkey PRIMARY KEY (organization_id, document_id, owner_document_id, criterion_id)
);
ALTER TABLE journey_criteria ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_criteria_own ON journey_criteria AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_criteria TO waymark_app;

CREATE TABLE journey_criterion_verdicts (
  organization_id uuid NOT NULL,
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  document_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  origin text NOT NULL,
  document_version integer NOT NULL,
  artifact_hash bytea NOT NULL,
  status text NOT NULL,
  run_id uuid NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  CONSTRAINT journey_criterion_verdicts_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT journey_criterion_verdicts_pkey PRIMARY KEY (organization_id, owner_document_id, criterion_id, document_id, environment_id, origin),
  CONSTRAINT journey_criterion_verdicts_status_check CHECK ((status = ANY (ARRAY['proven'::text, 'failed'::text, 'unproven'::text])))
);
CREATE INDEX journey_criterion_verdicts_by_run ON public.journey_criterion_verdicts USING btree (organization_id, run_id);
ALTER TABLE journey_criterion_verdicts ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_criterion_verdicts_own ON journey_criterion_verdicts AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT, UPDATE ON journey_criterion_verdicts TO waymark_app;

CREATE TABLE journey_document_links (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version integer NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  target text NOT NULL,
  target_path text,
  CONSTRAINT journey_document_links_organization_id_document_id_version_fkey FOREIGN KEY (organization_id, document_id, version) REFERENCES journey_document_versions(organization_id, document_id, version),
  CONSTRAINT journey_document_links_pkey PRIMARY KEY (organization_id, document_id, version, role, name),
  CONSTRAINT journey_document_links_role_check CHECK ((role = ANY (ARRAY['source'::text, 'extends'::text, 'journey'::text])))
);
CREATE INDEX journey_document_links_by_target ON public.journey_document_links USING btree (organization_id, target_path) WHERE (target_path IS NOT NULL);
ALTER TABLE journey_document_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_document_links_own ON journey_document_links AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON journey_document_links TO waymark_app;

CREATE TABLE journey_document_versions (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version integer NOT NULL,
  blob_hash bytea NOT NULL,
  parent_version integer,
  changeset_id uuid NOT NULL,
  message text,
  origin text NOT NULL,
  source_commit text,
  source_branch text,
  source_url text,
  error_count integer NOT NULL,
  warning_count integer NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT journey_document_versions_check CHECK ((parent_version < version)),
  CONSTRAINT journey_document_versions_organization_id_blob_hash_fkey FOREIGN KEY (organization_id, blob_hash) REFERENCES blobs(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT journey_document_versions_organization_id_document_id_fkey FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents(organization_id, id),
  CONSTRAINT journey_document_versions_origin_check CHECK ((origin = ANY (ARRAY['console'::text, 'cli'::text, 'api'::text]))),
  CONSTRAINT journey_document_versions_pkey PRIMARY KEY (organization_id, document_id, version),
  CONSTRAINT journey_document_versions_version_check CHECK ((version > 0))
);
CREATE INDEX journey_document_versions_by_blob ON public.journey_document_versions USING btree (organization_id, blob_hash);
ALTER TABLE journey_document_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_document_versions_own ON journey_document_versions AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON journey_document_versions TO waymark_app;

CREATE TABLE journey_documents (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  path text NOT NULL,
  kind text NOT NULL,
  journey_key text NOT NULL,
  title text,
  is_template boolean DEFAULT false NOT NULL,
  tags text[] DEFAULT '{}'::text[] NOT NULL,
  info_version text,
  extends_version text,
  head_version integer NOT NULL,
  managed_repository text,
  managed_path text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  archived_at timestamp with time zone,
  CONSTRAINT journey_documents_check CHECK (((managed_repository IS NULL) = (managed_path IS NULL))),
  CONSTRAINT journey_documents_head_version_check CHECK ((head_version > 0)),
  CONSTRAINT journey_documents_kind_check CHECK ((kind = ANY (ARRAY['journey'::text, 'overlay'::text, 'openapi'::text]))),
  CONSTRAINT journey_documents_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT journey_documents_organization_id_id_head_version_fkey FOREIGN KEY (organization_id, id, head_version) REFERENCES journey_document_versions(organization_id, document_id, version) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT journey_documents_pkey PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX journey_documents_path ON public.journey_documents USING btree (organization_id, path) WHERE (archived_at IS NULL);
ALTER TABLE journey_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_documents_own ON journey_documents AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON journey_documents TO waymark_app;
GRANT UPDATE (archived_at, extends_version, head_version, info_version, is_template, kind, managed_path, managed_repository, tags, title, updated_at) ON journey_documents TO waymark_app;

CREATE TABLE journey_operation_calls (
  organization_id uuid NOT NULL,
  source_document_id uuid NOT NULL,
  method text NOT NULL,
  path_key text NOT NULL,
  document_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  origin text NOT NULL,
  document_version integer NOT NULL,
  artifact_hash bytea NOT NULL,
  path text NOT NULL,
  operation_id text,
  calls bigint NOT NULL,
  statuses integer[] NOT NULL,
  called_at timestamp with time zone NOT NULL,
  asserted_at timestamp with time zone,
  run_id uuid NOT NULL,
  CONSTRAINT journey_operation_calls_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT journey_operation_calls_pkey PRIMARY KEY (organization_id, source_document_id, method, path_key, document_id, environment_id, origin)
);
CREATE INDEX journey_operation_calls_by_run ON public.journey_operation_calls USING btree (organization_id, run_id);
ALTER TABLE journey_operation_calls ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_operation_calls_own ON journey_operation_calls AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT, UPDATE ON journey_operation_calls TO waymark_app;

CREATE TABLE journey_operations (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  source_document_id uuid NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  path_key text NOT NULL,
  operation_id text,
  CONSTRAINT journey_operations_organization_id_document_id_fkey FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents(organization_id, id),
  CONSTRAINT journey_operations_organization_id_source_document_id_fkey FOREIGN KEY (organization_id, source_document_id) REFERENCES journey_documents(organization_id, id),
  CONSTRAINT journey_operations_pkey PRIMARY KEY (organization_id, document_id, ordinal)
);
CREATE INDEX journey_operations_by_source ON public.journey_operations USING btree (organization_id, source_document_id);
ALTER TABLE journey_operations ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_operations_own ON journey_operations AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_operations TO waymark_app;

CREATE TABLE journey_releases (
  organization_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version integer NOT NULL,
  artifact_hash bytea NOT NULL,
  program_id text NOT NULL,
  needs text NOT NULL,
  built_from jsonb NOT NULL,
  released_by_key_id uuid NOT NULL,
  released_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT journey_releases_organization_id_artifact_hash_fkey FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT journey_releases_organization_id_document_id_version_fkey FOREIGN KEY (organization_id, document_id, version) REFERENCES journey_document_versions(organization_id, document_id, version),
  CONSTRAINT journey_releases_organization_id_environment_id_fkey FOREIGN KEY (organization_id, environment_id) REFERENCES environments(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT journey_releases_pkey PRIMARY KEY (organization_id, environment_id, document_id),
  CONSTRAINT journey_releases_version_check CHECK ((version > 0))
);
CREATE INDEX journey_releases_by_artifact ON public.journey_releases USING btree (organization_id, artifact_hash);
ALTER TABLE journey_releases ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_releases_own ON journey_releases AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON journey_releases TO waymark_app;

CREATE TABLE journey_run_criteria (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  owner_document_id uuid NOT NULL,
  criterion_id text NOT NULL,
  status text NOT NULL,
  CONSTRAINT journey_run_criteria_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs(organization_id, id),
  CONSTRAINT journey_run_criteria_pkey PRIMARY KEY (organization_id, run_id, owner_document_id, criterion_id),
  CONSTRAINT journey_run_criteria_status_check CHECK ((status = ANY (ARRAY['proven'::text, 'failed'::text, 'notRun'::text, 'unproven'::text])))
);
ALTER TABLE journey_run_criteria ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_criteria_own ON journey_run_criteria AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_run_criteria TO waymark_app;

CREATE TABLE journey_run_links (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  run_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  includes text NOT NULL,
  note text,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  open_count integer DEFAULT 0 NOT NULL,
  last_opened_at timestamp with time zone,
  CONSTRAINT journey_run_links_includes_check CHECK ((includes = ANY (ARRAY['verdicts'::text, 'exchanges'::text]))),
  CONSTRAINT journey_run_links_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT journey_run_links_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT journey_run_links_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX journey_run_links_by_end ON public.journey_run_links USING btree (organization_id, expires_at);
CREATE INDEX journey_run_links_by_run ON public.journey_run_links USING btree (organization_id, run_id, id);
CREATE UNIQUE INDEX journey_run_links_token ON public.journey_run_links USING btree (token_hash);
ALTER TABLE journey_run_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_links_own ON journey_run_links AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_run_links TO waymark_app;
GRANT UPDATE (last_opened_at, open_count) ON journey_run_links TO waymark_app;

CREATE TABLE journey_run_operations (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  calls integer NOT NULL,
  statuses integer[] NOT NULL,
  asserted boolean NOT NULL,
  CONSTRAINT journey_run_operations_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs(organization_id, id),
  CONSTRAINT journey_run_operations_pkey PRIMARY KEY (organization_id, run_id, ordinal)
);
ALTER TABLE journey_run_operations ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_operations_own ON journey_run_operations AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_run_operations TO waymark_app;

CREATE TABLE journey_run_steps (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  seq integer NOT NULL,
  attempt integer NOT NULL,
  step_id text NOT NULL,
  phase text NOT NULL,
  workflow text,
  status text NOT NULL,
  ms double precision NOT NULL,
  result text NOT NULL,
  evidence text,
  CONSTRAINT journey_run_steps_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs(organization_id, id),
  CONSTRAINT journey_run_steps_phase_check CHECK ((phase = ANY (ARRAY['main'::text, 'teardown'::text]))),
  CONSTRAINT journey_run_steps_pkey PRIMARY KEY (organization_id, run_id, seq),
  CONSTRAINT journey_run_steps_status_check CHECK ((status = ANY (ARRAY['passed'::text, 'failed'::text, 'error'::text, 'skipped'::text, 'timedOut'::text])))
);
ALTER TABLE journey_run_steps ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_steps_own ON journey_run_steps AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON journey_run_steps TO waymark_app;

CREATE TABLE journey_run_tickets (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  available_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  is_claimed boolean DEFAULT false NOT NULL,
  losses integer DEFAULT 0 NOT NULL,
  cancel_requested_at timestamp with time zone,
  checkpoint bytea STORAGE EXTERNAL,
  trace_parent text,
  CONSTRAINT journey_run_tickets_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES journey_runs(organization_id, id),
  CONSTRAINT journey_run_tickets_pkey PRIMARY KEY (organization_id, run_id)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, toast.autovacuum_vacuum_scale_factor=0, toast.autovacuum_vacuum_threshold=20000);
CREATE INDEX journey_run_tickets_due ON public.journey_run_tickets USING btree (organization_id, available_at);
ALTER TABLE journey_run_tickets ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_run_tickets_own ON journey_run_tickets AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON journey_run_tickets TO waymark_app;

CREATE TABLE journey_runs (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  document_id uuid NOT NULL,
  document_version integer NOT NULL,
  environment_id uuid NOT NULL,
  environment_revision integer NOT NULL,
  artifact_hash bytea NOT NULL,
  program_id text NOT NULL,
  origin text NOT NULL,
  trigger text NOT NULL,
  rerun_of uuid,
  schedule_id uuid,
  status text NOT NULL,
  phase text DEFAULT 'main'::text NOT NULL,
  inputs text NOT NULL,
  seed text NOT NULL,
  strict_contract boolean NOT NULL,
  current_step text,
  step_count integer DEFAULT 0 NOT NULL,
  passed_step_count integer DEFAULT 0 NOT NULL,
  error_code text,
  error_message text,
  in_doubt_step text,
  outcome_digest text,
  kept text DEFAULT 'evidence'::text NOT NULL,
  result_hash bytea,
  ci jsonb,
  created_by_key_id uuid NOT NULL,
  idempotency_key text,
  request_hash bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT journey_runs_check CHECK (((status = ANY (ARRAY['queued'::text, 'running'::text])) = (ended_at IS NULL))),
  CONSTRAINT journey_runs_check1 CHECK (((ended_at IS NULL) = (outcome_digest IS NULL))),
  CONSTRAINT journey_runs_check2 CHECK (((result_hash IS NOT NULL) = ((ended_at IS NOT NULL) AND (kept <> 'run'::text)))),
  CONSTRAINT journey_runs_kept_check CHECK ((kept = ANY (ARRAY['evidence'::text, 'result'::text, 'run'::text]))),
  CONSTRAINT journey_runs_organization_id_artifact_hash_fkey FOREIGN KEY (organization_id, artifact_hash) REFERENCES blobs(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT journey_runs_organization_id_document_id_document_version_fkey FOREIGN KEY (organization_id, document_id, document_version) REFERENCES journey_document_versions(organization_id, document_id, version),
  CONSTRAINT journey_runs_organization_id_environment_id_fkey FOREIGN KEY (organization_id, environment_id) REFERENCES environments(organization_id, id),
  CONSTRAINT journey_runs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT journey_runs_organization_id_result_hash_fkey FOREIGN KEY (organization_id, result_hash) REFERENCES blobs(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT journey_runs_origin_check CHECK ((origin = ANY (ARRAY['cloud'::text, 'uploaded'::text]))),
  CONSTRAINT journey_runs_phase_check CHECK ((phase = ANY (ARRAY['main'::text, 'recovery'::text]))),
  CONSTRAINT journey_runs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT journey_runs_request_hash_check CHECK ((length(request_hash) = 32)),
  CONSTRAINT journey_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'passed'::text, 'failed'::text, 'error'::text, 'aborted'::text]))),
  CONSTRAINT journey_runs_trigger_check CHECK ((trigger = ANY (ARRAY['manual'::text, 'cli'::text, 'api'::text, 'schedule'::text, 'rerun'::text])))
);
CREATE INDEX journey_runs_by_artifact ON public.journey_runs USING btree (organization_id, artifact_hash);
CREATE INDEX journey_runs_by_document ON public.journey_runs USING btree (organization_id, document_id, created_at, id);
CREATE INDEX journey_runs_by_environment ON public.journey_runs USING btree (organization_id, environment_id);
CREATE UNIQUE INDEX journey_runs_by_request ON public.journey_runs USING btree (organization_id, created_by_key_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX journey_runs_by_result ON public.journey_runs USING btree (organization_id, result_hash) WHERE (result_hash IS NOT NULL);
CREATE INDEX journey_runs_by_time ON public.journey_runs USING btree (organization_id, created_at, id);
CREATE INDEX journey_runs_for_retention ON public.journey_runs USING btree (organization_id, kept, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX journey_runs_unfinished_by_schedule ON public.journey_runs USING btree (organization_id, schedule_id) WHERE ((schedule_id IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'running'::text])));
ALTER TABLE journey_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_runs_own ON journey_runs AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
CREATE TRIGGER counted_when_final AFTER UPDATE ON public.journey_runs FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION count_ended_run();
CREATE TRIGGER ended_when_scheduled AFTER UPDATE ON public.journey_runs FOR EACH ROW WHEN (((new.schedule_id IS NOT NULL) AND (old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION end_scheduled_run();
CREATE TRIGGER kept_when_final BEFORE UPDATE ON public.journey_runs FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION keep_final_runs();
GRANT DELETE, INSERT, SELECT, UPDATE ON journey_runs TO waymark_app;

CREATE TABLE journey_schedule_ticks (
  organization_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  due_at timestamp with time zone NOT NULL,
  outcome text NOT NULL,
  run_id uuid,
  reason text,
  decided_at timestamp with time zone NOT NULL,
  CONSTRAINT journey_schedule_ticks_check CHECK (((outcome = 'started'::text) = (run_id IS NOT NULL))),
  CONSTRAINT journey_schedule_ticks_check1 CHECK (((outcome = 'started'::text) = (reason IS NULL))),
  CONSTRAINT journey_schedule_ticks_organization_id_schedule_id_fkey FOREIGN KEY (organization_id, schedule_id) REFERENCES journey_schedules(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT journey_schedule_ticks_outcome_check CHECK ((outcome = ANY (ARRAY['started'::text, 'skipped'::text, 'missed'::text, 'refused'::text]))),
  CONSTRAINT journey_schedule_ticks_pkey PRIMARY KEY (organization_id, schedule_id, due_at)
);
CREATE INDEX journey_schedule_ticks_by_time ON public.journey_schedule_ticks USING btree (organization_id, due_at);
ALTER TABLE journey_schedule_ticks ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_schedule_ticks_own ON journey_schedule_ticks AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON journey_schedule_ticks TO waymark_app;

CREATE TABLE journey_schedules (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  document_id uuid NOT NULL,
  version integer,
  environment_id uuid NOT NULL,
  cron text NOT NULL,
  time_zone text NOT NULL,
  overlap text NOT NULL,
  catch_up text NOT NULL,
  jitter_seconds integer NOT NULL,
  is_enabled boolean DEFAULT true NOT NULL,
  paused_reason text,
  failures_in_row integer DEFAULT 0 NOT NULL,
  next_due_at timestamp with time zone,
  next_at timestamp with time zone,
  is_waiting boolean DEFAULT false NOT NULL,
  claimed_until timestamp with time zone,
  revision integer DEFAULT 1 NOT NULL,
  created_by_key_id uuid NOT NULL,
  updated_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT journey_schedules_catch_up_check CHECK ((catch_up = ANY (ARRAY['none'::text, 'one'::text]))),
  CONSTRAINT journey_schedules_check CHECK ((is_enabled = (next_at IS NOT NULL))),
  CONSTRAINT journey_schedules_check1 CHECK (((next_due_at IS NULL) = (next_at IS NULL))),
  CONSTRAINT journey_schedules_check2 CHECK ((NOT (is_enabled AND (paused_reason IS NOT NULL)))),
  CONSTRAINT journey_schedules_jitter_seconds_check CHECK ((jitter_seconds >= 0)),
  CONSTRAINT journey_schedules_organization_id_document_id_fkey FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents(organization_id, id),
  CONSTRAINT journey_schedules_organization_id_document_id_version_fkey FOREIGN KEY (organization_id, document_id, version) REFERENCES journey_document_versions(organization_id, document_id, version),
  CONSTRAINT journey_schedules_organization_id_environment_id_fkey FOREIGN KEY (organization_id, environment_id) REFERENCES environments(organization_id, id),
  CONSTRAINT journey_schedules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT journey_schedules_organization_id_name_key UNIQUE (organization_id, name),
  CONSTRAINT journey_schedules_overlap_check CHECK ((overlap = ANY (ARRAY['skip'::text, 'queue'::text]))),
  CONSTRAINT journey_schedules_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT journey_schedules_version_check CHECK ((version > 0))
);
CREATE INDEX journey_schedules_by_document ON public.journey_schedules USING btree (organization_id, document_id);
CREATE INDEX journey_schedules_by_environment ON public.journey_schedules USING btree (organization_id, environment_id);
CREATE INDEX journey_schedules_due ON public.journey_schedules USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX journey_schedules_paused ON public.journey_schedules USING btree (organization_id) WHERE (paused_reason IS NOT NULL);
ALTER TABLE journey_schedules ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_schedules_own ON journey_schedules AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON journey_schedules TO waymark_app;

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
  stores_descriptions boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  finding_decision_days_max integer DEFAULT 365 NOT NULL,
  shares_journey_runs boolean DEFAULT true NOT NULL,
  CONSTRAINT organizations_finding_decision_days_max_check CHECK (((finding_decision_days_max >= 1) AND (finding_decision_days_max <= 3650))),
  CONSTRAINT organizations_pkey PRIMARY KEY (id)
);
CREATE INDEX organizations_by_name ON public.organizations USING btree (lower(name));
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
CREATE POLICY organizations_own ON organizations AS PERMISSIVE FOR ALL TO public USING ((id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON organizations TO waymark_app;

CREATE TABLE overview_days (
  organization_id uuid NOT NULL,
  day date NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  breaking_services integer,
  gate_failures integer,
  proven_criteria integer,
  must_criteria integer,
  covered_endpoints integer,
  endpoints integer,
  CONSTRAINT overview_days_check CHECK ((num_nulls(proven_criteria, must_criteria) <> 1)),
  CONSTRAINT overview_days_check1 CHECK ((num_nulls(covered_endpoints, endpoints) <> 1)),
  CONSTRAINT overview_days_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT overview_days_pkey PRIMARY KEY (organization_id, day)
);
ALTER TABLE overview_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY overview_days_own ON overview_days AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT, UPDATE ON overview_days TO waymark_app;

CREATE TABLE principal_identities (
  organization_id uuid NOT NULL,
  identity_provider_id uuid NOT NULL,
  subject text NOT NULL,
  principal_id uuid NOT NULL,
  api_key_id uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_sign_in_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT principal_identities_organization_id_identity_provider_id_fkey FOREIGN KEY (organization_id, identity_provider_id) REFERENCES identity_providers(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT principal_identities_organization_id_principal_id_fkey FOREIGN KEY (organization_id, principal_id) REFERENCES principals(organization_id, id),
  CONSTRAINT principal_identities_pkey PRIMARY KEY (organization_id, identity_provider_id, subject)
);
CREATE UNIQUE INDEX principal_identities_by_principal ON public.principal_identities USING btree (organization_id, principal_id, identity_provider_id);
ALTER TABLE principal_identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY principal_identities_own ON principal_identities AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON principal_identities TO waymark_app;
GRANT UPDATE (api_key_id, last_sign_in_at) ON principal_identities TO waymark_app;

CREATE TABLE principals (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  display_name text NOT NULL,
  email text,
  created_by uuid,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  proved_at timestamp with time zone,
  CONSTRAINT principals_check CHECK (((kind = 'user'::text) = (email IS NOT NULL))),
  CONSTRAINT principals_email_check CHECK ((email ~ '^[!-~]+$'::text)),
  CONSTRAINT principals_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'service_account'::text]))),
  CONSTRAINT principals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT principals_pkey PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX principals_email ON public.principals USING btree (organization_id, lower((email COLLATE "C"))) WHERE (email IS NOT NULL);
ALTER TABLE principals ENABLE ROW LEVEL SECURITY;
CREATE POLICY principals_own ON principals AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT ON principals TO waymark_app;
GRANT UPDATE (disabled_at, display_name, proved_at) ON principals TO waymark_app;

CREATE TABLE role_grants (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  principal_id uuid,
  role text NOT NULL,
  service_names text[],
  created_by uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  identity_provider_id uuid,
  team_id uuid,
  owned_by_team_id uuid,
  CONSTRAINT role_grants_check CHECK ((num_nonnulls(principal_id, team_id) = 1)),
  CONSTRAINT role_grants_check1 CHECK ((num_nonnulls(service_names, owned_by_team_id) <= 1)),
  CONSTRAINT role_grants_organization_id_owned_by_team_id_fkey FOREIGN KEY (organization_id, owned_by_team_id) REFERENCES teams(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT role_grants_organization_id_principal_id_fkey FOREIGN KEY (organization_id, principal_id) REFERENCES principals(organization_id, id),
  CONSTRAINT role_grants_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES teams(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT role_grants_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT role_grants_service_names_check CHECK (((cardinality(service_names) >= 1) AND (cardinality(service_names) <= 50)))
);
CREATE INDEX role_grants_by_owner ON public.role_grants USING btree (organization_id, owned_by_team_id) WHERE (owned_by_team_id IS NOT NULL);
CREATE INDEX role_grants_by_principal ON public.role_grants USING btree (organization_id, principal_id, id);
CREATE INDEX role_grants_by_provider ON public.role_grants USING btree (organization_id, identity_provider_id) WHERE (identity_provider_id IS NOT NULL);
CREATE INDEX role_grants_by_role ON public.role_grants USING btree (organization_id, role);
CREATE INDEX role_grants_by_team ON public.role_grants USING btree (organization_id, team_id, id) WHERE (team_id IS NOT NULL);
ALTER TABLE role_grants ENABLE ROW LEVEL SECURITY;
CREATE POLICY role_grants_own ON role_grants AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON role_grants TO waymark_app;

CREATE TABLE roles (
  organization_id uuid NOT NULL,
  name text NOT NULL,
  permissions text[] NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT roles_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,62}$'::text)),
  CONSTRAINT roles_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT roles_permissions_check CHECK (((cardinality(permissions) >= 1) AND (cardinality(permissions) <= 100))),
  CONSTRAINT roles_pkey PRIMARY KEY (organization_id, name)
);
ALTER TABLE roles ENABLE ROW LEVEL SECURITY;
CREATE POLICY roles_own ON roles AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON roles TO waymark_app;
GRANT UPDATE (permissions, updated_at) ON roles TO waymark_app;

CREATE TABLE saved_views (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  principal_id uuid,
  team_id uuid,
  name text NOT NULL,
  page text NOT NULL,
  query text NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT saved_views_check CHECK ((num_nonnulls(principal_id, team_id) = 1)),
  CONSTRAINT saved_views_organization_id_principal_id_fkey FOREIGN KEY (organization_id, principal_id) REFERENCES principals(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT saved_views_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES teams(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT saved_views_pkey PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX saved_views_of_principal ON public.saved_views USING btree (organization_id, principal_id, lower(name)) WHERE (principal_id IS NOT NULL);
CREATE UNIQUE INDEX saved_views_of_team ON public.saved_views USING btree (organization_id, team_id, lower(name)) WHERE (team_id IS NOT NULL);
ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
CREATE POLICY saved_views_own ON saved_views AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON saved_views TO waymark_app;

CREATE TABLE scan_comparison_tasks (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  requested integer DEFAULT 1 NOT NULL,
  available_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  CONSTRAINT scan_comparison_tasks_organization_id_scan_run_id_fkey FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT scan_comparison_tasks_pkey PRIMARY KEY (organization_id, scan_run_id)
);
CREATE INDEX scan_comparison_tasks_due ON public.scan_comparison_tasks USING btree (organization_id, available_at);
ALTER TABLE scan_comparison_tasks ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_comparison_tasks_own ON scan_comparison_tasks AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_comparison_tasks TO waymark_app;

CREATE TABLE scan_comparisons (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  base_run_id uuid NOT NULL,
  base_ordered_at timestamp with time zone NOT NULL,
  outcome text NOT NULL,
  engine integer NOT NULL,
  breaking integer DEFAULT 0 NOT NULL,
  maybe integer DEFAULT 0 NOT NULL,
  safe integer DEFAULT 0 NOT NULL,
  not_compared jsonb DEFAULT '[]'::jsonb NOT NULL,
  verdict_count integer DEFAULT 0 NOT NULL,
  verdict_parts bytea[] DEFAULT '{}'::bytea[] NOT NULL,
  fingerprints text[] DEFAULT '{}'::text[] NOT NULL,
  compared_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT scan_comparisons_organization_id_scan_run_id_fkey FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT scan_comparisons_outcome_check CHECK ((outcome = ANY (ARRAY['compared'::text, 'too_large'::text, 'failed'::text]))),
  CONSTRAINT scan_comparisons_pkey PRIMARY KEY (organization_id, scan_run_id)
);
CREATE INDEX scan_comparisons_by_engine ON public.scan_comparisons USING btree (organization_id, engine);
CREATE INDEX scan_comparisons_by_time ON public.scan_comparisons USING btree (organization_id, compared_at);
ALTER TABLE scan_comparisons ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_comparisons_own ON scan_comparisons AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_comparisons TO waymark_app;

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

CREATE TABLE scan_run_comments (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  id uuid NOT NULL,
  text text NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  edited_at timestamp with time zone,
  CONSTRAINT scan_run_comments_organization_id_scan_run_id_fkey FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT scan_run_comments_pkey PRIMARY KEY (organization_id, scan_run_id, id)
);
ALTER TABLE scan_run_comments ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_run_comments_own ON scan_run_comments AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON scan_run_comments TO waymark_app;
GRANT UPDATE (edited_at, text) ON scan_run_comments TO waymark_app;

CREATE TABLE scan_run_descriptions (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  description_hash bytea NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT scan_run_descriptions_organization_id_description_hash_fkey FOREIGN KEY (organization_id, description_hash) REFERENCES descriptions(organization_id, hash) ON DELETE RESTRICT,
  CONSTRAINT scan_run_descriptions_organization_id_scan_run_id_fkey FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT scan_run_descriptions_pkey PRIMARY KEY (organization_id, scan_run_id)
);
CREATE INDEX scan_run_descriptions_by_description ON public.scan_run_descriptions USING btree (organization_id, description_hash);
ALTER TABLE scan_run_descriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_run_descriptions_own ON scan_run_descriptions AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON scan_run_descriptions TO waymark_app;

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
  promotion jsonb,
  ordered_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  completed_at timestamp with time zone,
  error_code text,
  error_message text,
  created_by_key_id uuid NOT NULL,
  body_hash bytea,
  contract_version integer NOT NULL,
  source jsonb,
  gates jsonb,
  branch text GENERATED ALWAYS AS (source ->> 'branch'::text),
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
CREATE INDEX scan_runs_by_branch ON public.scan_runs USING btree (organization_id, service_id, branch, ordered_at, id) WHERE (branch IS NOT NULL);
CREATE INDEX scan_runs_by_service ON public.scan_runs USING btree (organization_id, service_id, ordered_at, id);
CREATE INDEX scan_runs_by_snapshot ON public.scan_runs USING btree (organization_id, snapshot_id) WHERE (snapshot_id IS NOT NULL);
ALTER TABLE scan_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_runs_own ON scan_runs AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON scan_runs TO waymark_app;

CREATE TABLE seen_items (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  item uuid NOT NULL,
  first_seen_at timestamp with time zone NOT NULL,
  CONSTRAINT seen_items_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT seen_items_pkey PRIMARY KEY (organization_id, service_id, item)
);
ALTER TABLE seen_items ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen_items_own ON seen_items AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON seen_items TO waymark_app;

CREATE TABLE service_aliases (
  organization_id uuid NOT NULL,
  name text NOT NULL,
  service_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT service_aliases_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT service_aliases_pkey PRIMARY KEY (organization_id, name)
);
CREATE INDEX service_aliases_by_service ON public.service_aliases USING btree (organization_id, service_id);
ALTER TABLE service_aliases ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_aliases_own ON service_aliases AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON service_aliases TO waymark_app;

CREATE TABLE service_badges (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT service_badges_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT service_badges_pkey PRIMARY KEY (organization_id, service_id),
  CONSTRAINT service_badges_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE UNIQUE INDEX service_badges_token ON public.service_badges USING btree (token_hash);
ALTER TABLE service_badges ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_badges_own ON service_badges AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON service_badges TO waymark_app;

CREATE TABLE service_break_days (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  day date NOT NULL,
  breaking integer NOT NULL,
  compared integer NOT NULL,
  not_compared integer NOT NULL,
  is_final boolean DEFAULT false NOT NULL,
  CONSTRAINT service_break_days_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT service_break_days_pkey PRIMARY KEY (organization_id, service_id, day)
);
CREATE INDEX service_break_days_by_day ON public.service_break_days USING btree (organization_id, day);
ALTER TABLE service_break_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_break_days_own ON service_break_days AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON service_break_days TO waymark_app;

CREATE TABLE service_changes (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  against_run_id uuid,
  changed_at timestamp with time zone NOT NULL,
  removed_endpoints integer NOT NULL,
  new_critical integer NOT NULL,
  new_high integer NOT NULL,
  CONSTRAINT service_changes_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT service_changes_pkey PRIMARY KEY (organization_id, service_id)
);
ALTER TABLE service_changes ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_changes_own ON service_changes AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON service_changes TO waymark_app;

CREATE TABLE service_days (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  day date NOT NULL,
  ordered_at timestamp with time zone NOT NULL,
  scan_run_id uuid NOT NULL,
  endpoint_count integer NOT NULL,
  info integer NOT NULL,
  low integer NOT NULL,
  medium integer NOT NULL,
  high integer NOT NULL,
  critical integer NOT NULL,
  CONSTRAINT service_days_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT service_days_pkey PRIMARY KEY (organization_id, service_id, day)
);
ALTER TABLE service_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_days_own ON service_days AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON service_days TO waymark_app;

CREATE TABLE service_derivations (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  kind text NOT NULL,
  history integer NOT NULL,
  CONSTRAINT service_derivations_kind_check CHECK ((kind = ANY (ARRAY['changes'::text, 'days'::text, 'rules'::text]))),
  CONSTRAINT service_derivations_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT service_derivations_pkey PRIMARY KEY (organization_id, service_id, kind)
);
ALTER TABLE service_derivations ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_derivations_own ON service_derivations AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON service_derivations TO waymark_app;

CREATE TABLE service_rules (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  snapshot_id uuid NOT NULL,
  severity text NOT NULL,
  code text NOT NULL,
  seen_on date NOT NULL,
  part smallint NOT NULL,
  finding_count integer NOT NULL,
  indexes smallint[] NOT NULL,
  chunks smallint[] NOT NULL,
  ordinals smallint[] NOT NULL,
  fingerprints uuid[] NOT NULL,
  words tsvector NOT NULL,
  first_days date[] NOT NULL,
  CONSTRAINT service_rules_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT service_rules_pkey PRIMARY KEY (organization_id, service_id, snapshot_id, severity, code, seen_on, part)
);
ALTER TABLE service_rules ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_rules_own ON service_rules AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON service_rules TO waymark_app;

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
  name text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  current_run_id uuid,
  current_snapshot_id uuid,
  current_ordered_at timestamp with time zone,
  history integer DEFAULT 0 NOT NULL,
  default_branch text,
  labels jsonb DEFAULT '{}'::jsonb NOT NULL,
  links jsonb DEFAULT '{}'::jsonb NOT NULL,
  archived_at timestamp with time zone,
  deleted_at timestamp with time zone,
  lost_name_at timestamp with time zone,
  owner_team_id uuid,
  CONSTRAINT services_check CHECK (((name IS NULL) = (deleted_at IS NOT NULL))),
  CONSTRAINT services_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT services_organization_id_owner_team_id_fkey FOREIGN KEY (organization_id, owner_team_id) REFERENCES teams(organization_id, id) ON DELETE SET NULL (owner_team_id),
  CONSTRAINT services_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX services_by_owner ON public.services USING btree (organization_id, owner_team_id, id) WHERE (owner_team_id IS NOT NULL);
CREATE INDEX services_deleted ON public.services USING btree (organization_id, deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE UNIQUE INDEX services_organization_id_name_key ON public.services USING btree (organization_id, name) WHERE (name IS NOT NULL);
ALTER TABLE services ENABLE ROW LEVEL SECURITY;
CREATE POLICY services_own ON services AS PERMISSIVE FOR ALL TO public USING (((organization_id = ( SELECT current_organization_id() AS current_organization_id)) AND (deleted_at IS NULL)));
GRANT INSERT, SELECT, UPDATE ON services TO waymark_app;

CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  api_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  authenticated_at timestamp with time zone DEFAULT now() NOT NULL,
  identity_provider_id uuid,
  provider_session text,
  CONSTRAINT sessions_organization_id_api_key_id_fkey FOREIGN KEY (organization_id, api_key_id) REFERENCES api_keys(organization_id, id),
  CONSTRAINT sessions_pkey PRIMARY KEY (organization_id, token_hash),
  CONSTRAINT sessions_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (organization_id, expires_at);
CREATE INDEX sessions_by_key ON public.sessions USING btree (organization_id, api_key_id, created_at);
CREATE INDEX sessions_by_provider ON public.sessions USING btree (organization_id, identity_provider_id, provider_session) WHERE (identity_provider_id IS NOT NULL);
CREATE UNIQUE INDEX sessions_token ON public.sessions USING btree (token_hash);
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_own ON sessions AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON sessions TO waymark_app;

CREATE TABLE severity_policies (
  organization_id uuid NOT NULL,
  revision integer NOT NULL,
  rules jsonb NOT NULL,
  updated_by_key_id uuid NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  due_days jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT severity_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT severity_policies_pkey PRIMARY KEY (organization_id)
);
ALTER TABLE severity_policies ENABLE ROW LEVEL SECURITY;
CREATE POLICY severity_policies_own ON severity_policies AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT INSERT, SELECT, UPDATE ON severity_policies TO waymark_app;

CREATE TABLE sign_in_domains (
  organization_id uuid NOT NULL,
  domain text NOT NULL,
  identity_provider_id uuid NOT NULL,
  CONSTRAINT sign_in_domains_domain_check CHECK ((domain ~ '^[a-z0-9.-]+$'::text)),
  CONSTRAINT sign_in_domains_organization_id_identity_provider_id_fkey FOREIGN KEY (organization_id, identity_provider_id) REFERENCES identity_providers(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT sign_in_domains_pkey PRIMARY KEY (organization_id, domain)
);
CREATE INDEX sign_in_domains_by_provider ON public.sign_in_domains USING btree (organization_id, identity_provider_id);
CREATE UNIQUE INDEX sign_in_domains_domain ON public.sign_in_domains USING btree (domain);
ALTER TABLE sign_in_domains ENABLE ROW LEVEL SECURITY;
CREATE POLICY sign_in_domains_own ON sign_in_domains AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON sign_in_domains TO waymark_app;

CREATE TABLE sign_ins (
  organization_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  identity_provider_id uuid NOT NULL,
  again boolean NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_ins_organization_id_identity_provider_id_fkey FOREIGN KEY (organization_id, identity_provider_id) REFERENCES identity_providers(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT sign_ins_pkey PRIMARY KEY (organization_id, token_hash),
  CONSTRAINT sign_ins_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX sign_ins_by_expiry ON public.sign_ins USING btree (organization_id, expires_at);
CREATE INDEX sign_ins_by_provider ON public.sign_ins USING btree (organization_id, identity_provider_id);
CREATE UNIQUE INDEX sign_ins_token ON public.sign_ins USING btree (token_hash);
ALTER TABLE sign_ins ENABLE ROW LEVEL SECURITY;
CREATE POLICY sign_ins_own ON sign_ins AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT ON sign_ins TO waymark_app;

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

CREATE TABLE source_bindings (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  service_id uuid NOT NULL,
  path_prefix text DEFAULT ''::text NOT NULL,
  how text NOT NULL,
  bound_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT source_bindings_how_check CHECK ((how = ANY (ARRAY['spec-hash'::text, 'name'::text, 'manual'::text, 'description'::text]))),
  CONSTRAINT source_bindings_organization_id_document_id_fkey FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents(organization_id, id),
  CONSTRAINT source_bindings_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT source_bindings_pkey PRIMARY KEY (organization_id, document_id)
);
CREATE INDEX source_bindings_by_service ON public.source_bindings USING btree (organization_id, service_id);
ALTER TABLE source_bindings ENABLE ROW LEVEL SECURITY;
CREATE POLICY source_bindings_own ON source_bindings AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON source_bindings TO waymark_app;

CREATE TABLE stale_break_days (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  day date NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  CONSTRAINT stale_break_days_organization_id_service_id_fkey FOREIGN KEY (organization_id, service_id) REFERENCES services(organization_id, id),
  CONSTRAINT stale_break_days_pkey PRIMARY KEY (organization_id, service_id, day, id)
);
ALTER TABLE stale_break_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY stale_break_days_own ON stale_break_days AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON stale_break_days TO waymark_app;

CREATE TABLE stale_totals (
  organization_id uuid NOT NULL,
  CONSTRAINT stale_totals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT stale_totals_pkey PRIMARY KEY (organization_id)
);
ALTER TABLE stale_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY stale_totals_own ON stale_totals AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT SELECT ON stale_totals TO waymark_app;

CREATE TABLE team_members (
  organization_id uuid NOT NULL,
  team_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  identity_provider_id uuid,
  created_by uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT team_members_organization_id_principal_id_fkey FOREIGN KEY (organization_id, principal_id) REFERENCES principals(organization_id, id),
  CONSTRAINT team_members_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES teams(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT team_members_pkey PRIMARY KEY (organization_id, team_id, principal_id)
);
CREATE INDEX team_members_by_principal ON public.team_members USING btree (organization_id, principal_id, team_id);
CREATE INDEX team_members_by_provider ON public.team_members USING btree (organization_id, identity_provider_id) WHERE (identity_provider_id IS NOT NULL);
ALTER TABLE team_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY team_members_own ON team_members AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON team_members TO waymark_app;

CREATE TABLE teams (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  slug text NOT NULL,
  display_name text NOT NULL,
  handles text[] DEFAULT '{}'::text[] NOT NULL,
  created_by uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT teams_handles_check CHECK ((cardinality(handles) <= 20)),
  CONSTRAINT teams_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT teams_organization_id_slug_key UNIQUE (organization_id, slug),
  CONSTRAINT teams_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT teams_slug_check CHECK (((slug ~ '^[a-z][a-z0-9-]{0,62}$'::text) AND (slug <> ALL (ARRAY['me'::text, 'none'::text, 'all'::text]))))
);
ALTER TABLE teams ENABLE ROW LEVEL SECURITY;
CREATE POLICY teams_own ON teams AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON teams TO waymark_app;

CREATE TABLE trust_policies (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  issuer text NOT NULL,
  audience text NOT NULL,
  conditions jsonb NOT NULL,
  scopes jsonb NOT NULL,
  allowed_networks text[],
  lifetime_seconds integer NOT NULL,
  expires_at timestamp with time zone,
  revision integer DEFAULT 1 NOT NULL,
  created_by_key_id uuid NOT NULL,
  updated_by_key_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT trust_policies_allowed_networks_check CHECK (((cardinality(allowed_networks) >= 1) AND (cardinality(allowed_networks) <= 50))),
  CONSTRAINT trust_policies_conditions_check CHECK ((jsonb_typeof(conditions) = 'object'::text)),
  CONSTRAINT trust_policies_lifetime_seconds_check CHECK (((lifetime_seconds >= 300) AND (lifetime_seconds <= 3600))),
  CONSTRAINT trust_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT trust_policies_organization_id_name_key UNIQUE (organization_id, name),
  CONSTRAINT trust_policies_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT trust_policies_scopes_check CHECK ((jsonb_typeof(scopes) = 'array'::text))
);
CREATE INDEX trust_policies_by_key ON public.trust_policies USING btree (organization_id, updated_by_key_id);
CREATE INDEX trust_policies_issuer ON public.trust_policies USING btree (issuer, audience);
ALTER TABLE trust_policies ENABLE ROW LEVEL SECURITY;
CREATE POLICY trust_policies_own ON trust_policies AS PERMISSIVE FOR ALL TO public USING ((organization_id = ( SELECT current_organization_id() AS current_organization_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON trust_policies TO waymark_app;

CREATE TABLE waymark_compatibility (
  only_row boolean DEFAULT true NOT NULL,
  oldest_migration text COLLATE "C" NOT NULL,
  migrated_by text NOT NULL,
  CONSTRAINT waymark_compatibility_only_row_check CHECK (only_row),
  CONSTRAINT waymark_compatibility_pkey PRIMARY KEY (only_row)
);
GRANT SELECT ON waymark_compatibility TO waymark_app;

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

CREATE OR REPLACE FUNCTION public.accept_scan_run(p_organization_id uuid, p_run scan_submission, p_grant scan_grant, p_content scan_content, p_sent sent_chunks, p_limits scan_limits, p_may_wait boolean, OUT outcome text, OUT run_id uuid, OUT created_at timestamp with time zone, OUT unchanged boolean, OUT service_id uuid, OUT service_name text, OUT service_is_new boolean, OUT endpoint_count integer, OUT finding_count integer, OUT missing_chunks uuid[], OUT usage json)
 RETURNS record
 LANGUAGE plpgsql
 SET random_page_cost TO '0';
-- Body of accept_scan_run: sha256 e452b5c7714b9085ae4da0f916f792fd8ab0558c302abe9c7d943954c6135de6

CREATE OR REPLACE FUNCTION public.apply_snapshot(p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_snapshot_id uuid, p_ordered_at timestamp with time zone, p_promote boolean)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of apply_snapshot: sha256 39985309e91eceaa212598a5f0fc47b347cc9ae1e4b2e51b60fa4e42b0bbef83

CREATE OR REPLACE FUNCTION public.approvals_of_run(p_run scan_runs, p_fingerprints text[])
 RETURNS SETOF change_approvals
 LANGUAGE sql
 STABLE;
-- Body of approvals_of_run: sha256 40d19d77bbba1f7c4372db805f856880bcb0326d0eb1bf5a236d3dd5a852a68c

CREATE OR REPLACE FUNCTION public.archive_service(p_organization_id uuid, p_service_id uuid, p_archived boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of archive_service: sha256 aaff0f18b0f6fe9cdd26be580ad5029fb8ea25d9ac6c0097bc33181843575b81
GRANT EXECUTE ON FUNCTION archive_service(uuid,uuid,boolean) TO waymark_app;

CREATE OR REPLACE FUNCTION public.assert_own_organization(p_organization_id uuid)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of assert_own_organization: sha256 c1861e4ec09bad7a07f15d5a9543ec4120017624fbdde1fef2fc18586bde2bec

CREATE OR REPLACE FUNCTION public.bind_sources(p_organization_id uuid, p_service_id uuid)
 RETURNS void
 LANGUAGE sql;
-- Body of bind_sources: sha256 d29658a1db020315907960b07c39392ef384b3a141b1e33e8db0a533634e0cd9

CREATE OR REPLACE FUNCTION public.cancel_journey_run(p_organization_id uuid, p_run_id uuid)
 RETURNS text
 LANGUAGE plpgsql;
-- Body of cancel_journey_run: sha256 db1757046eede07dc5e9f15ac859a44842ed8c0e334de1726ca0392d9b0c4904

CREATE OR REPLACE FUNCTION public.capital_letters()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE;
-- Body of capital_letters: sha256 56568c76a94f3d16c94c8aa92dd49c4a9bd14fe8e7ac6b65984781f1d3574f8e

CREATE OR REPLACE FUNCTION public.claim_comparison(p_after_organization_id uuid, p_lease interval)
 RETURNS TABLE(organization_id uuid, scan_run_id uuid, attempt integer, requested integer)
 LANGUAGE plpgsql
 SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of claim_comparison: sha256 4a2a2ead2f4e1eb6df2f42f17f366abeb5900b97756d94d1c9e03af5a6971aba
GRANT EXECUTE ON FUNCTION claim_comparison(uuid,interval) TO waymark_app;

CREATE OR REPLACE FUNCTION public.claim_journey_runs(p_after_organization_id uuid, p_limit integer, p_running_max integer, p_lease interval)
 RETURNS TABLE(organization_id uuid, run_id uuid, attempt integer, lost_workers integer, is_cancelled boolean, to_end text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of claim_journey_runs: sha256 5e1777b0fc98813aafe9d7b04420931c6c7b73c1da9ec0bfe70f57a9b5b20055
GRANT EXECUTE ON FUNCTION claim_journey_runs(uuid,integer,integer,interval) TO waymark_app;

CREATE OR REPLACE FUNCTION public.claim_journey_schedule(p_busy_organization_ids uuid[], p_lease interval, p_now timestamp with time zone)
 RETURNS SETOF journey_schedules
 LANGUAGE plpgsql
 SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of claim_journey_schedule: sha256 4911cdc9a5f5674d4f713c6fd8a26706dc642c3ce3e046b50be864510274d638
GRANT EXECUTE ON FUNCTION claim_journey_schedule(uuid[],interval,timestamp with time zone) TO waymark_app;

CREATE OR REPLACE FUNCTION public.claim_scan_runs(p_after_organization_id uuid, p_limit integer, p_bytes_max bigint, p_lease interval)
 RETURNS TABLE(organization_id uuid, scan_run_id uuid, attempt integer, attempts_excused integer, items bytea, endpoint_row_type oid, finding_row_type oid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of claim_scan_runs: sha256 4351dca96a1586a5cc8ab246bce72f5aa97117df747b3baee5d714ee883d7d69
GRANT EXECUTE ON FUNCTION claim_scan_runs(uuid,integer,bigint,interval) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_blobs(p_organization_id uuid, p_hashes bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of collect_blobs: sha256 ccf26fdf04a80e5b818e2e46245f4596327c6b1fdccdec0de810fb38d0cd05b6
GRANT EXECUTE ON FUNCTION collect_blobs(uuid,bytea[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_chunks(p_organization_id uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of collect_chunks: sha256 5c732ad22ad76317a80bcec1427b2d0ec6a1ae1daacb53db0e420c2b2225b1e4
GRANT EXECUTE ON FUNCTION collect_chunks(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_description_chunks(p_organization_id uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of collect_description_chunks: sha256 23ca98818e79014dd9ea023bd71825ad0bdc730657911e953d53f31dcdd815a6
GRANT EXECUTE ON FUNCTION collect_description_chunks(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_descriptions(p_organization_id uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of collect_descriptions: sha256 b6526b068e015df19ab40c4eac03d824382a41810bfab16b0904f830d41308ff
GRANT EXECUTE ON FUNCTION collect_descriptions(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.collect_snapshots(p_organization_id uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan';
-- Body of collect_snapshots: sha256 a4c21d1f91533914fe36d493c883a6a4c9bb2dc822eabfef9c01cb218b61c92b
GRANT EXECUTE ON FUNCTION collect_snapshots(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.compare_contents(p_organization_id uuid, p_before uuid, p_after uuid)
 RETURNS TABLE(differs boolean, removed_endpoints integer, new_critical integer, new_high integer)
 LANGUAGE sql
 STABLE;
-- Body of compare_contents: sha256 8302c5cdb22fbbcdec28d9e97372b5466870b20b51f78cdf58f688ce78d057fc

CREATE OR REPLACE FUNCTION public.contains_text(p_text text, p_part text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE;
-- Body of contains_text: sha256 3850bb97a378f83dfdd55f86b8a42f9a7abb7eec5849ca0fd8a9607ac92aec88

CREATE OR REPLACE FUNCTION public.count_accepted_scans(p_organization_id uuid, p_scans bigint, p_bytes bigint, p_scans_max bigint, p_bytes_max bigint)
 RETURNS TABLE(scans bigint, bytes bigint, reset_seconds integer)
 LANGUAGE plpgsql;
-- Body of count_accepted_scans: sha256 80f8f06f0424896969f6dc911583ba92531223b1a4aefb8b25561bfe525a8801

CREATE OR REPLACE FUNCTION public.count_approved(p_run scan_runs, p_fingerprints text[])
 RETURNS integer
 LANGUAGE sql
 STABLE;
-- Body of count_approved: sha256 dc0d2dca43910bb6d05a97de7e6dd946d5826c83e0afcded7249843c4af91016

CREATE OR REPLACE FUNCTION public.count_breaks_of_day(p_organization_id uuid, p_service_id uuid, p_day date, p_is_cut boolean)
 RETURNS TABLE(breaking integer, compared integer, not_compared integer)
 LANGUAGE sql
 STABLE ROWS 1;
-- Body of count_breaks_of_day: sha256 4108946ae04975074cbefc9165645c9be5c450e310077d49372810ed07b1b09d

CREATE OR REPLACE FUNCTION public.count_ended_run()
 RETURNS trigger
 LANGUAGE plpgsql;
-- Body of count_ended_run: sha256 f0949a5df541e5cf58108530230341600488750a439e6457e67104209bd9c877

CREATE OR REPLACE FUNCTION public.count_journey_schedule_outcome(p_organization_id uuid, p_id uuid, p_has_failed boolean, p_last text)
 RETURNS void
 LANGUAGE sql;
-- Body of count_journey_schedule_outcome: sha256 71e89a1c2bd75d885d670e5012a983e8f33a912710e4eb9f2ffa1d15653f9acc

CREATE OR REPLACE FUNCTION public.count_run_criteria(p_run journey_runs)
 RETURNS void
 LANGUAGE sql;
-- Body of count_run_criteria: sha256 c98d279a77de78b07471828766b061e8ea3cbb5442ed833b1e208bbdde8968a4

CREATE OR REPLACE FUNCTION public.count_run_operations(p_run journey_runs)
 RETURNS void
 LANGUAGE sql;
-- Body of count_run_operations: sha256 d50e3aed674d9e7cc1535a82b892b90239276e11f616d57681b48cc52a6bfb71

CREATE OR REPLACE FUNCTION public.current_organization_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('waymark.organization_id'::text, true), ''::text))::uuid
;

CREATE OR REPLACE FUNCTION public.decide_journey_ticks(p_organization_id uuid, p_id uuid, p_ticks journey_schedule_ticks[], p_next_due_at timestamp with time zone, p_next_at timestamp with time zone, p_is_waiting boolean)
 RETURNS void
 LANGUAGE sql;
-- Body of decide_journey_ticks: sha256 2b725849d8b0e32d5d795e35e7335dd63914988232cda401294ec08130c1abbc

CREATE OR REPLACE FUNCTION public.decided_by_severity(p_organization_id uuid, p_service_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE;
-- Body of decided_by_severity: sha256 b29b4e2cb652628963e35311df84f217bf084dbefb564124942c32a71ee679ac

CREATE OR REPLACE FUNCTION public.delete_issued_keys(p_organization_id uuid, p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of delete_issued_keys: sha256 f5cb8e404394f6a760a33a3741aea60e8e8ade9169216942709832ef4dbf0afc
GRANT EXECUTE ON FUNCTION delete_issued_keys(uuid,integer,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.delete_old_evidence(p_organization_id uuid, p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql;
-- Body of delete_old_evidence: sha256 c116a44bb37e115e784a83cb24c2fc208ea3009a840057d9fbe5adcd0e1785d5

CREATE OR REPLACE FUNCTION public.delete_old_journey_builds(p_organization_id uuid, p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan';
-- Body of delete_old_journey_builds: sha256 1763edada478a8c664c7b8d915d3338aefa71eaa40435cf2b34f1223d4a92ea6

CREATE OR REPLACE FUNCTION public.delete_old_journey_results(p_organization_id uuid, p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql;
-- Body of delete_old_journey_results: sha256 8f533a5a4dea06e9b34e3b1256dc0d8085c555c3b56723559aa0427404e72dcf

CREATE OR REPLACE FUNCTION public.delete_old_journey_runs(p_organization_id uuid, p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql;
-- Body of delete_old_journey_runs: sha256 be5fc09351972bbd6242b3cca72855d1335b10c36204d0cc786c84461f23cdb1

CREATE OR REPLACE FUNCTION public.delete_old_scan_runs(p_organization_id uuid, p_keep_days integer, p_keep_runs integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of delete_old_scan_runs: sha256 d757c5c804d2d598077106e579c1fa057e8d10ff4231957f38861e821b7919d7
GRANT EXECUTE ON FUNCTION delete_old_scan_runs(uuid,integer,integer,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.delete_service(p_organization_id uuid, p_service_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of delete_service: sha256 c33c8f15edd1d49bf4c46312d85d5cdb6319468a1585da78ae66b1f0daf6c237
GRANT EXECUTE ON FUNCTION delete_service(uuid,uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.delete_service_data(p_organization_id uuid, p_limit integer, OUT run_count integer, OUT row_count integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of delete_service_data: sha256 6528fff678fd21be291ca27caf6272e7fb00aa31a73ecc497fb24057abde73ce
GRANT EXECUTE ON FUNCTION delete_service_data(uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.describe_last_change(p_organization_id uuid, p_service_id uuid)
 RETURNS TABLE(scan_run_id uuid, against_run_id uuid, changed_at timestamp with time zone, removed_endpoints integer, new_critical integer, new_high integer)
 LANGUAGE plpgsql
 STABLE;
-- Body of describe_last_change: sha256 878371c6e40e9f8827b912678b355c1957530f781bb614cb5c2d0133003ec77b

CREATE OR REPLACE FUNCTION public.description_of_run(p_organization_id uuid, p_scan_run_id uuid)
 RETURNS TABLE(hash bytea, canonical_hash bytea)
 LANGUAGE sql
 STABLE ROWS 1;
-- Body of description_of_run: sha256 cbc0faa4c57a1ccd4949a065d9921d703a876275f7733da9476b3c1c5772abbe

CREATE OR REPLACE FUNCTION public.end_journey_run(p_organization_id uuid, p_run_id uuid, p_attempt integer, p_end journey_run_end)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of end_journey_run: sha256 46e332c9d7a7aa19279bcaf07feed3689dba7c8cd1e922ee79add8185d64b6f7

CREATE OR REPLACE FUNCTION public.end_journey_schedule_run(p_organization_id uuid, p_id uuid, p_run_id uuid, p_status text, p_error_code text)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of end_journey_schedule_run: sha256 0d8c11adc6afa22c15e31cf191714f525e09921315f5925cd04687f5fcfbb105

CREATE OR REPLACE FUNCTION public.end_scheduled_run()
 RETURNS trigger
 LANGUAGE plpgsql;
-- Body of end_scheduled_run: sha256 2d46377ea4abdd874844eb97c02f85264c9652dea9846fd5809f4506ef1bbd67

CREATE OR REPLACE FUNCTION public.end_sessions(p_token_hashes bytea[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of end_sessions: sha256 84e487b3deb6256505ef826f340800e8b5abd1a830c5c04a0dca4c751640faa7
GRANT EXECUTE ON FUNCTION end_sessions(bytea[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.endpoint_key(p_method text, p_path text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE;
-- Body of endpoint_key: sha256 e9ea4dcb68f9b9b195f65dc1b721ceda9854f2528d2a1efbdd2afef35df33f7b

CREATE OR REPLACE FUNCTION public.endpoint_text(p_method text, p_path text, p_operation_id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE;
-- Body of endpoint_text: sha256 72516e6fc4d28f41b36eee505ee3be973a7920eac3bb0e570197ecf686de7b01

CREATE OR REPLACE FUNCTION public.exceeded_journey_run_limit(p_organization_id uuid, p_waiting_max integer, p_hourly_max integer)
 RETURNS text
 LANGUAGE plpgsql;
-- Body of exceeded_journey_run_limit: sha256 ca19c3696bfb4a016d9573e338ffb78615d2804e0db522d059da82215b34a9d3

CREATE OR REPLACE FUNCTION public.extend_scan_leases(p_organization_id uuid, p_scan_run_ids uuid[], p_attempts integer[], p_lease interval)
 RETURNS integer
 LANGUAGE plpgsql;
-- Body of extend_scan_leases: sha256 9c7ebbe14de20805b63a5f553fe47a88332d64af068be46d0c126bf4c6d9f7c3

CREATE OR REPLACE FUNCTION public.find_api_key(p_prefix text)
 RETURNS SETOF checked_api_keys
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of find_api_key: sha256 6253312460e16f0f652aed909b4a04ce621cfdcf0cf77b6559c411030b4f002c
GRANT EXECUTE ON FUNCTION find_api_key(text) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_api_keys(p_prefixes text[])
 RETURNS SETOF checked_api_keys
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of find_api_keys: sha256 5511bb8e6431c206ffc6d8bd388a9ef971499df648c82dd8a98a984f2f1d0dca
GRANT EXECUTE ON FUNCTION find_api_keys(text[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_comparison_work(p_organization_id uuid, p_scan_run_id uuid, p_engine integer)
 RETURNS TABLE(base_run_id uuid, base_ordered_at text, base_hash bytea, head_hash bytea, today text)
 LANGUAGE sql
 STABLE ROWS 1;
-- Body of find_comparison_work: sha256 0a0329db21579ff12bc79a7eac7a00de1a0c549ca992ebea4cbbc862ec3c2b9e

CREATE OR REPLACE FUNCTION public.find_identity_provider(p_id uuid)
 RETURNS SETOF identity_providers
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of find_identity_provider: sha256 df2c2628b121e039ce2759b35560fc9fcf5a7f13f7e38b657a66f28ff22a7f61
GRANT EXECUTE ON FUNCTION find_identity_provider(uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_invitation(p_token_hash bytea)
 RETURNS TABLE(organization_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of find_invitation: sha256 46c243633d62885f42772cd26c6fb12cb4b1dced161c45088826b03517fb93d5
GRANT EXECUTE ON FUNCTION find_invitation(bytea) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_journey_run_link(p_token_hash bytea)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of find_journey_run_link: sha256 f6bfd2392a4b1df34f580520ce095cab888af0cea82186bf3c4657db3d3e6cca
GRANT EXECUTE ON FUNCTION find_journey_run_link(bytea) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_journey_run_work(p_organization_id uuid, p_run_id uuid, p_attempt integer)
 RETURNS TABLE(artifact bytea, environment_id uuid, allowed_hosts text[], stores_bodies boolean, inputs text, seed text, strict_contract boolean, checkpoint bytea, trace_parent text, step_results text[], step_evidence text[], is_allowed boolean)
 LANGUAGE plpgsql
 ROWS 1;
-- Body of find_journey_run_work: sha256 c75fd0f473c393db5bee4af29f49764170dd7bdacb0b1c5105b69b4e8a9a2e41

CREATE OR REPLACE FUNCTION public.find_replay(p_organization_id uuid, p_idempotency_key text, p_body_hash bytea, p_content scan_content, OUT outcome text, OUT run_id uuid, OUT created_at timestamp with time zone, OUT unchanged boolean, OUT service_id uuid, OUT service_name text, OUT service_is_new boolean, OUT endpoint_count integer, OUT finding_count integer)
 RETURNS record
 LANGUAGE plpgsql;
-- Body of find_replay: sha256 7a2763726f8c93cf01c04b2d09472d64b3044d8ce5c430951707d6bf64082355

CREATE OR REPLACE FUNCTION public.find_service_badge(p_token_hash bytea)
 RETURNS TABLE(badge_organization_id uuid, badge_service_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of find_service_badge: sha256 1d9deb0ef08713345ad49cb2f13a7f937c3afaa591608f5e8246b5bff9656a6c
GRANT EXECUTE ON FUNCTION find_service_badge(bytea) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_session(p_token_hash bytea)
 RETURNS TABLE(session_last_seen_at timestamp with time zone, session_expires_at timestamp with time zone, session_authenticated_at timestamp with time zone, session_identity_provider_id uuid, session_key_prefix text)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of find_session: sha256 e5a3c9303242b58efe5432e50613d7c843346037f8e3fc2f6e616bd27fb2108a
GRANT EXECUTE ON FUNCTION find_session(bytea) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_sign_in(p_token_hash bytea)
 RETURNS TABLE(organization_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of find_sign_in: sha256 e317606d4c087a20934468197b8111a180f0eab5ade44b18edacb68e37774c9f
GRANT EXECUTE ON FUNCTION find_sign_in(bytea) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_sign_in_by_domain(p_domain text)
 RETURNS TABLE(id uuid, display_name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of find_sign_in_by_domain: sha256 9e7d1b65dcbb6278a4cee2c9a31564fc7e372f961a152c8af693c8974e7b8828
GRANT EXECUTE ON FUNCTION find_sign_in_by_domain(text) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_sign_in_by_organization(p_organization text)
 RETURNS TABLE(id uuid, display_name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of find_sign_in_by_organization: sha256 34a94d9a3c7d0b5d810552b3e92071eb5e5c42490f839b3a07888c8f3a2e3b82
GRANT EXECUTE ON FUNCTION find_sign_in_by_organization(text) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_sign_in_of_only_organization()
 RETURNS TABLE(id uuid, display_name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of find_sign_in_of_only_organization: sha256 bf310108d5abff0d501f06b168f8803316cb688a0d283364f85358c55ef3ab16
GRANT EXECUTE ON FUNCTION find_sign_in_of_only_organization() TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_trace_parents(p_organization_id uuid, p_scan_run_ids uuid[])
 RETURNS TABLE(scan_run_id uuid, trace_parent text)
 LANGUAGE plpgsql;
-- Body of find_trace_parents: sha256 ae8361adbc6f142daa760a9a3e1a96c35c06496d749c40b1eaea90732cf9d358

CREATE OR REPLACE FUNCTION public.find_trust_policies(p_issuer text, p_audiences text[])
 RETURNS SETOF trust_policies
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of find_trust_policies: sha256 75cce8284e56b21e2ce3bded409e593553e3535e085f8601c782a7a7cafd6d33
GRANT EXECUTE ON FUNCTION find_trust_policies(text,text[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.find_waiting_scan_runs(p_organization_id uuid, p_scan_run_ids uuid[])
 RETURNS TABLE(id uuid, service_id uuid, ordered_at timestamp with time zone, promote boolean, endpoint_count integer, finding_count integer, snapshot_id uuid, endpoint_chunks uuid[], finding_chunks uuid[])
 LANGUAGE sql
 STABLE;
-- Body of find_waiting_scan_runs: sha256 85859759c5c2c1dead32e5061180364ea71317635971e30419d0f5df5a791e75

CREATE OR REPLACE FUNCTION public.finding_deadlines(p_organization_id uuid)
 RETURNS TABLE(severity text, days integer)
 LANGUAGE sql
 STABLE;
-- Body of finding_deadlines: sha256 10b881c4123144366498a9d7d8e2fc412b00b0a520427838c084651dd5569295

CREATE OR REPLACE FUNCTION public.finding_fingerprint(p_code text, p_method text, p_path text, p_message text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE;
-- Body of finding_fingerprint: sha256 ac1ca70be8642ed483c8226f10ff9be995663f05c73779995680a7d4190032b6

CREATE OR REPLACE FUNCTION public.finding_identity(p_code text, p_method text, p_path text, p_message text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE;
-- Body of finding_identity: sha256 fbc3dd578a4869d645db880d730cd0c52f9c0ad828294147ba4c58cf6c469188

CREATE OR REPLACE FUNCTION public.finding_key(p_code text, p_message text, p_method text, p_path text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE;
-- Body of finding_key: sha256 70c3079c451e43e6915cbaa33d8eb373859a4b36c2dc6b74ccdb7e5c42f281fc

CREATE OR REPLACE FUNCTION public.finding_places(p_words tsvector, p_text text)
 RETURNS SETOF smallint
 LANGUAGE sql
 IMMUTABLE;
-- Body of finding_places: sha256 bac0ef2ed38a950068044026234579772d0184564440c776b6ca532ffb4acdd4

CREATE OR REPLACE FUNCTION public.finding_query(p_text text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE;
-- Body of finding_query: sha256 fad73592a23692531464795d8fc171a5e814b47d192d6feec8542e98f3cdf239

CREATE OR REPLACE FUNCTION public.finding_words(p_texts text[])
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE;
-- Body of finding_words: sha256 789c776c8a9cf74f73c289c6ecbbd672e7498859d6af6bf47850d1a65bae69bf

CREATE OR REPLACE FUNCTION public.finish_comparison(p_organization_id uuid, p_scan_run_id uuid, p_attempt integer, p_requested integer, p_comparison scan_comparisons)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of finish_comparison: sha256 fb0704fda93383826cf86e50f2511e7c929d9b60c325dcf0e43129fa6be751dc

CREATE OR REPLACE FUNCTION public.finish_days_of_breaks(p_organization_id uuid, p_scan_run_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql;
-- Body of finish_days_of_breaks: sha256 f93f6636d3f4f2c98da407f36c8fa3fed15f64ae8f4a0d334e46ea078640c2a7

CREATE OR REPLACE FUNCTION public.finish_journey_run(p_organization_id uuid, p_run_id uuid, p_attempt integer, p_end journey_run_end)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of finish_journey_run: sha256 aa5e334b222e1d59bacbddd62fed761492fd785b2710fd1b16e960f58ab4536b

CREATE OR REPLACE FUNCTION public.first_day_of_totals()
 RETURNS date
 LANGUAGE sql
 STABLE;
-- Body of first_day_of_totals: sha256 bf205910f48abfff33ae4e84293e5e3cfbe23b3cf14c75666606b3a6504e6bbf

CREATE OR REPLACE FUNCTION public.fold_text(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE;
-- Body of fold_text: sha256 73fadcb8d51a0f01cf60a643544f9fd502f563a222b9e00cd66f88a69f550893

CREATE OR REPLACE FUNCTION public.folded_letters()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE;
-- Body of folded_letters: sha256 4b521e88eb4e444e1fdc91d62c2a0c22d20bb788807ab01c42004b83d306507d

CREATE OR REPLACE FUNCTION public.forget_deleted_services(p_organization_id uuid, p_service_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of forget_deleted_services: sha256 cf06234a460f54c23fc7d4be2b328d44aaf25ea746f2c005983b04a1a5790ec3
GRANT EXECUTE ON FUNCTION forget_deleted_services(uuid,uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.forget_promotion(p_run scan_runs)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of forget_promotion: sha256 309e8c857b38659cf5b8085efd8a686960837056985c4e4dd0d811a9a67b2056

CREATE OR REPLACE FUNCTION public.has_service_data(p_organization_id uuid, p_service_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE;
-- Body of has_service_data: sha256 06904190f1be67d11660910ecbe7074e38830c0beb16b79c7b2b844f01d2e4ab

CREATE OR REPLACE FUNCTION public.hashes_of_journey_runs(p_organization_id uuid, p_ids uuid[])
 RETURNS bytea[]
 LANGUAGE sql
 STABLE;
-- Body of hashes_of_journey_runs: sha256 3268128dab5aa0f00115348d43aaa6114ab7a16071d77243957c7440c66afaf2

CREATE OR REPLACE FUNCTION public.held_roles(p_organization_id uuid, p_principal_id uuid)
 RETURNS TABLE(role text, permissions text[], service_names text[], service_ids uuid[])
 LANGUAGE sql
 STABLE;
-- Body of held_roles: sha256 e82a98a3967bfd28c4408971153fb03173cb7bc50b9b5a60182aa12df16798cf

CREATE OR REPLACE FUNCTION public.hold_journey_run(p_organization_id uuid, p_run_id uuid, p_attempt integer)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of hold_journey_run: sha256 b6a465e2d48e02c428d36d3ca111bfbed88140585e5f5020aab0ba6daa03b9b5

CREATE OR REPLACE FUNCTION public.hold_journey_schedule(p_organization_id uuid, p_id uuid, p_next_due_at timestamp with time zone, p_revision integer)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of hold_journey_schedule: sha256 32e346165f1e509d7a71391b2b7ca331ef7b90b855ea35592ae92e0d6675c361

CREATE OR REPLACE FUNCTION public.index_endpoint_words(p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of index_endpoint_words: sha256 e716038554b5a64b72b055838bda441f9bf1a4e76df980b6dac2e5d5ee310beb
GRANT EXECUTE ON FUNCTION index_endpoint_words(uuid,uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.index_service_rules(p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of index_service_rules: sha256 f390a3b10face4056055bb377ac3eea75ca96d7e50cce1aeba9a2951059fa049
GRANT EXECUTE ON FUNCTION index_service_rules(uuid,uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.is_base_valid(p_organization_id uuid, p_base_id uuid, p_base_ordered_at timestamp with time zone, p_previous_id uuid, p_previous_ordered_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE;
-- Body of is_base_valid: sha256 6be89777862652369c517f53a81cce30b22bb2166461fc40c5e71f95fd17438a

CREATE OR REPLACE FUNCTION public.is_blob_used(p_organization_id uuid, p_hash bytea)
 RETURNS boolean
 LANGUAGE sql
 STABLE;
-- Body of is_blob_used: sha256 7600cad54faf60bff7c4b19d5a18701acff31cc12b9243c2fa125fbdf577cf4d

CREATE OR REPLACE FUNCTION public.is_counted(p_service services)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE;
-- Body of is_counted: sha256 a42adee0067d57c22a1640879d6faeacf79e1bb1fab5e3d4714ccc85d4293505

CREATE OR REPLACE FUNCTION public.is_of_branch(p_source jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE;
-- Body of is_of_branch: sha256 48a119aa23b1987c66387d57671f02d1437e6397bdb0f1320595e05d478d005f

CREATE OR REPLACE FUNCTION public.is_only_organization()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of is_only_organization: sha256 1c2f1c7eb4b52ad73d6cd596062e134a1eb7cfa45f9203d231f42e87ebbf7c85
GRANT EXECUTE ON FUNCTION is_only_organization() TO waymark_app;

CREATE OR REPLACE FUNCTION public.is_run_of_change(p_promote boolean, p_source jsonb, p_default_branch text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE;
-- Body of is_run_of_change: sha256 b80824eead48ef73b242df1f3258b530ec8c9f6aede215bb34e734cc22295399

CREATE OR REPLACE FUNCTION public.keep_chunks_of_snapshots()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp';
-- Body of keep_chunks_of_snapshots: sha256 5f930d22f2657413f3aff8660f748f5cf7d2b7822aaacff322496442a1a3d060

CREATE OR REPLACE FUNCTION public.keep_final_runs()
 RETURNS trigger
 LANGUAGE plpgsql;
-- Body of keep_final_runs: sha256 eb8b948715b4034fa23aaee817d197f8811c53801cb025ef43225bb63e63a0c5

CREATE OR REPLACE FUNCTION public.keep_first_seen(p_organization_id uuid, p_snapshot_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql;
-- Body of keep_first_seen: sha256 4e8f259b7d6aaaeadfd531fc1bf0bb05b768d3fc995bff475295a0c2afc5551e

CREATE OR REPLACE FUNCTION public.keep_rows_of_chunks()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp';
-- Body of keep_rows_of_chunks: sha256 4f19eca83c9843ae1d23f45582b1565f3c905b195afd9bf2bf2c8c9b39410c6e

CREATE OR REPLACE FUNCTION public.last_run_of_branch(p_organization_id uuid, p_service_id uuid, p_branch text, p_before timestamp with time zone, p_before_id uuid)
 RETURNS TABLE(id uuid, ordered_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 1;
-- Body of last_run_of_branch: sha256 371ef429330db6776914aad705edeac0c9ef47a4a20f670142613a532c9811d1

CREATE OR REPLACE FUNCTION public.last_scan_run(p_organization_id uuid, p_service_id uuid, p_default_branch text)
 RETURNS SETOF scan_runs
 LANGUAGE sql
 STABLE ROWS 1;
-- Body of last_scan_run: sha256 06a56c7cbfff10aa79a1539d16ec8a2089b895addb3bb0d4738910c85842b9e7

CREATE OR REPLACE FUNCTION public.letters_to_fold()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE;
-- Body of letters_to_fold: sha256 5ae055867538dd26c189daa9e833c22302ce64ae5193222d1b3e860b20fca1e0

CREATE OR REPLACE FUNCTION public.link_description(p_organization_id uuid, p_scan_run_id uuid, p_hash bytea, p_created_by_key_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of link_description: sha256 75aab1173bb14edacb550c984a84bee66883d6b41c4c04c7c6d37c6baeba56b1
GRANT EXECUTE ON FUNCTION link_description(uuid,uuid,bytea,uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.list_current_rules(p_organization_id uuid, p_service_ids uuid[], p_severity text, p_code text, p_seen_from date, p_seen_before date, p_words tsquery)
 RETURNS TABLE(service_id uuid, service_name text, scan_run_id uuid, snapshot_id uuid, severity text, code text, seen_on date, part smallint, finding_count integer, fingerprints uuid[], first_days date[], is_indexed boolean)
 LANGUAGE sql
 STABLE;
-- Body of list_current_rules: sha256 01b94ed9f052bb11b64f28712dbf8056584a0df31a450f1525703f82da396140

CREATE OR REPLACE FUNCTION public.list_deleted_services(p_organization_id uuid, p_deleted_before timestamp with time zone)
 RETURNS TABLE(service_id uuid, is_finished boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of list_deleted_services: sha256 fbed8d862a5aa44258181b94c6323bd5c0d6f0bb38ac59c65a66e37f9ce8dbc1
GRANT EXECUTE ON FUNCTION list_deleted_services(uuid,timestamp with time zone) TO waymark_app;

CREATE OR REPLACE FUNCTION public.list_description_chunks(p_organization_id uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE;
-- Body of list_description_chunks: sha256 871a8543cde79e4ede32869cb3643a9f58c4be22dcf9e4f5150ff00b70224c69

CREATE OR REPLACE FUNCTION public.list_judged_rules(p_organization_id uuid, p_service_ids uuid[], p_severity text, p_code text, p_seen_from date, p_seen_before date, p_words tsquery, p_soon_days integer)
 RETURNS TABLE(service_id uuid, service_name text, scan_run_id uuid, snapshot_id uuid, severity text, code text, seen_on date, part smallint, finding_count integer, decided_count integer, overdue_count integer, oldest_due_on date, soon_count integer, is_indexed boolean)
 LANGUAGE sql
 STABLE;
-- Body of list_judged_rules: sha256 4ad78700d231f742f3810847480b24f21f1b24b929953986bea2ff86cb3fab2e

CREATE OR REPLACE FUNCTION public.list_last_comparisons(p_organization_id uuid, p_after timestamp with time zone)
 RETURNS TABLE(service_id uuid, scan_run_id uuid, changed_at timestamp with time zone, breaking integer, approved integer)
 LANGUAGE sql
 STABLE;
-- Body of list_last_comparisons: sha256 7226179d3e6ec2d18a61a3362bee29f8512719252dde44a8e19d88c6c02cd590

CREATE OR REPLACE FUNCTION public.list_old_journey_runs(p_organization_id uuid, p_kept text[], p_days integer, p_limit integer)
 RETURNS uuid[]
 LANGUAGE sql;
-- Body of list_old_journey_runs: sha256 4936edab1eb0002e499861fd2b5ea517a9ccfbb5febe0bccf73d503699d69fda

CREATE OR REPLACE FUNCTION public.list_referenced_chunks(p_organization_id uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE;
-- Body of list_referenced_chunks: sha256 0fb3137078cffb1aad8925321ee8f6f9ff28e561c6d4ad5d5f5fe4d4ba0e1c1e

CREATE OR REPLACE FUNCTION public.list_rules_of_snapshot(p_organization_id uuid, p_service_id uuid, p_snapshot_id uuid)
 RETURNS TABLE(severity text, code text, seen_on date, part smallint, finding_count integer, indexes smallint[], chunks smallint[], ordinals smallint[], fingerprints uuid[], words tsvector, first_days date[])
 LANGUAGE sql
 STABLE;
-- Body of list_rules_of_snapshot: sha256 1ac439f89985b5a6da3b44400332e510c3c1ceeebdc9e284c44e7248928fe42c

CREATE OR REPLACE FUNCTION public.list_underived_services(p_organization_id uuid, p_kind text, p_after_service_id uuid, p_limit integer)
 RETURNS TABLE(service_id uuid, snapshot_id uuid, history integer)
 LANGUAGE sql
 STABLE;
-- Body of list_underived_services: sha256 b16a0d9ac37b5a424a6932b21cbf6210410ce16fc5745f073fcb59b0ff5acb4d

CREATE OR REPLACE FUNCTION public.lock_change_approvals(p_organization_id uuid, p_service_id uuid)
 RETURNS void
 LANGUAGE sql;
-- Body of lock_change_approvals: sha256 88d8642c724db05a8104ccb142f4a006f25e261524d5348f924add97b0fc729a

CREATE OR REPLACE FUNCTION public.lock_description_chunks(p_organization_id uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of lock_description_chunks: sha256 7422bb289ab2a0b785e53918e06c82125bb58a906d57ce6b54653c09c16a7d4f
GRANT EXECUTE ON FUNCTION lock_description_chunks(uuid,uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.lock_missing_chunks(p_organization_id uuid, p_current_snapshot_id uuid, p_chunks uuid[], p_sent_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of lock_missing_chunks: sha256 c5f3dbee26e370e2a3d60b780c867f9556872e02be31cbffb718f358693e27b2
GRANT EXECUTE ON FUNCTION lock_missing_chunks(uuid,uuid,uuid[],uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.lock_service_names(p_organization_id uuid, p_service_id uuid)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of lock_service_names: sha256 51afe73b45504c93bf28b39d46bca17f87d528ff75bea0cf5f1aa0c1e1bfb4ac

CREATE OR REPLACE FUNCTION public.lock_snapshot(p_organization_id uuid, p_snapshot_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of lock_snapshot: sha256 858835ad3366575065d6a2b95eb3baa91688bacc22973c6fc32dd30d9435f5e9
GRANT EXECUTE ON FUNCTION lock_snapshot(uuid,uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.mark_breaks_stale(p_organization_id uuid, p_scan_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of mark_breaks_stale: sha256 d5b5c5e546243117702910fd6f6f24dbefb3b20fa191ae647d972d353bd60092
GRANT EXECUTE ON FUNCTION mark_breaks_stale(uuid,uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.mark_derived(p_organization_id uuid, p_service_id uuid, p_kind text, p_history integer)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of mark_derived: sha256 85de601db7e328da46d24aa53df365e7e696acd07246e708894a848548562b8a

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

CREATE OR REPLACE FUNCTION public.previous_scan_run(p_organization_id uuid, p_scan_run_id uuid)
 RETURNS TABLE(id uuid, ordered_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 1;
-- Body of previous_scan_run: sha256 02e7566df29015e54ee89abd6068b4a4d96f9a13815310411c0f4f3bede3ac36

CREATE OR REPLACE FUNCTION public.promote_scan_run(p_organization_id uuid, p_service_id uuid, p_scan_run_id uuid, p_snapshot_id uuid, p_ordered_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of promote_scan_run: sha256 d13d81d83f340025914186605a4be9a2e015b94281815488623a06e070d671c9

CREATE OR REPLACE FUNCTION public.read_comparisons(p_organization_id uuid, p_scan_run_ids uuid[])
 RETURNS TABLE(scan_run_id uuid, previous_run_id uuid, has_description boolean, base_has_description boolean, is_same boolean, base_run_id uuid, outcome text, breaking integer, maybe integer, safe integer, approved integer, not_compared jsonb, verdict_count integer, compared_at timestamp with time zone, engine integer)
 LANGUAGE sql
 STABLE;
-- Body of read_comparisons: sha256 7460ad1613d82f9f58ff67a881e47f8fe46c8e5f32e8ffee035052cd41affe93

CREATE OR REPLACE FUNCTION public.read_journey_run_progress(p_organization_ids uuid[], p_run_ids uuid[])
 RETURNS TABLE(run_id uuid, last_seq integer, is_ended boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 10
 SET search_path TO 'public', 'pg_temp';
-- Body of read_journey_run_progress: sha256 55bede10b47cf3cce70a41d58017e5338844cf22130719448bbe537c8785ed90
GRANT EXECUTE ON FUNCTION read_journey_run_progress(uuid[],uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.read_scan_run_progress(p_organization_ids uuid[], p_run_ids uuid[])
 RETURNS TABLE(run_id uuid, is_ended boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 10
 SET search_path TO 'public', 'pg_temp';
-- Body of read_scan_run_progress: sha256 17008f97e8d52389cf6140bcff2bcb2640066fc85586407a0e88e2eb17777cf4
GRANT EXECUTE ON FUNCTION read_scan_run_progress(uuid[],uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.record_breaks_of_service(p_organization_id uuid, p_service_id uuid)
 RETURNS date[]
 LANGUAGE plpgsql;
-- Body of record_breaks_of_service: sha256 a8643317e261bb5227d42f69f7d65aa128c9a6d520659a1b2e7ea701fc90a9d7

CREATE OR REPLACE FUNCTION public.record_daily_totals(p_organization_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of record_daily_totals: sha256 0fad3e6f4dca1ff145e91ae90c9e0c5715b1f7b98d814dbde54209995becfe1a
GRANT EXECUTE ON FUNCTION record_daily_totals(uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.record_days_of_service(p_organization_id uuid, p_service_id uuid)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of record_days_of_service: sha256 fe92f192f795dd1d7f2b6b5e2f4ebea62f48290ba913b298efaf21eea4dc0a9f

CREATE OR REPLACE FUNCTION public.record_first_use(p_organization_id uuid, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET random_page_cost TO '0';
-- Body of record_first_use: sha256 c3ad59caf4db10a9736798264b7bf1441755283972f7a5e247fe2360327ef283
GRANT EXECUTE ON FUNCTION record_first_use(uuid,uuid) TO waymark_app;

CREATE OR REPLACE FUNCTION public.record_service_breaks(p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of record_service_breaks: sha256 4604f1584352e4ed2f3dbcefc87e98580a49e8c3b352c54b47e094eb12e10daa
GRANT EXECUTE ON FUNCTION record_service_breaks(uuid,uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.record_service_changes(p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of record_service_changes: sha256 090bf76237305cd88d89f5ec0dd789b4c5653465eefbf8c36fa23100cd791062
GRANT EXECUTE ON FUNCTION record_service_changes(uuid,uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.record_service_days(p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of record_service_days: sha256 efd06edff69dddfe93e48d724787f3d8f6d96a23bda0b42fc74fca61e7add26b
GRANT EXECUTE ON FUNCTION record_service_days(uuid,uuid,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql;
-- Body of refuse_change: sha256 598ffe90aa15439185f498d966ead0545f043a6c19df22c6b03d841038c57bd8

CREATE OR REPLACE FUNCTION public.release_journey_run(p_organization_id uuid, p_run_id uuid, p_attempt integer)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of release_journey_run: sha256 904f8f35a7f9877f97b7b0868d2be25adc4a4e424895ee1b8a6e064c99b04497

CREATE OR REPLACE FUNCTION public.rename_service(p_organization_id uuid, p_service_id uuid, p_name text, p_aliases text[])
 RETURNS text
 LANGUAGE plpgsql;
-- Body of rename_service: sha256 48494613a331cb619693a4c9559db20a8816b72ae320798cef8c77267eda6c52

CREATE OR REPLACE FUNCTION public.renew_journey_runs(p_organization_ids uuid[], p_run_ids uuid[], p_attempts integer[], p_lease interval)
 RETURNS TABLE(run_id uuid, is_cancelled boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of renew_journey_runs: sha256 911c6d12c599cb3fc43e70dd0fc12925fe6d9cdfe58d5de3ff2972e4b2857f27
GRANT EXECUTE ON FUNCTION renew_journey_runs(uuid[],uuid[],integer[],interval) TO waymark_app;

CREATE OR REPLACE FUNCTION public.reopen_change_approvals(p_organization_id uuid, p_scan_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of reopen_change_approvals: sha256 923edd54005eafa2e81897e3ff912d9b9530b46d2675ffcc975ed60e06d7cc02

CREATE OR REPLACE FUNCTION public.replace_journey_contents(p_organization_id uuid, p_document_id uuid, p_operations jsonb, p_criteria jsonb)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of replace_journey_contents: sha256 90900cf5a5d4c2dbce6b4998f35955c7cd6b1abd5039422171a67085a9def062

CREATE OR REPLACE FUNCTION public.request_comparisons(p_organization_id uuid, p_scan_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of request_comparisons: sha256 29dc2734a6eea554470a6c17eca6d38cbb676c9237f2b2cf746ab3f8cff400ee

CREATE OR REPLACE FUNCTION public.request_outdated_comparisons(p_organization_id uuid, p_after_service_id uuid, p_limit integer, p_engine integer, OUT service_count integer, OUT last_service_id uuid, OUT requested integer)
 RETURNS record
 LANGUAGE plpgsql;
-- Body of request_outdated_comparisons: sha256 1df371fcd59de46b7719c65d05924c93a1035495355862943e42bd614fbaf505

CREATE OR REPLACE FUNCTION public.sample_journey_backlog(p_limit integer, p_running_max integer)
 RETURNS TABLE(unfinished integer, waiting integer, oldest_waiting_seconds double precision)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of sample_journey_backlog: sha256 60924f601b41bd6cc3273462b1bd92c9d69114fc903c58405792ae952df4ced8
GRANT EXECUTE ON FUNCTION sample_journey_backlog(integer,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.sample_journey_schedules()
 RETURNS TABLE(overdue_seconds double precision, paused integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of sample_journey_schedules: sha256 d83d0924e78b31366971a659a38933d382d88cdae144262ccb4c282af397f877
GRANT EXECUTE ON FUNCTION sample_journey_schedules() TO waymark_app;

CREATE OR REPLACE FUNCTION public.sample_scan_backlog(p_limit integer)
 RETURNS TABLE(unfinished integer, oldest_age_seconds double precision)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp';
-- Body of sample_scan_backlog: sha256 55fe917846ae6b8868cfce6de5e68e7fcefa81e7d3d96855191072a4e4f5998c
GRANT EXECUTE ON FUNCTION sample_scan_backlog(integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.search_endpoints(p_organization_id uuid, p_text text, p_limit integer, p_service_ids uuid[] DEFAULT NULL::uuid[], p_matching_max integer DEFAULT 2000, p_after endpoint_position DEFAULT NULL::endpoint_position)
 RETURNS TABLE(service_id uuid, service_name text, scan_run_id uuid, method text, path text, operation_id text, tags text[], summary text, occurrence integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan';
-- Body of search_endpoints: sha256 0ac3b21d9102f08f05700ca04ee2a9eb869acd64484196c986170fc85def3345
GRANT EXECUTE ON FUNCTION search_endpoints(uuid,text,integer,uuid[],integer,endpoint_position) TO waymark_app;

CREATE OR REPLACE FUNCTION public.search_text(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE;
-- Body of search_text: sha256 2060bbbd6a5640c4e22f424959e711f90a210eebcacd7ff9f7c49c8ab08dcc4c

CREATE OR REPLACE FUNCTION public.service_history(p_organization_id uuid, p_service_id uuid)
 RETURNS TABLE(id uuid, ordered_at timestamp with time zone, snapshot_id uuid, endpoint_count integer, finding_count integer)
 LANGUAGE sql
 STABLE;
-- Body of service_history: sha256 2df4ebf02c59a45a9044d99ab9ddd3c65892925e5de1a9cbb8c910341179dfc1

CREATE OR REPLACE FUNCTION public.severities_up_to(p_severity_max text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE;
-- Body of severities_up_to: sha256 dc01b46ffd1234bcdc25535cf9ae540e9a0a90d1149845586438e75efa3ed841

CREATE OR REPLACE FUNCTION public.severity_rank(p_severity text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE;
-- Body of severity_rank: sha256 0385579fa833dc219e833450f9ab55df5fb93f6378c18f63ca4379ce55d26127

CREATE OR REPLACE FUNCTION public.size_of_description_chunks(p_organization_id uuid, p_chunks uuid[])
 RETURNS bigint
 LANGUAGE sql
 STABLE;
-- Body of size_of_description_chunks: sha256 2b063bef16264efa92938d12b163daf20f716d6ce73a8a8fa96a477fd6568679

CREATE OR REPLACE FUNCTION public.split_words(p_text text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE;
-- Body of split_words: sha256 47ad0a13447dcd2d59dc0893ed0b83f997163a23b244a8847df321b951a5a75f

CREATE OR REPLACE FUNCTION public.store_blobs(p_organization_id uuid, p_hashes bytea[], p_sizes integer[], p_bytes bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of store_blobs: sha256 35ceb9dd43361d6bfe57a380cdab90951a07322925056edbe236dc1874145336
GRANT EXECUTE ON FUNCTION store_blobs(uuid,bytea[],integer[],bytea[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.store_chunks(p_organization_id uuid, p_endpoints chunk_endpoint_row[], p_findings chunk_finding_row[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of store_chunks: sha256 6411d07c0c4edef6ef9e7dd797f6494228a7e893655b5f50a8d175648d96b716
GRANT EXECUTE ON FUNCTION store_chunks(uuid,chunk_endpoint_row[],chunk_finding_row[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.store_description(p_organization_id uuid, p_facts jsonb, p_chunks uuid[], p_canonical_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of store_description: sha256 abe251113a877f4b6ea75188c088e3ae424a28d6697a03320e0416e2f856abae
GRANT EXECUTE ON FUNCTION store_description(uuid,jsonb,uuid[],uuid[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.store_description_chunks(p_organization_id uuid, p_sent uuid[], p_sizes integer[], p_bytes bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of store_description_chunks: sha256 2992acc869ce7daa6fa7cc265b24a0e5306660f3a8fc34d2bc5a211bfb92a0f8
GRANT EXECUTE ON FUNCTION store_description_chunks(uuid,uuid[],integer[],bytea[]) TO waymark_app;

CREATE OR REPLACE FUNCTION public.store_journey_steps(p_organization_id uuid, p_run_id uuid, p_attempt integer, p_steps journey_run_steps[])
 RETURNS void
 LANGUAGE sql;
-- Body of store_journey_steps: sha256 966f3590008b0ed978c94118f30b78bad04fe67ab58d1e37f8dc8371518fd20e

CREATE OR REPLACE FUNCTION public.store_snapshot(p_organization_id uuid, p_snapshot_id uuid, p_endpoint_chunks uuid[], p_finding_chunks uuid[], p_endpoint_count integer, p_finding_count integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of store_snapshot: sha256 9876613c7e8f786341c46ad1c313c5ff593b059e7ee2b82a296953a113d4ba74
GRANT EXECUTE ON FUNCTION store_snapshot(uuid,uuid,uuid[],uuid[],integer,integer) TO waymark_app;

CREATE OR REPLACE FUNCTION public.store_uploaded_run(p_organization_id uuid, p_run_id uuid, p_attempt integer, p_end journey_run_end, p_run jsonb, p_artifact_hash bytea, p_request_hash bytea)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of store_uploaded_run: sha256 5ae6b9a98b7016f3d1ad51768c1d9923c468d6107db8ca663b723f93cfe14575

CREATE OR REPLACE FUNCTION public.sum_breaks_of_days(p_organization_id uuid, p_days date[])
 RETURNS void
 LANGUAGE plpgsql;
-- Body of sum_breaks_of_days: sha256 cdc367bc755493a191500faa0f830970ba506e45e0660a7990562f113874633d

CREATE OR REPLACE FUNCTION public.sum_current_runs(p_organization_id uuid, p_service_ids uuid[])
 RETURNS TABLE(service_count integer, endpoint_count integer, info integer, low integer, medium integer, high integer, critical integer)
 LANGUAGE sql
 STABLE;
-- Body of sum_current_runs: sha256 13262c2b28232b16a927a29e1a532f8d0251221325af00805b75d6b4ad52254f

CREATE OR REPLACE FUNCTION public.sum_service_days(p_organization_id uuid)
 RETURNS TABLE(day date, service_count integer, endpoint_count integer, info integer, low integer, medium integer, high integer, critical integer)
 LANGUAGE sql
 STABLE;
-- Body of sum_service_days: sha256 253966cc3611e9f87cf5448c024370b45e4315540299e49eea02d179735da335

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

CREATE OR REPLACE FUNCTION public.undo_promotion(p_organization_id uuid, p_scan_run_id uuid, p_promoted_after timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp';
-- Body of undo_promotion: sha256 d6a738a406563b5cfbc373acfead3d10604db44bdb00fa13a812cb54ddf2c09e
GRANT EXECUTE ON FUNCTION undo_promotion(uuid,uuid,timestamp with time zone) TO waymark_app;

CREATE OR REPLACE FUNCTION public.use_change_approvals(p_organization_id uuid, p_scan_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql;
-- Body of use_change_approvals: sha256 d915015bf875575844a204f59b64f455a9da3b15f7d7d2b8af7e45d5a3dbd93d

CREATE OR REPLACE FUNCTION public.valid_comparison(p_organization_id uuid, p_scan_run_id uuid)
 RETURNS SETOF scan_comparisons
 LANGUAGE sql
 STABLE ROWS 1;
-- Body of valid_comparison: sha256 5408efe3dcbaa0d581ec517edcab61578e969212f931611019e6d87196adf339

CREATE OR REPLACE FUNCTION public.word_prefix(p_organization_id uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE;
-- Body of word_prefix: sha256 4b96d1ba6a66aa945a6f1b79dea8f681461684e7b2746d0022b3f8c3c1bcc283

CREATE OR REPLACE FUNCTION public.word_separators()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE;
-- Body of word_separators: sha256 9082fe1391f54e39b2ae8f17a4291eedbade4f0694aa092774451d0b21e19031

CREATE OR REPLACE FUNCTION public.words_of_texts(p_texts text[], p_prefix text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE;
-- Body of words_of_texts: sha256 4a80d1077ad56902da0b79ea8a7786452ead641e8e2b7c1ba6a1e7370b0e72f2

CREATE OR REPLACE FUNCTION public.words_query(p_text text, p_prefix text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE;
-- Body of words_query: sha256 74237f8b28457453ba28c0724bf271b4e428d4b6c2ab861885acf4ddcc8b6daf

CREATE OR REPLACE FUNCTION public.write_journey_progress(p_organization_id uuid, p_run_id uuid, p_attempt integer, p_steps journey_run_steps[], p_current_step text, p_checkpoint bytea)
 RETURNS boolean
 LANGUAGE plpgsql;
-- Body of write_journey_progress: sha256 28d0828980c8e2cdd62c21ade002a041f1ec390d78ee48d9ebbb8203210d38c7
