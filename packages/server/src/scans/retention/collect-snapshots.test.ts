import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readScan, unreadScan } from "@waymark/test-support/scans/scan-database.ts";
import {
  type CollectionDatabase,
  startCollectionDatabase,
} from "@waymark/test-support/scans/collection-database.ts";
import { pauseAfter, untilWaiting } from "@waymark/test-support/pauses.ts";
import { query } from "@waymark/test-support/sql.ts";
import { acceptScan } from "../accept/queries.ts";

// Statements of collect_snapshots, lock_missing_chunks and accept_scan_run.
const LOCK = "    FOR UPDATE SKIP LOCKED);";
const BEFORE_LOCK = "PERFORM assert_own_organization(p_organization_id);";
const FIND_BODY = "    LIMIT 1;";

const CONTENT = { seed: "base", endpoints: 12, findings: 0 };
/** The chunks of CONTENT, and another one. */
const CHANGED = { seed: "base", endpoints: 12, findings: 3 };
const NEXT = { seed: "next", endpoints: 12 };

let world: CollectionDatabase;
beforeEach(async () => {
  world = await startCollectionDatabase();
  await world.accept("orders", CONTENT);
  await world.accept("another", NEXT);
  await world.persist();
});
afterEach(() => world[Symbol.asyncDispose]());

/** The service gets another current run, and its earlier runs are deleted. */
async function supersede(): Promise<void> {
  await world.accept("orders", NEXT);
  await query(
    world,
    `DELETE FROM scan_runs r USING services s
     WHERE s.id = r.service_id AND r.status = 'completed' AND r.id <> s.current_run_id`,
  );
  await query(world, "UPDATE snapshots SET created_at = now() - interval '2 days'");
}

describe("a service's current snapshot", () => {
  it("stays, although it was replaced, while an uncommitted scan relies on its chunks", async () => {
    const pool = world.openPool();
    await pool.query("BEGIN");
    expect(await world.accept("orders", CHANGED, { pool })).toMatchObject({ outcome: "accepted" });
    await supersede();
    expect(await world.collectSnapshots()).toBe(0);
    expect(await world.collectChunks()).toBe(0);
    await pool.query("COMMIT");
    await pool.end();
    expect(await world.collectSnapshots()).toBe(1);
    expect(await world.collectChunks()).toBe(0);
    await world.expectIntact(3);
  });

  it.each([
    ["its chunks are still stored", false],
    ["its chunks are deleted as well", true],
  ])("is not relied on while it is being deleted: %s", async (_name, withChunks) => {
    await using pause = await pauseAfter(world, "lock_missing_chunks", BEFORE_LOCK);
    const accepted = world.accept("orders", CHANGED);
    await pause.reached();
    await supersede();
    expect(await world.collectSnapshots()).toBe(1);
    expect(withChunks ? await world.collectChunks() : 1).toBeGreaterThan(0);
    await pause.end();
    expect(await accepted).toMatchObject({ outcome: "accepted" });
    expect(await world.collectChunks()).toBe(0);
    await world.expectIntact(3);
  });
});

describe("a scan of stored content", () => {
  it("is accepted while the content is being deleted, without a deadlock", async () => {
    await world.deleteRunsOf("orders");
    await using pause = await pauseAfter(world, "collect_snapshots", LOCK);
    const collected = world.collectSnapshots();
    await pause.reached();
    const accepted = world.accept("orders", CONTENT);
    await untilWaiting(world, { atLeast: 1, type: "row" });
    await pause.end();
    expect(await collected).toBe(1);
    expect(await accepted).toMatchObject({ outcome: "completed" });
    await world.expectIntact(2);
  });

  it("needs its content if that is deleted after its body was found", async () => {
    const scan = readScan(world.organizationId, "sent twice", { service: "twice", ...CONTENT });
    await acceptScan(world.pool, scan);
    await using pause = await pauseAfter(world, "accept_scan_run", FIND_BODY);
    const repeated = acceptScan(world.pool, unreadScan(world.organizationId, "sent twice"));
    await pause.reached();
    await world.deleteRunsOf("orders");
    await world.deleteRunsOf("twice");
    expect(await world.collectSnapshots()).toBe(1);
    await pause.end();
    expect(await repeated).toMatchObject({ outcome: "content_needed" });
  });
});
