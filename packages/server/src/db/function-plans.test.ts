// A session that calls a function for the sixth time may get a plan that does not know the arguments. It must do no more work than
// the plans before it, which are made for the arguments of each call.
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOf, idOf, LARGE_ORGANIZATION, storeManyRows } from "@waymark/test-support/many-rows.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";

const ORG = `'${LARGE_ORGANIZATION}'`;
const NIL = "'00000000-0000-0000-0000-000000000000'";
const SERVICE = idOf("service", 500);
const DELETED_SERVICE = idOf("service", 400);
const LAST_RUN = idOf("run", "'500 3'");
const UNDERIVED_FROM = idOf("service", 504);
const WAITING = `ARRAY[${idOf("run", "'500 4'")}, ${idOf("run", "'501 4'")}]`;
const CONTENT = idOf("content", "'500 2'");
const EARLIER_CONTENT = idOf("content", "'500 1'");
const ENDPOINT_CHUNKS = `ARRAY[${idOf("endpoints", "'500 1'")}, ${idOf("endpoints", "'500 2'")}]`;
const FINDING_CHUNKS = `ARRAY[${idOf("findings", "'500 0'")}, ${idOf("findings", "'500 2'")}]`;
const DOCUMENT = idOf("document", 501);
const KEY = `md5('key ' || ${ORG} || 500)::uuid`;
const SESSION = `sha256(('session ' || ${ORG} || 500)::bytea)`;
const CLAIMED_RUN = idOf("journey run", 500);
const ENDED_RUN = idOf("journey run", 501);
const SCHEDULE = idOf("schedule", 500);
const OUTCOME = `'{"status": "passed", "outcomeDigest": "d", "stepCount": 1, "passedStepCount": 1}'`;
const STEPS = `ARRAY[ROW(${ORG}, ${CLAIMED_RUN}, 9, 1, 's', 'main', NULL, 'passed', 1, '{}', NULL)::journey_run_steps]`;
const TEXT = `ARRAY[${idOf("text", "'500 1'")}, ${idOf("text", "'500 2'")}]`;
const OPERATIONS = `'[{"source": "s", "method": "GET", "path": "/1", "calls": 1, "statuses": ["200"], "asserted": true}]'`;
const CRITERIA = `'[{"id": "c1", "status": "proven"}]'`;
const ENDING = `${ORG}, ${CLAIMED_RUN}, 1, ROW(${OUTCOME}, ${hashOf("new result", 1)}, 1, 'r', ${STEPS}, '[]', ${CRITERIA})`;
const UPLOAD = `${ORG}, ${idOf("upload", 1)}, 1, ROW(${OUTCOME}, ${hashOf("new result", 1)}, 1, 'r', '{}', ${OPERATIONS}, ${CRITERIA})`;

