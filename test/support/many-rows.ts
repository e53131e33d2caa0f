import type { Client } from "pg";

/** The organization that has nearly all rows; another one has some. */
export const LARGE_ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SMALL_ORGANIZATION = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

/** The id of the n-th row of a kind, as SQL. */
export const idOf = (kind: string, n: number | string): string => `md5('${kind} ' || ${n})::uuid`;
/** The hash of the n-th content of a kind, as SQL. */
export const hashOf = (kind: string, n: number | string): string => `sha256(('${kind} ' || ${n})::bytea)`;

/**
 * Fills the tables of two organizations, one with a thousand rows or more in each table that grows, and lets Postgres count them. Every
 * service has three runs and two contents that differ in one chunk of findings; the data of every fourth one is not derived yet.
 *
 * @param owner a superuser: checking each row's references would take several times as long
 */
export async function storeManyRows(owner: Client): Promise<void> {
  await owner.query("BEGIN");
  await owner.query("SET LOCAL session_replication_role = replica");
  for (const [organizationId, rows] of [
    [LARGE_ORGANIZATION, 1000],
    [SMALL_ORGANIZATION, 40],
  ] as const) {
    const each = (text: string) =>
      owner.query(text.replaceAll(":org", `'${organizationId}'::uuid`).replaceAll(":rows", String(rows)));
    await each("INSERT INTO organizations (id, name) VALUES (:org, 'o')");
    for (const text of [...SCANS, ...JOURNEYS, ...KEYS]) await each(text);
  }
  await owner.query("COMMIT");
  await owner.query("VACUUM (ANALYZE)");
}

