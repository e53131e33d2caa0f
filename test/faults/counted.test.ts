import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "../support/scan-payload.ts";
import { ingest, waitForRun } from "../support/scans.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { storedState } from "./support/stored-state.ts";

let stack: Stack;
let owner: Client;
let completed: string;
let accepted: string;
beforeAll(async () => {
  stack = await startStack();
  const first = await ingest(stack, scanPayload({ endpoints: 5, findings: 2 }));
  completed = first.body.scanRunId;
  await waitForRun(stack, completed);
  await stack.worker.stop();
  accepted = (await ingest(stack, scanPayload({ endpoints: 4, findings: 2, seed: "waits" }))).body.scanRunId;
  owner = new Client(stack.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await stack[Symbol.asyncDispose]();
});

/** Runs a statement in a transaction of the organization, as the owner or as the services do. */
async function attempt(role: "owner" | "services", statement: string, values: unknown[] = []): Promise<void> {
  await owner.query("BEGIN");
  try {
    if (role === "services") await owner.query("SET LOCAL ROLE waymark_app");
    await owner.query("SELECT set_config('waymark.organization_id', $1, true)", [stack.organizationId]);
    await owner.query(statement, values);
    await owner.query("COMMIT");
  } catch (error) {
    await owner.query("ROLLBACK");
    throw error;
  }
}

const SNAPSHOT_OF_COMPLETED = "(SELECT snapshot_id FROM scan_runs WHERE status = 'completed' LIMIT 1)";
const COMPLETE = `UPDATE scan_runs SET status = 'completed', completed_at = now(), snapshot_id = ${SNAPSHOT_OF_COMPLETED}`;

describe.each(["owner", "services"] as const)("the database lets not even the %s", (role) => {
  it.each([
    [
      "complete a run whose declared counts are not the snapshot's",
      () => [`${COMPLETE} WHERE id = $1`, accepted],
    ],
    [
      "complete a run without a snapshot",
      () => ["UPDATE scan_runs SET status = 'completed', completed_at = now() WHERE id = $1", accepted],
    ],
    [
      "complete a run with a snapshot that is not stored",
      () => [
        "UPDATE scan_runs SET status = 'completed', completed_at = now(), snapshot_id = sha256('x') WHERE id = $1",
        accepted,
      ],
    ],
    [
      "change a completed run's endpoint count",
      () => ["UPDATE scan_runs SET endpoint_count = endpoint_count + 1 WHERE id = $1", completed],
    ],
    [
      "change a completed run's finding count",
      () => ["UPDATE scan_runs SET finding_count = 0 WHERE id = $1", completed],
    ],
    [
      "take a completed run its snapshot",
      () => ["UPDATE scan_runs SET snapshot_id = NULL WHERE id = $1", completed],
    ],
    [
      "call a run that has a snapshot accepted",
      () => ["UPDATE scan_runs SET status = 'accepted' WHERE id = $1", completed],
    ],
    ["fail a run without a reason", () => ["UPDATE scan_runs SET status = 'failed' WHERE id = $1", accepted]],
    [
      "change the counts of a snapshot in use",
      () => ["UPDATE snapshots SET endpoint_count = endpoint_count + 1"],
    ],
    ["delete a snapshot in use", () => ["DELETE FROM snapshots"]],
    [
      "insert a completed run with counts of its own",
      () => [
        `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count,
           finding_count, snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id)
         SELECT organization_id, gen_random_uuid(), service_id, 'completed', spec_hash, spec_format, 1000,
           finding_count, snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id
         FROM scan_runs WHERE id = $1`,
        completed,
      ],
    ],
    [
      "leave a receipt with other counts than its snapshot's",
      () => ["UPDATE scan_receipts SET endpoint_count = endpoint_count + 1"],
    ],
  ] satisfies [string, () => [string, ...string[]]][])("%s", async (_name, statementOf) => {
    const before = await storedState(stack);
    const [statement, ...values] = statementOf();
    await expect(attempt(role, statement, values)).rejects.toThrow(
      /violates (foreign key|check|RESTRICT setting of foreign key) constraint|permission denied/,
    );
    expect(await storedState(stack)).toEqual(before);
  });
});

it("the services may not change a stored row at all", async () => {
  for (const table of ["snapshot_endpoints", "snapshot_findings"]) {
    await expect(attempt("services", `UPDATE ${table} SET path = 'other'`)).rejects.toThrow(
      /permission denied/,
    );
    await expect(attempt("services", `TRUNCATE ${table}`)).rejects.toThrow(/permission denied/);
  }
});

it("a row cannot be stored twice", async () => {
  await expect(
    attempt("services", "INSERT INTO snapshot_endpoints SELECT * FROM snapshot_endpoints"),
  ).rejects.toThrow(/duplicate key/);
});