/** The arguments of a call of every function that reads tables. */
const CALLS: Readonly<Record<string, string>> = {
  accept_scan_run:
    `${ORG}, ROW(${idOf("new run", 1)}, ${KEY}, ${hashOf("new body", 1)}, 1, 'new-key', true, now(), NULL, NULL), ROW(true, true, NULL), ` +
    `ROW('{"service": {"name": "service-500"}, "spec": {"hash": "h", "format": "openapi"}}', NULL, ${EARLIER_CONTENT}, 16, 8, ` +
    `${ENDPOINT_CHUNKS}, ${FINDING_CHUNKS}), ROW('{}'::uuid[], NULL, NULL), ROW(100, 1000, 1000000), true`,
  approvals_of_run: `jsonb_populate_record(NULL::scan_runs, jsonb_build_object('organization_id', ${ORG}, 'id', ${LAST_RUN}, 'service_id', ${SERVICE}, 'promote', true)), '{000000000000000000000000000000a1}'`,
  archive_service: `${ORG}, ${SERVICE}, true`,
  apply_snapshot: `${ORG}, ${SERVICE}, ${idOf("new run", 1)}, ${EARLIER_CONTENT}, now() + interval '1 hour', true`,
  bind_sources: `${ORG}, ${SERVICE}`,
  cancel_journey_run: `${ORG}, ${CLAIMED_RUN}`,
  claim_comparison: `${NIL}, '1 minute'`,
  claim_journey_runs: `${NIL}, 2, 1000, '1 minute'`,
  claim_journey_schedule: `'{}', '1 minute', NULL`,
  claim_scan_runs: `${NIL}, 8, 1000000, '1 minute'`,
  collect_blobs: `${ORG}, ARRAY[${hashOf("unused", 500)}, ${hashOf("artifact", 500)}]`,
  collect_chunks: `${ORG}, 10`,
  collect_description_chunks: `${ORG}, 10`,
  collect_descriptions: `${ORG}, 10`,
  collect_snapshots: `${ORG}, 10`,
  compare_contents: `${ORG}, ${EARLIER_CONTENT}, ${CONTENT}`,
  count_accepted_scans: `${ORG}, 1, 1, 1000, 1000`,
  count_breaks_of_day: `${ORG}, ${SERVICE}, now()::date, false`,
  count_journey_schedule_outcome: `${ORG}, ${SCHEDULE}, true, 'l'`,
  decide_journey_ticks: `${ORG}, ${SCHEDULE}, ARRAY[ROW(${ORG}, ${SCHEDULE}, now(), 'skipped', NULL, 'r', now())::journey_schedule_ticks], now(), now(), false`,
  delete_old_evidence: `${ORG}, 30, 10`,
  decided_by_severity: `${ORG}, ${SERVICE}`,
  delete_old_journey_builds: `${ORG}, 30, 10`,
  delete_old_journey_results: `${ORG}, 30, 10`,
  delete_old_journey_runs: `${ORG}, 30, 10`,
  delete_issued_keys: `${ORG}, 30, 10`,
  delete_service: `${ORG}, ${SERVICE}`,
  delete_service_data: `${ORG}, 10`,
  delete_old_scan_runs: `${ORG}, 30, 1, 10`,
  describe_last_change: `${ORG}, ${SERVICE}`,
  description_of_run: `${ORG}, ${LAST_RUN}`,
  end_journey_run: ENDING,
  end_journey_schedule_run: `${ORG}, ${SCHEDULE}, ${ENDED_RUN}, 'failed', NULL`,
  end_sessions: `ARRAY[${SESSION}]`,
  exceeded_journey_run_limit: `${ORG}, 1000, 10000`,
  extend_scan_leases: `${ORG}, ${WAITING}, '{0,0}', '1 minute'`,
  find_api_key: `'wmk_' || ${ORG} || 500`,
  find_api_keys: `ARRAY['wmk_' || ${ORG} || 500, 'wmk_' || ${ORG} || 501]`,
  find_comparison_work: `${ORG}, ${idOf("run", "'500 2'")}, 1`,
  held_roles: `${ORG}, md5('user ' || ${ORG} || 500)::uuid`,
  find_identity_provider: `md5('identity provider ' || ${ORG} || 500)::uuid`,
  find_invitation: `sha256(('invitation ' || ${ORG} || 500)::bytea)`,
  find_journey_run_work: `${ORG}, ${CLAIMED_RUN}, 1`,
  find_replay: `${ORG}, 'key-500', ${hashOf("body", "'500 3'")}, NULL`,
  find_journey_run_link: `sha256(('link ' || ${ORG} || 500)::bytea)`,
  find_service_badge: `sha256(('badge ' || ${ORG} || 500)::bytea)`,
  find_session: SESSION,
  find_sign_in: `sha256(('sign-in ' || ${ORG} || 500)::bytea)`,
  find_sign_in_by_domain: `'d500.' || left(${ORG}, 8) || '.example'`,
  find_sign_in_by_organization: ORG,
  find_sign_in_of_only_organization: "",
  find_trace_parents: `${ORG}, ${WAITING}`,
  find_trust_policies: `'https://issuer.example.com/500', '{waymark}'`,
  find_waiting_scan_runs: `${ORG}, ${WAITING}`,
  finding_deadlines: ORG,
  finish_comparison: `${ORG}, ${idOf("run", "'501 3'")}, 0, 1, ROW(${ORG}, ${idOf("run", "'501 3'")}, ${idOf("run", "'501 2'")}, now(), 'compared', 1, 0, 0, 0, '[]', 0, '{}', '{}', now())`,
  finish_journey_run: ENDING,
  forget_deleted_services: `${ORG}, ARRAY[${DELETED_SERVICE}]`,
  has_service_data: `${ORG}, ${SERVICE}`,
  hashes_of_journey_runs: `${ORG}, ARRAY[${ENDED_RUN}]`,
  hold_journey_run: `${ORG}, ${CLAIMED_RUN}, 1`,
  hold_journey_schedule: `${ORG}, ${SCHEDULE}, now(), 1`,
  index_endpoint_words: `${ORG}, ${UNDERIVED_FROM}, 10`,
  index_service_rules: `${ORG}, ${UNDERIVED_FROM}, 10`,
  is_blob_used: `${ORG}, ${hashOf("unused", 500)}`,
  is_only_organization: "",
  is_base_valid: `${ORG}, ${idOf("run", "'500 2'")}, now(), ${idOf("run", "'500 1'")}, now() - interval '1 hour'`,
  list_current_rules: `${ORG}, ARRAY[${SERVICE}, ${idOf("service", 501)}], 'low', NULL, NULL, NULL, NULL`,
  list_judged_rules: `${ORG}, ARRAY[${SERVICE}, ${idOf("service", 501)}], 'low', NULL, NULL, NULL, NULL, 7`,
  last_run_of_branch: `${ORG}, ${SERVICE}, 'main', now(), ${LAST_RUN}`,
  last_scan_run: `${ORG}, ${SERVICE}, 'main'`,
  link_description: `${ORG}, ${idOf("run", "'500 3'")}, ${hashOf("description", "'500 1'")}, ${KEY}`,
  list_deleted_services: `${ORG}, now()`,
  list_description_chunks: ORG,
  list_last_comparisons: `${ORG}, now() - interval '1 day'`,
  list_old_journey_runs: `${ORG}, '{evidence}', 30, 10`,
  list_referenced_chunks: ORG,
  list_rules_of_snapshot: `${ORG}, ${SERVICE}, ${CONTENT}`,
  list_underived_services: `${ORG}, 'rules', ${UNDERIVED_FROM}, 10`,
  lock_description_chunks: `${ORG}, ${TEXT} || ${idOf("new text", 1)}`,
  lock_missing_chunks: `${ORG}, ${CONTENT}, ${ENDPOINT_CHUNKS} || ${idOf("findings", "'501 1'")}, '{}'`,
  lock_service_names: `${ORG}, ${SERVICE}`,
  lock_snapshot: `${ORG}, ${CONTENT}`,
  mark_breaks_stale: `${ORG}, ${LAST_RUN}`,
  next_organization_id: NIL,
  persist_scan_runs: `${ORG}, ${WAITING}, '{0,0}', '{}', '{}'`,
  previous_scan_run: `${ORG}, ${LAST_RUN}`,
  promote_scan_run: `${ORG}, ${SERVICE}, ${idOf("new run", 1)}, ${EARLIER_CONTENT}, now() + interval '1 hour'`,
  read_comparisons: `${ORG}, ARRAY[${LAST_RUN}, ${idOf("run", "'501 3'")}]`,
  read_journey_run_progress: `ARRAY[${ORG}::uuid, ${ORG}::uuid], ARRAY[${CLAIMED_RUN}, ${ENDED_RUN}]`,
  read_scan_run_progress: `ARRAY[${ORG}::uuid, ${ORG}::uuid], ${WAITING}`,
  record_daily_totals: ORG,
  record_first_use: `${ORG}, ${KEY}`,
  record_service_breaks: `${ORG}, ${UNDERIVED_FROM}, 10`,
  record_service_changes: `${ORG}, ${UNDERIVED_FROM}, 10`,
  record_service_days: `${ORG}, ${UNDERIVED_FROM}, 10`,
  release_journey_run: `${ORG}, ${CLAIMED_RUN}, 1`,
  rename_service: `${ORG}, ${SERVICE}, 'renamed', '{service-500}'`,
  renew_journey_runs: `ARRAY[${ORG}::uuid], ARRAY[${CLAIMED_RUN}], '{1}', '1 minute'`,
  reopen_change_approvals: `${ORG}, ${LAST_RUN}`,
  replace_journey_contents:
    `${ORG}, ${DOCUMENT}, '[{"source": "s", "method": "GET", "path": "/", "pathKey": "/", "sourcePath": "d/500"}]', ` +
    `'[{"id": "c1", "severity": "must", "text": "t", "ownerPath": "d/1001", "provenBy": []}]'`,
  request_comparisons: `${ORG}, ${idOf("run", "'500 2'")}`,
  request_outdated_comparisons: `${ORG}, ${SERVICE}, 10, 2`,
  sample_journey_backlog: "1000, 10",
  sample_journey_schedules: "",
  sample_scan_backlog: "100",
  search_endpoints: `${ORG}, 'lines 500', 20, NULL, 2000, ROW('service-500', '/', 'GET', 1)`,
  service_history: `${ORG}, ${SERVICE}`,
  store_blobs: `${ORG}, ARRAY[${hashOf("unused", 500)}, ${hashOf("new", 1)}], '{1,1}', ARRAY['b'::bytea, 'b'::bytea]`,
  store_chunks:
    `${ORG}, ARRAY[ROW(${idOf("new chunk", 1)}, 0, 'GET', '/', NULL, '{}', NULL)::chunk_endpoint_row], ` +
    `ARRAY[ROW(${idOf("new chunk", 2)}, 0, 'c', 'low', 'm', NULL, NULL)::chunk_finding_row]`,
  size_of_description_chunks: `${ORG}, ${TEXT}`,
  store_description:
    `${ORG}, '{"hash": "${"ab".repeat(32)}", "canonicalHash": "${"ab".repeat(32)}", "operationsHash": "${"ab".repeat(32)}", ` +
    `"format": "json", "size": 8, "canonicalSize": 8}', ${TEXT}, NULL`,
  store_description_chunks: `${ORG}, ARRAY[${idOf("new text", 1)}], '{1}', ARRAY['b'::bytea]`,
  store_journey_steps: `${ORG}, ${CLAIMED_RUN}, 1, ${STEPS}`,
  store_snapshot: `${ORG}, ${idOf("new content", 1)}, ${ENDPOINT_CHUNKS}, ${FINDING_CHUNKS}, 16, 8`,
  store_uploaded_run:
    `${UPLOAD}, jsonb_build_object('documentId', ${DOCUMENT}, 'documentVersion', 1, 'environmentId', ${idOf("environment", 1)}, ` +
    `'environmentRevision', 1, 'programId', 'p', 'trigger', 'cli', 'inputs', '{}', 'seed', 's', 'strictContract', false, ` +
    `'keyId', ${KEY}), ${hashOf("artifact", 501)}, NULL`,
  sum_current_runs: `${ORG}, ARRAY[${SERVICE}]`,
  sum_service_days: ORG,
  touch_api_keys: `ARRAY[${ORG}::uuid], ARRAY[${KEY}]`,
  touch_sessions: `ARRAY[${SESSION}]`,
  undo_promotion: `${ORG}, ${idOf("run", "'500 3'")}, now() - interval '10 minutes'`,
  use_change_approvals: `${ORG}, ${LAST_RUN}`,
  valid_comparison: `${ORG}, ${LAST_RUN}`,
  write_journey_progress: `${ORG}, ${CLAIMED_RUN}, 1, ${STEPS}, 's', 'c'`,
};
/** Functions that the services can't call, and a function above that calls each. */
const CALLED_BY_OTHERS: Readonly<Record<string, string>> = {
  count_run_criteria: "finish_journey_run",
  count_run_operations: "store_uploaded_run",
  forget_promotion: "undo_promotion",
  keep_first_seen: "collect_snapshots",
  mark_derived: "index_service_rules",
  finish_days_of_breaks: "delete_old_scan_runs",
  record_breaks_of_service: "record_service_breaks",
  record_days_of_service: "record_service_days",
  sum_breaks_of_days: "record_service_breaks",
};
/** Other plans may read some more blocks, for example of indexes that the planner looks at. */
const MORE_MAX = { factor: 2, blocks: 30 };