const SCANS = [
  `INSERT INTO chunk_endpoints (organization_id, chunk_id, ordinal, method, path, operation_id, tags, summary)
   SELECT :org, ${idOf("endpoints", "s || ' ' || c")}, o, 'GET', '/v1/accounts/' || s || '/lines-' || c || o, 'getLine' || o, '{}', 'Returns a line'
   FROM generate_series(1, :rows) s, generate_series(1, 2) c, generate_series(0, 7) o`,
  `INSERT INTO chunk_findings (organization_id, chunk_id, ordinal, code, severity, message, method, path)
   SELECT :org, ${idOf("findings", "s || ' ' || c")}, o, 'rule-' || (s + o) % 40, (ARRAY['low', 'high', 'critical'])[o % 3 + 1],
          'The operation ' || o || ' of ' || c || ' has no summary', 'GET', '/v1/accounts/' || s || '/lines-' || o
   FROM generate_series(1, :rows) s, generate_series(0, 2) c, generate_series(0, 3) o`,
  `INSERT INTO chunks (organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count)
   SELECT organization_id, chunk_id, count(*), 0, 0, 0, 0, 0 FROM chunk_endpoints WHERE organization_id = :org GROUP BY 1, 2
   UNION ALL
   SELECT organization_id, chunk_id, 0, 0, 2, 0, 1, 1 FROM chunk_findings WHERE organization_id = :org GROUP BY 1, 2`,
  `INSERT INTO snapshots (organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity, created_at)
   SELECT :org, ${idOf("content", "s || ' ' || c")}, ARRAY[${idOf("endpoints", "s || ' 1'")}, ${idOf("endpoints", "s || ' 2'")}],
          ARRAY[${idOf("findings", "s || ' 0'")}, ${idOf("findings", "s || ' ' || c")}], 16, 8, '{"low": 4, "high": 2, "critical": 2}',
          now() - interval '50 days'
   FROM generate_series(1, :rows) s, generate_series(1, 2) c`,
  `INSERT INTO services (organization_id, id, name, created_at, current_run_id, current_snapshot_id, current_ordered_at, history)
   SELECT :org, ${idOf("service", "s")}, 'service-' || s, now() - interval '50 days', ${idOf("run", "s || ' 3'")},
          ${idOf("content", "s || ' 2'")}, now(), 2
   FROM generate_series(1, :rows) s`,
  `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, snapshot_id, promote,
                          promotion, ordered_at, created_at, completed_at, created_by_key_id, body_hash, contract_version)
   SELECT :org, ${idOf("run", "s || ' ' || r")}, ${idOf("service", "s")}, 'completed',
          encode(${hashOf("source", "s")}, 'hex'), 'openapi', 16, 8,
          ${idOf("content", "s || ' ' || CASE r WHEN 3 THEN 2 ELSE 1 END")}, true,
          CASE r WHEN 3 THEN jsonb_build_object('at', now(), 'previousRunId', ${idOf("run", "s || ' 2'")}) END, at, at, at, ${idOf("key", 1)},
          ${hashOf("body", "s || ' ' || r")}, 1
   FROM generate_series(1, :rows) s, generate_series(1, 3) r, LATERAL (SELECT now() - (3 - r) * interval '20 days' AS at) t`,
  // Those that wait for a worker.
  `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, promote, ordered_at,
                          created_at, created_by_key_id, contract_version)
   SELECT :org, ${idOf("run", "s || ' 4'")}, ${idOf("service", "s")}, 'accepted', 'h', 'openapi', 16, 8, true, now(), now(), ${idOf("key", 1)}, 1
   FROM generate_series(1, :rows) s`,
  `INSERT INTO scan_payloads (organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks, items, items_bytes, trace_parent)
   SELECT :org, ${idOf("run", "s || ' 4'")}, ${idOf("content", "s || ' 3'")},
          ARRAY[${idOf("endpoints", "s || ' 1'")}, ${idOf("endpoints", "s || ' 2'")}],
          ARRAY[${idOf("findings", "s || ' 0'")}, ${idOf("findings", "s || ' 0'")}], '', 100, 't'
   FROM generate_series(1, :rows) s`,
  `INSERT INTO idempotency_keys (organization_id, key, body_hash, scan_run_id)
   SELECT :org, 'key-' || s, ${hashOf("body", "s || ' 3'")}, ${idOf("run", "s || ' 3'")} FROM generate_series(1, :rows) s`,
  `INSERT INTO service_snapshots (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
   SELECT :org, ${idOf("service", "s")}, ${idOf("content", "s || ' ' || c")}, now() - (2 - c) * interval '40 days', now()
   FROM generate_series(1, :rows) s, generate_series(1, 2) c`,
  `INSERT INTO seen_items (organization_id, service_id, item, first_seen_at)
   SELECT :org, ${idOf("service", "s")}, ${idOf("item", "s || ' ' || i")}, now() - interval '60 days'
   FROM generate_series(1, :rows) s, generate_series(1, 3) i`,
  `INSERT INTO service_derivations (organization_id, service_id, kind, history)
   SELECT :org, ${idOf("service", "s")}, kind, 2 FROM generate_series(1, :rows) s, unnest(ARRAY['rules', 'changes', 'days']) kind WHERE s % 4 > 0`,
  `INSERT INTO service_changes (organization_id, service_id, scan_run_id, against_run_id, changed_at, removed_endpoints, new_critical, new_high)
   SELECT :org, ${idOf("service", "s")}, ${idOf("run", "s || ' 3'")}, ${idOf("run", "s || ' 2'")}, now(), 0, 1, 1 FROM generate_series(1, :rows) s`,
  `INSERT INTO service_days (organization_id, service_id, day, ordered_at, scan_run_id, endpoint_count, info, low, medium, high, critical)
   SELECT :org, ${idOf("service", "s")}, (now() - (3 - r) * interval '20 days')::date, now() - (3 - r) * interval '20 days',
          ${idOf("run", "s || ' ' || r")}, 16, 0, 4, 0, 2, 2
   FROM generate_series(1, :rows) s, generate_series(1, 3) r`,
  `INSERT INTO service_break_days (organization_id, service_id, day, breaking, compared, not_compared)
   SELECT :org, ${idOf("service", "s")}, (now() - (3 - r) * interval '20 days')::date, 0, 0, 1
   FROM generate_series(1, :rows) s, generate_series(2, 3) r`,
  `INSERT INTO break_derivations (organization_id, service_id, history, current_run_id)
   SELECT :org, ${idOf("service", "s")}, 2, ${idOf("run", "s || ' 3'")} FROM generate_series(1, :rows) s WHERE s % 4 > 0`,
  `INSERT INTO stale_break_days (organization_id, service_id, day)
   SELECT :org, ${idOf("service", "s")}, now()::date FROM generate_series(1, :rows) s WHERE s % 4 = 1`,
  `INSERT INTO daily_breaks (organization_id, day, breaking, compared, not_compared)
   SELECT :org, now()::date - d, 1, 1, 1 FROM generate_series(0, 90) d`,
  `INSERT INTO stale_totals (organization_id) VALUES (:org)`,
  `INSERT INTO daily_totals (organization_id, day, service_count, endpoint_count, info, low, medium, high, critical)
   SELECT :org, now()::date - d, 1, 1, 1, 1, 1, 1, 1 FROM generate_series(1, 90) d`,
  `INSERT INTO overview_days (organization_id, day, recorded_at, breaking_services, gate_failures)
   SELECT :org, now()::date - d, now(), 1, 1 FROM generate_series(1, 90) d`,
  `INSERT INTO service_rules (organization_id, service_id, snapshot_id, severity, code, seen_on, part, finding_count, indexes, chunks, ordinals, fingerprints, words,
                              first_days)
   SELECT :org, ${idOf("service", "s")}, ${idOf("content", "s || ' 2'")}, 'low', 'rule-' || (s + r) % 40, now()::date, 0, 2, '{0,1}', '{1,1}',
          '{0,1}', ARRAY[${idOf("finding", "s || ' 1'")}, ${idOf("finding", "s || ' 2'")}], finding_words(ARRAY['The operation of ' || s]),
          ARRAY[now()::date - 40, now()::date]
   FROM generate_series(1, :rows) s, generate_series(1, 4) r WHERE s % 4 > 0`,
  `INSERT INTO severity_policies (organization_id, revision, rules, due_days, updated_by_key_id)
   VALUES (:org, 1, '[]', '{"low": 20}', ${idOf("key", 1)})`,
  `INSERT INTO chunk_words (organization_id, chunk_id, words)
   SELECT :org, ${idOf("endpoints", "s || ' ' || c")}, words_of_texts(ARRAY['GET /v1/accounts/' || s || '/lines'], word_prefix(:org))
   FROM generate_series(1, :rows) s, generate_series(1, 2) c WHERE s % 4 > 0`,
  `INSERT INTO indexed_snapshots (organization_id, snapshot_id)
   SELECT :org, ${idOf("content", "s || ' ' || c")} FROM generate_series(1, :rows) s, generate_series(1, 2) c WHERE s % 4 > 0`,
  `INSERT INTO description_chunks (organization_id, id, size, bytes)
   SELECT :org, ${idOf("text", "s || ' ' || c")}, 4, 'b' FROM generate_series(1, :rows) s, generate_series(1, 4) c`,
  // The last one has no run, and the last chunk no description.
  `INSERT INTO descriptions (organization_id, hash, format, size, chunks, canonical_hash, canonical_size, canonical_chunks, operations_hash)
   SELECT :org, ${hashOf("description", "s || ' ' || d")}, 'yaml', 8, ARRAY[${idOf("text", "s || ' 1'")}, ${idOf("text", "s || ' 2'")}],
          ${hashOf("canonical", "s || ' ' || d")}, 8, ARRAY[${idOf("text", "s || ' 1'")}, ${idOf("text", "s || ' 3'")}], ${hashOf("operations", "s")}
   FROM generate_series(1, :rows) s, generate_series(1, 3) d`,
  `INSERT INTO scan_run_descriptions (organization_id, scan_run_id, description_hash, created_by_key_id)
   SELECT :org, ${idOf("run", "s || ' ' || r")}, ${hashOf("description", "s || ' ' || r")}, ${idOf("key", 1)}
   FROM generate_series(1, :rows) s, generate_series(1, 2) r`,
  `INSERT INTO scan_comparisons (organization_id, scan_run_id, base_run_id, base_ordered_at, outcome, engine, breaking, verdict_count, fingerprints)
   SELECT r.organization_id, r.id, b.id, b.ordered_at, 'compared', 1, 2, 2, '{000000000000000000000000000000a1,000000000000000000000000000000a2}'
   FROM generate_series(1, :rows) s
   JOIN scan_runs r ON r.organization_id = :org AND r.id = ${idOf("run", "s || ' 3'")}
   JOIN scan_runs b ON b.organization_id = :org AND b.id = ${idOf("run", "s || ' 2'")}`,
  `INSERT INTO scan_comparison_tasks (organization_id, scan_run_id, available_at)
   SELECT :org, ${idOf("run", "s || ' 3'")}, now() - interval '1 minute' FROM generate_series(1, :rows, 10) s`,
  `INSERT INTO finding_decisions (organization_id, id, service_id, code, fingerprint, message, kind, reason, until, created_by_key_id)
   SELECT :org, ${idOf("decision", "s")}, ${idOf("service", "s")}, 'rule-' || (s + 1) % 40, ${idOf("finding", "s || ' 1'")}, 'm', 'wont_fix', 'r',
          now()::date + 30, ${idOf("key", 1)}
   FROM generate_series(1, :rows) s`,
  `INSERT INTO change_approvals (organization_id, id, service_id, fingerprint, reason, created_by_key_id, used_by_run_id)
   SELECT :org, md5('approval ' || s || ' ' || n)::uuid, ${idOf("service", "s")}, repeat('0', 30) || 'a' || n, 'r', ${idOf("key", 1)},
          CASE n WHEN 2 THEN ${idOf("run", "s || ' 3'")} END
   FROM generate_series(1, :rows) s, generate_series(1, 2) n`,
];

