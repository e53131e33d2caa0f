-- All privileges of the services' role. Each migration revokes all others and grants these, which repairs a database that
-- was restored without privileges or changed by hand. Add a line here for each new table of the services. A function that
-- runs with its owner's rights (SECURITY DEFINER) needs none. Privileges of PUBLIC apply to the services too: a database
-- created on Postgres 14 lets PUBLIC create objects in the schema public.

REVOKE CREATE ON SCHEMA public, bullmq FROM PUBLIC, waymark_app;

DO $$
DECLARE
  v_table regclass;
BEGIN
  FOR v_table IN
    SELECT oid FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
      AND pg_has_role(current_user, relowner, 'USAGE')
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM waymark_app, PUBLIC', v_table);
  END LOOP;
END
$$;

DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prosecdef
      AND proowner = (SELECT relowner FROM pg_class WHERE oid = 'public.scan_runs'::regclass)
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', v_function);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO waymark_app', v_function);
  END LOOP;
  IF NOT has_database_privilege('waymark_app', current_database(), 'CONNECT') THEN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO waymark_app', current_database());
  END IF;
END
$$;

GRANT USAGE ON SCHEMA public TO waymark_app;
GRANT SELECT ON
  waymark_migrations, waymark_compatibility, organizations, chunks, chunk_endpoints, chunk_findings, snapshots, chunk_words,
  indexed_snapshots, service_derivations, service_rules, service_changes, service_days, stale_totals, daily_totals, seen_items,
  service_break_days, stale_break_days, break_derivations, daily_breaks,
  description_chunks, descriptions, scan_run_descriptions TO waymark_app;
GRANT SELECT, INSERT ON api_keys, audit_events, principals TO waymark_app;
GRANT UPDATE (display_name, disabled_at, proved_at) ON principals TO waymark_app;
GRANT SELECT, INSERT, DELETE ON roles, role_grants, invitations TO waymark_app;
GRANT UPDATE (permissions, updated_at) ON roles TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON teams, team_members, saved_views, inbox_snoozes TO waymark_app;
-- Not the issuer, whose subjects the identities are, nor domains, which only the operator sets.
GRANT SELECT, INSERT, DELETE ON identity_providers TO waymark_app;
GRANT UPDATE (display_name, client_id, client_secret, client_secret_nonce, client_secret_key_id, scopes, email_domains, groups,
  groups_claim, trusts_email, roles, teams, updated_at) ON identity_providers TO waymark_app;
GRANT SELECT ON sign_in_domains TO waymark_app;
GRANT SELECT, INSERT ON principal_identities TO waymark_app;
GRANT UPDATE (api_key_id, last_sign_in_at) ON principal_identities TO waymark_app;
GRANT SELECT, INSERT, DELETE ON sign_ins TO waymark_app;
GRANT SELECT, INSERT, UPDATE ON services TO waymark_app;
GRANT SELECT, INSERT, DELETE ON service_aliases TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  idempotency_keys, organization_usage, scan_payloads, scan_runs, service_snapshots TO waymark_app;
GRANT UPDATE (expires_at, revoked_at, disabled_at, last_used_at, replaced_by) ON api_keys TO waymark_app;
GRANT SELECT, INSERT, DELETE ON api_key_requests, sessions, exchanged_tokens TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON trust_policies TO waymark_app;
-- Services only add data keys: what opens every secret of an organization is wrapped anew by the operator.
GRANT SELECT, INSERT ON data_keys TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON service_badges, scan_comparisons, scan_comparison_tasks, change_approvals, finding_decisions TO waymark_app;
GRANT SELECT, INSERT, UPDATE ON severity_policies, overview_days TO waymark_app;
GRANT SELECT, INSERT, DELETE ON finding_comments, scan_run_comments, journey_run_links TO waymark_app;
GRANT UPDATE (open_count, last_opened_at) ON journey_run_links TO waymark_app;
GRANT UPDATE (text, edited_at) ON scan_run_comments TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON finding_assignments TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON environments, environment_secrets, journey_releases TO waymark_app;
GRANT UPDATE (api_key_id) ON api_key_requests TO waymark_app;
GRANT SELECT ON blobs TO waymark_app;
GRANT SELECT, INSERT ON journey_documents, journey_document_versions, journey_document_links TO waymark_app;
GRANT UPDATE (kind, title, is_template, tags, info_version, extends_version, head_version, managed_repository,
  managed_path, updated_at, archived_at) ON journey_documents TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON source_bindings TO waymark_app;
GRANT SELECT, INSERT, DELETE ON journey_changeset_requests TO waymark_app;
GRANT SELECT, INSERT, DELETE ON
  journey_builds, build_operations, build_criteria, journey_run_operations, journey_run_criteria TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON journey_runs, journey_run_steps TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON journey_run_tickets TO waymark_app;
GRANT SELECT, INSERT, DELETE ON journey_operations, journey_criteria TO waymark_app;
GRANT SELECT, INSERT, UPDATE ON journey_criterion_verdicts, journey_operation_calls TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON journey_schedules TO waymark_app;
-- The decision about a tick is not changed; it is deleted with its schedule or when its retention ends.
GRANT SELECT, INSERT, DELETE ON journey_schedule_ticks TO waymark_app;

GRANT USAGE ON SCHEMA bullmq TO waymark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO waymark_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO waymark_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA bullmq TO waymark_app;
