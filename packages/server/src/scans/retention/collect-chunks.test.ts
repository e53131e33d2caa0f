import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readScan } from "@waymark/test-support/scans/scan-database.ts";
import {
  type CollectionDatabase,
  startCollectionDatabase,
} from "@waymark/test-support/scans/collection-database.ts";
import { pauseAfter, untilWaiting } from "@waymark/test-support/pauses.ts";
import { query } from "@waymark/test-support/sql.ts";

// Statements of collect_chunks.
const LOOK = "    LIMIT p_limit);";
const LOCK = "    FOR UPDATE SKIP LOCKED);";
const DELETE = "DELETE FROM chunks c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids);";

/** Content with stored chunks that nothing refers to. */
const OLD = { seed: "old", endpoints: 12, findings: 0 };
/** The content of `OLD` with another chunk, so that it waits for a worker. */
const NEW = { seed: "old", endpoints: 12, findings: 3 };

let world: CollectionDatabase;
beforeEach(async () => {
  world = await startCollectionDatabase();
  await world.accept("old", OLD);
  await world.accept("current", {});
  await world.persist();
  await world.deleteRunsOf("old");
  await world.collectSnapshots();
});
afterEach(() => world[Symbol.asyncDispose]());

describe("an unreferenced chunk", () => {
  it("is deleted with its rows, and stored again when it is needed again", async () => {
    const countChunks = async () => (await query(world, "SELECT FROM chunks")).length;
    const before = await countChunks();
    const collected = await world.collectChunks();
    expect(collected).toBeGreaterThan(0);
    expect(await countChunks()).toBe(before - collected);
    expect(await query(world, "SELECT FROM chunk_endpoints WHERE path LIKE '%old'")).toEqual([]);
    expect(await world.collectChunks()).toBe(0);

    expect(await world.accept("back", OLD)).toMatchObject({ outcome: "accepted" });
    await world.expectIntact(2);
  });

  it("stays if a scan relied on it after it was found and before it was locked", async () => {
    await using pause = await pauseAfter(world, "collect_chunks", LOOK);
    const collected = world.collectChunks();
    await pause.reached();
    expect(await world.accept("back", NEW)).toMatchObject({ outcome: "accepted" });
    await pause.end();
    expect(await collected).toBe(0);
    await world.expectIntact(2);
  });

  it.each([
    ["waits for a worker", NEW, "accepted"],
    ["is complete", OLD, "completed"],
  ])("stays if a scan relies on it that %s and is not committed yet", async (_name, content, outcome) => {
    const pool = world.openPool();
    await pool.query("BEGIN");
    expect(await world.accept("back", content, { pool })).toMatchObject({ outcome });
    expect(await world.collectChunks()).toBe(0);
    await pool.query("COMMIT");
    await pool.end();
    await world.expectIntact(2);
  });

  it.each([
    ["locked", LOCK],
    ["deleted", DELETE],
  ])("is requested from a scan that arrives while a collection has it %s", async (_name, statement) => {
    await using pause = await pauseAfter(world, "collect_chunks", statement);
    const collected = world.collectChunks();
    await pause.reached();
    const accepted = world.accept("back", NEW);
    await untilWaiting(world, { atLeast: 1, type: "row" });
    await pause.end();
    expect(await collected).toBeGreaterThan(0);
    expect(await accepted).toMatchObject({ outcome: "accepted" });
    await world.expectIntact(2);
  });

  it.each([
    ["locked", LOCK],
    ["deleted", DELETE],
  ])("is stored again by a worker while a collection has it %s", async (_name, statement) => {
    await using pause = await pauseAfter(world, "collect_chunks", statement);
    const collected = world.collectChunks();
    await pause.reached();
    const { scan } = readScan(world.organizationId, "rows", NEW);
    const sent = new Set([...(scan?.content.endpointChunks ?? []), ...(scan?.content.findingChunks ?? [])]);
    expect(await world.accept("back", NEW, { sent })).toMatchObject({ outcome: "accepted" });
    const persisted = world.persist();
    await untilWaiting(world, { atLeast: 1, type: "row" });
    await pause.end();
    await Promise.all([collected, persisted]);
    await world.expectIntact(2);
  });
});