const JOURNEYS = [
  `INSERT INTO journey_documents (organization_id, id, path, kind, journey_key, head_version)
   SELECT :org, ${idOf("document", "d")}, 'd/' || d, CASE d % 2 WHEN 0 THEN 'openapi' ELSE 'journey' END, 'k' || d, 1
   FROM generate_series(1, :rows) d`,
  `INSERT INTO journey_document_versions (organization_id, document_id, version, blob_hash, changeset_id, origin, error_count, warning_count,
                                          created_by_key_id)
   SELECT :org, ${idOf("document", "d")}, 1, ${hashOf("source", "d")}, ${idOf("changeset", "d")}, 'api', 0, 0, ${idOf("key", 1)}
   FROM generate_series(1, :rows) d`,
  `INSERT INTO source_bindings (organization_id, document_id, service_id, how)
   SELECT :org, ${idOf("document", "d")}, ${idOf("service", "d")}, 'manual' FROM generate_series(1, :rows) d WHERE d % 20 = 0`,
  `INSERT INTO blobs (organization_id, hash, size, bytes)
   SELECT :org, sha256((kind || ' ' || n)::bytea), 1, 'b'
   FROM generate_series(1, :rows) n, unnest(ARRAY['source', 'artifact', 'result', 'unused']) kind`,
  `INSERT INTO environments (organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected, stores_bodies, created_by_key_id)
   SELECT :org, ${idOf("environment", "e")}, 'e' || e, '{}', '{}', '{}', '{}', false, true, ${idOf("key", 1)} FROM generate_series(0, 9) e`,
  `INSERT INTO journey_builds (organization_id, build_key, document_id, document_version, environment_id, environment_revision, inputs,
                               compiler_version, problems, artifact_hash, program_id, needs, created_at)
   SELECT :org, ${hashOf("build", "b")}, ${idOf("document", "b")}, 1, ${idOf("environment", "b % 10")}, 1, '[]', '1', '[]',
          ${hashOf("artifact", "b")}, 'p', '{}', now() - interval '50 days'
   FROM generate_series(1, :rows) b`,
  `INSERT INTO build_operations (organization_id, artifact_hash, ordinal, source, method, path, path_key, source_document_id)
   SELECT :org, ${hashOf("artifact", "b")}, o, 's', 'GET', '/' || o, '/' || o, ${idOf("document", "b")}
   FROM generate_series(1, :rows) b, generate_series(0, 3) o`,
  `INSERT INTO build_criteria (organization_id, artifact_hash, owner_document_id, criterion_id, severity, description, proven_by)
   SELECT :org, ${hashOf("artifact", "b")}, ${idOf("document", "b")}, 'c' || c, 'must', 'd', '{}'
   FROM generate_series(1, :rows) b, generate_series(1, 2) c`,
  // Every fourth one waits, every second one has ended long ago.
  `INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision, artifact_hash, program_id,
                             origin, trigger, status, inputs, seed, strict_contract, created_by_key_id, outcome_digest, result_hash, created_at,
                             ended_at)
   SELECT :org, ${idOf("journey run", "r")}, ${idOf("document", "r")}, 1, ${idOf("environment", "r % 10")}, 1, ${hashOf("artifact", "r")}, 'p',
          'cloud', 'api', CASE WHEN waits THEN 'queued' ELSE 'passed' END, '{}', 's', false, ${idOf("key", 1)},
          CASE WHEN waits THEN NULL ELSE 'd' END, CASE WHEN waits THEN NULL ELSE ${hashOf("result", "r")} END,
          now() - r % 2 * interval '50 days', CASE WHEN waits THEN NULL ELSE now() - r % 2 * interval '50 days' END
   FROM generate_series(1, :rows) r, LATERAL (SELECT r % 4 = 0 AS waits) w`,
  `INSERT INTO journey_run_tickets (organization_id, run_id, expires_at, attempts, is_claimed, available_at)
   SELECT :org, ${idOf("journey run", "r")}, now() + interval '1 hour', 1, r % 8 = 0,
          CASE r % 8 WHEN 0 THEN now() + interval '1 hour' ELSE now() END
   FROM generate_series(4, :rows, 4) r`,
  `INSERT INTO journey_run_steps (organization_id, run_id, seq, attempt, step_id, phase, status, ms, result, evidence)
   SELECT :org, ${idOf("journey run", "r")}, s, 1, 's', 'main', 'passed', 1, '{}', '{}' FROM generate_series(1, :rows) r, generate_series(0, 3) s`,
  `INSERT INTO journey_run_operations (organization_id, run_id, ordinal, source, method, path, calls, statuses, asserted)
   SELECT :org, ${idOf("journey run", "r")}, o, 's', 'GET', '/' || o, 1, '{200}', true FROM generate_series(1, :rows) r, generate_series(0, 3) o
   WHERE r % 4 > 0`,
  `INSERT INTO journey_run_criteria (organization_id, run_id, owner_document_id, criterion_id, status)
   SELECT :org, ${idOf("journey run", "r")}, ${idOf("document", "r")}, 'c' || c, 'proven' FROM generate_series(1, :rows) r, generate_series(1, 2) c
   WHERE r % 4 > 0`,
  `INSERT INTO journey_operations (organization_id, document_id, ordinal, source, source_document_id, method, path, path_key)
   SELECT :org, ${idOf("document", "d")}, o, 's', ${idOf("document", "d + 1")}, 'GET', '/' || o, '/' || o
   FROM generate_series(1, :rows) d, generate_series(0, 3) o`,
  `INSERT INTO journey_criteria (organization_id, document_id, owner_document_id, criterion_id, severity, description, proven_by)
   SELECT :org, ${idOf("document", "d")}, ${idOf("document", "d")}, 'c' || c, 'must', 'd', '{}'
   FROM generate_series(1, :rows) d, generate_series(1, 2) c`,
  `INSERT INTO journey_criterion_verdicts (organization_id, owner_document_id, criterion_id, document_id, environment_id, origin,
                                           document_version, artifact_hash, status, run_id, ended_at)
   SELECT :org, ${idOf("document", "d")}, 'c1', ${idOf("document", "d")}, ${idOf("environment", "e")}, 'cloud', 1, ${hashOf("artifact", "d")},
          'proven', ${idOf("journey run", "d")}, now() FROM generate_series(1, :rows) d, generate_series(0, 2) e`,
  `INSERT INTO journey_operation_calls (organization_id, source_document_id, method, path_key, document_id, environment_id, origin,
                                        document_version, artifact_hash, path, calls, statuses, called_at, run_id)
   SELECT :org, ${idOf("document", "d")}, 'GET', '/1', ${idOf("document", "d")}, ${idOf("environment", "e")}, 'cloud', 1, ${hashOf("artifact", "d")},
          '/', 1, '{200}', now(), ${idOf("journey run", "d")} FROM generate_series(1, :rows) d, generate_series(0, 2) e`,
  `INSERT INTO journey_schedules (organization_id, id, name, document_id, environment_id, cron, time_zone, overlap, catch_up, jitter_seconds,
                                  next_due_at, next_at, created_by_key_id, updated_by_key_id)
   SELECT :org, ${idOf("schedule", "s")}, 's' || s, ${idOf("document", "s")}, ${idOf("environment", "s % 10")}, '* * * * *', 'UTC', 'skip', 'none',
          0, now(), now() + (s - 20) * interval '1 second', ${idOf("key", 1)}, ${idOf("key", 1)}
   FROM generate_series(1, :rows) s`,
];