let database: TestDatabase;
let owner: Client;
let service: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client(database.databaseUrl);
  await owner.connect();
  await storeManyRows(owner);
  await owner.query(`UPDATE services SET deleted_at = now(), name = NULL WHERE id = ${DELETED_SERVICE}`);
  service = new Client(serviceUrl(database.databaseUrl));
  await service.connect();
}, 120_000);

afterAll(async () => {
  await Promise.all([owner.end(), service.end()]);
  await database[Symbol.asyncDispose]();
});

/** The functions whose text names a table, without triggers. */
async function functionsOfTables(): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT p.proname AS name FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.prorettype <> 'trigger'::regtype AND p.provolatile <> 'i'
       AND p.prosrc ~ ('\\m(' || (SELECT string_agg(c.relname, '|') FROM pg_class c
                                  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r') || ')\\M')
     ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Prepares the call of a function with the types of its arguments, so that its outer statement gets such a plan, too. */
async function prepareCall(name: string): Promise<void> {
  const { rows } = await owner.query<{ types: string[] }>(
    `SELECT ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY a (t, n) ORDER BY n) AS types
     FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = $1`,
    [name],
  );
  const types = rows[0]?.types ?? [];
  const declared = types.length === 0 ? "" : `(${types.join(", ")})`;
  const places = types.map((_, n) => `$${n + 1}`).join(", ");
  await service.query("DEALLOCATE ALL");
  await service.query(`PREPARE call ${declared} AS SELECT * FROM ${name}(${places})`);
}

interface Explained {
  "QUERY PLAN": { Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number } }[];
}