const KEYS = [
  `INSERT INTO principals (organization_id, id, kind, display_name, email)
   SELECT :org, md5('user ' || :org || k)::uuid, 'user', 'User ' || k, 'user-' || k || '@example.com' FROM generate_series(1, :rows) k`,
  `INSERT INTO invitations (organization_id, id, email, roles, token_hash, expires_at)
   SELECT :org, md5('invitation ' || :org || k)::uuid, 'invited-' || k || '@example.com', '[]', sha256(('invitation ' || :org || k)::bytea),
          now() + interval '1 day'
   FROM generate_series(1, :rows) k`,
  `INSERT INTO role_grants (organization_id, id, principal_id, role)
   SELECT :org, md5('grant ' || :org || k)::uuid, md5('user ' || :org || k)::uuid, 'role-' || k % 40 FROM generate_series(1, :rows) k`,
  `INSERT INTO teams (organization_id, id, slug, display_name)
   SELECT :org, md5('team ' || :org || k)::uuid, 'team-' || k, 'Team ' || k FROM generate_series(0, 99) k`,
  `INSERT INTO team_members (organization_id, team_id, principal_id)
   SELECT :org, md5('team ' || :org || k % 100)::uuid, md5('user ' || :org || k)::uuid FROM generate_series(1, :rows) k`,
  `INSERT INTO role_grants (organization_id, id, team_id, role, owned_by_team_id)
   SELECT :org, md5('team grant ' || :org || k)::uuid, md5('team ' || :org || k)::uuid, 'role-1', md5('team ' || :org || k)::uuid
   FROM generate_series(0, 99) k`,
  `UPDATE services SET owner_team_id = md5('team ' || :org || hashtext(name) % 100)::uuid
   WHERE organization_id = :org AND hashtext(name) % 100 >= 0`,
  `INSERT INTO roles (organization_id, name, permissions) SELECT :org, 'role-' || k, '{scans:create}' FROM generate_series(0, 39) k`,
  `INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, owner_principal_id, scopes)
   SELECT :org, md5('key ' || :org || k)::uuid, 'k', 'wmk_' || :org || k, ${hashOf("secret", "k")}, md5('user ' || :org || k)::uuid, '[]'
   FROM generate_series(1, :rows) k`,
  `INSERT INTO identity_providers (organization_id, id, display_name, issuer, client_id, scopes, email_domains, groups, groups_claim,
                                   trusts_email, roles)
   SELECT :org, md5('identity provider ' || :org || k)::uuid, k, 'https://id.example', k, '{}', '{example.com}', '{}', 'groups', false, '[]'
   FROM generate_series(1, :rows) k`,
  `INSERT INTO sign_in_domains (organization_id, domain, identity_provider_id)
   SELECT :org, 'd' || k || '.' || left(:org::text, 8) || '.example', md5('identity provider ' || :org || k)::uuid FROM generate_series(1, :rows) k`,
  `INSERT INTO principal_identities (organization_id, identity_provider_id, subject, principal_id)
   SELECT :org, md5('identity provider ' || :org || k)::uuid, k, md5('user ' || :org || k)::uuid FROM generate_series(1, :rows) k`,
  `INSERT INTO sign_ins (organization_id, token_hash, identity_provider_id, again, expires_at)
   SELECT :org, sha256(('sign-in ' || :org || k)::bytea), md5('identity provider ' || :org || k)::uuid, false, now() + interval '1 hour'
   FROM generate_series(1, :rows) k`,
  `INSERT INTO trust_policies (organization_id, id, name, issuer, audience, conditions, scopes, lifetime_seconds, created_by_key_id, updated_by_key_id)
   SELECT :org, md5('policy ' || :org || k)::uuid, k, 'https://issuer.example.com/' || k, 'waymark', '{}', '[]', 900, ${idOf("key", "k")}, ${idOf("key", "k")}
   FROM generate_series(1, :rows) k`,
  `INSERT INTO sessions (organization_id, token_hash, api_key_id, last_seen_at, expires_at)
   SELECT :org, sha256(('session ' || :org || k)::bytea), md5('key ' || :org || k)::uuid, now() - interval '1 hour', now() + interval '1 hour'
   FROM generate_series(1, :rows) k`,
  `INSERT INTO service_badges (organization_id, service_id, token_hash, created_by_key_id)
   SELECT :org, ${idOf("service", "s")}, sha256(('badge ' || :org || s)::bytea), ${idOf("key", 1)} FROM generate_series(1, :rows) s`,
  `INSERT INTO journey_run_links (organization_id, id, run_id, token_hash, includes, created_by_key_id, expires_at)
   SELECT :org, md5('link ' || :org || r)::uuid, ${idOf("journey run", "r")}, sha256(('link ' || :org || r)::bytea), 'verdicts', ${idOf("key", 1)},
          now() + interval '1 day'
   FROM generate_series(1, :rows) r`,
  `INSERT INTO organization_usage (organization_id, day, scans, bytes)
   SELECT :org, now()::date - d, 1, 1 FROM generate_series(0, 30) d`,
];