/** The blocks that a call touches. Its changes are undone. */
async function countBlocks(args: string): Promise<number> {
  await service.query("BEGIN");
  try {
    await service.query("SELECT set_config('waymark.organization_id', $1, true)", [LARGE_ORGANIZATION]);
    const { rows } = await service.query<Explained>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE call${args === "" ? "" : `(${args})`}`,
    );
    const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
    if (plan === undefined) throw new Error("there is no plan");
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  } finally {
    await service.query("ROLLBACK");
  }
}

/** The blocks of so many calls in a row. */
async function countBlocksOfCalls(args: string, calls: number): Promise<number[]> {
  const blocks: number[] = [];
  while (blocks.length < calls) blocks.push(await countBlocks(args));
  return blocks;
}

describe("plans of functions", () => {
  it("are compared for every function that names a table: a new one needs a call here", async () => {
    const covered = new Set([...Object.keys(CALLS), ...Object.keys(CALLED_BY_OTHERS)]);
    expect((await functionsOfTables()).filter((name) => !covered.has(name))).toEqual([]);
  });

  it.each(Object.entries(CALLS))("%s does no more work from its sixth call on", async (name, args) => {
    await prepareCall(name);
    // Functions that it calls may have been called before, so its first plans are made for their arguments whatever Postgres prefers.
    await service.query("SET plan_cache_mode = force_custom_plan");
    const before = (await countBlocksOfCalls(args, 2)).at(-1) ?? 0;
    await service.query("SET plan_cache_mode = auto");
    // The last call, because making a plan touches blocks, too.
    const after = (await countBlocksOfCalls(args, 6)).at(-1) ?? Infinity;
    expect(before).toBeGreaterThan(0);
    expect(after).toBeLessThanOrEqual(before * MORE_MAX.factor + MORE_MAX.blocks);
  });
});
