import { randomUUID } from "node:crypto";
import { DatabaseError } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type ScanDatabase,
  bodyHashOf,
  readScan,
  startScanDatabase,
  unreadScan,
} from "@waymark/test-support/scans/scan-database.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { replaceInFunction, untilWaiting } from "@waymark/test-support/pauses.ts";
import { type Acceptance, createAcceptance } from "./acceptance.ts";
import { type AcceptOutcome, acceptScan, acceptScans, parseChunkIds, type ScanToAccept } from "./queries.ts";

let world: ScanDatabase;
let acceptance: Acceptance;
let organizationId: string;
beforeAll(async () => {
  world = await startScanDatabase();
});
beforeEach(async () => {
  acceptance = createAcceptance(world.pool);
  organizationId = await world.createOrganization();
});
afterAll(() => world[Symbol.asyncDispose]());

const outcomeOf = ({ outcome }: AcceptOutcome) => outcome;
const chunksOf = ({ scan }: ScanToAccept) =>
  scan === null ? [] : [...scan.content.endpointChunks, ...scan.content.findingChunks];

/** Scans wait for others for a minute instead of two seconds, which this process may have to wait for the processor. */
const waitLonger = () => replaceInFunction(world, "accept_scan_run", { text: "'2s'", by: "'60s'" });

/** Accepts and completes it, like a worker. */
async function store(scan: ScanToAccept): Promise<AcceptOutcome> {
  const outcome = await acceptScan(world.pool, scan);
  await world.persist();
  return outcome;
}

describe("a scan", () => {
  it("waits for a worker with the sent chunks, and is complete at once if all are stored", async () => {
    expect(await acceptScan(world.pool, readScan(organizationId, 1))).toMatchObject({
      outcome: "accepted",
      unchanged: false,
    });
    expect(await acceptScan(world.pool, readScan(organizationId, 1, { sent: "none" }))).toMatchObject({
      outcome: "chunks_needed",
    });
    await world.persist();
    const changedSpec = readScan(organizationId, "1, another title", {
      seed: "1",
      spec: { title: "b" },
      sent: "none",
    });
    expect(await acceptScan(world.pool, changedSpec)).toMatchObject({
      outcome: "completed",
      unchanged: true,
    });
    // Stored chunks in a new combination: no earlier run has this content.
    const parts = readScan(organizationId, "part", { seed: "1", endpoints: 12, findings: 0, sent: "none" });
    expect(await acceptScan(world.pool, parts)).toMatchObject({
      outcome: "completed",
      unchanged: false,
      findingCount: 0,
    });
    expect((await world.stateOf(organizationId))["payloads"]).toEqual([]);
  });

  it("gets the list of missing chunks: those that are neither stored nor sent", async () => {
    await store(readScan(organizationId, 1));
    const next = readScan(organizationId, 2, { seed: "1", endpoints: 40, findings: 3, sent: "none" });
    const [first] = chunksOf(next);
    const needed = await acceptScan(world.pool, next);
    const missing = needed.outcome === "chunks_needed" ? parseChunkIds(needed.missingChunks) : new Set();
    expect(missing.size).toBeGreaterThan(0);
    expect(missing.has(first)).toBe(false);
    const sent = readScan(organizationId, 2, {
      seed: "1",
      endpoints: 40,
      findings: 3,
      sent: missing as Set<string>,
    });
    expect(await store(sent)).toMatchObject({ outcome: "accepted" });
    const state = await world.stateOf(organizationId);
    expect(state["runs"]?.map((run) => run["status"])).toEqual(["completed", "completed"]);
  });

  it("with the bytes of a completed run is a copy of it; with others, its content is needed", async () => {
    const first = await store(readScan(organizationId, 1, { spec: { title: "t", version: "v" } }));
    const serviceId = "serviceId" in first ? first.serviceId : null;
    expect(await acceptScan(world.pool, unreadScan(organizationId, 1))).toMatchObject({
      outcome: "completed",
      unchanged: true,
      serviceId,
      endpointCount: 12,
      findingCount: 3,
    });
    const grant = { mayCreate: false, mayUpdate: false, serviceId };
    const unknown = await acceptScan(world.pool, unreadScan(organizationId, 2, { grant }));
    expect(unknown).toMatchObject({ outcome: "content_needed" });
    const { runs = [] } = await world.stateOf(organizationId);
    expect(runs.map((run) => [run["spec_title"], run["body_hash"]])).toEqual([
      ["t", bodyHashOf(1)],
      ["t", null],
    ]);
  });

  it("that waits for its worker doesn't make its body known", async () => {
    await acceptScan(world.pool, readScan(organizationId, 1));
    expect(await acceptScan(world.pool, unreadScan(organizationId, 1))).toMatchObject({
      outcome: "content_needed",
    });
  });

  it("of one organization is unknown to another: its bytes, content and chunks", async () => {
    await store(readScan(organizationId, 1));
    const other = await world.createOrganization();
    expect(await acceptScan(world.pool, unreadScan(other, 1))).toMatchObject({
      outcome: "content_needed",
    });
    const needed = await acceptScan(world.pool, readScan(other, 1, { sent: "none" }));
    expect(needed.outcome === "chunks_needed" && parseChunkIds(needed.missingChunks)).toEqual(
      new Set(chunksOf(readScan(other, 1))),
    );
    expect((await world.stateOf(other))["runs"]).toEqual([]);
  });

  it("that violates a constraint is refused by the database", async () => {
    const scan = readScan(organizationId, 1);
    await expect(acceptScan(world.pool, { ...scan, bodyHash: Buffer.from("short") })).rejects.toMatchObject({
      code: "23514",
    });
  });
});

describe("a permission", () => {
  const none = { mayCreate: false, mayUpdate: false, serviceId: null };

  it("to create is needed if the service doesn't exist, and reported", async () => {
    const scan = readScan(organizationId, 1, { service: "new" }, { grant: { ...none, mayUpdate: true } });
    expect(await acceptScan(world.pool, scan)).toMatchObject({
      outcome: "permission_needed",
      serviceId: null,
      serviceName: "new",
    });
    expect((await world.stateOf(organizationId))["services"]).toEqual([]);
  });

  it("to update is needed for the service of the bytes or the name: any, or this one", async () => {
    const first = await store(readScan(organizationId, 1, { service: "a" }));
    await store(readScan(organizationId, 2, { service: "b" }));
    const a = "serviceId" in first ? first.serviceId : null;
    for (const scan of [unreadScan, readScan]) {
      const asked = (body: number, grant: ScanToAccept["grant"]) =>
        acceptScan(world.pool, {
          ...(scan === unreadScan
            ? unreadScan(organizationId, body)
            : readScan(organizationId, body, { service: body === 1 ? "a" : "b" })),
          grant,
        });
      expect(await asked(1, { ...none, serviceId: a })).toMatchObject({ outcome: "completed" });
      expect(await asked(2, { ...none, mayUpdate: true })).toMatchObject({ outcome: "completed" });
      expect(await asked(2, { ...none, serviceId: a })).toMatchObject({
        outcome: "permission_needed",
        serviceName: "b",
        endpointCount: 12,
      });
      expect(await asked(1, { ...none, mayCreate: true })).toMatchObject({
        outcome: "permission_needed",
        serviceId: a,
      });
    }
  });
});

describe("an idempotency key", () => {
  const idempotencyKey = "k";

  it("returns the first response again, for the same bytes and for the same scan in other bytes", async () => {
    const first = await acceptScan(world.pool, readScan(organizationId, 1, {}, { idempotencyKey }));
    const runId = "scanRunId" in first ? first.scanRunId : null;
    expect(await acceptScan(world.pool, unreadScan(organizationId, 1, { idempotencyKey }))).toMatchObject({
      outcome: "replayed",
      scanRunId: runId,
      unchanged: null,
      serviceIsNew: true,
      endpointCount: 12,
    });
    const recompressed = { idempotencyKey, bodyHash: bodyHashOf("other bytes") };
    expect(await acceptScan(world.pool, unreadScan(organizationId, 1, recompressed))).toMatchObject({
      outcome: "content_needed",
    });
    expect(await acceptScan(world.pool, readScan(organizationId, 1, {}, recompressed))).toMatchObject({
      outcome: "replayed",
      scanRunId: runId,
    });
    await world.persist();
    expect(await acceptScan(world.pool, readScan(organizationId, 1, {}, recompressed))).toMatchObject({
      outcome: "replayed",
      unchanged: null,
    });
    expect((await world.stateOf(organizationId))["runs"]).toHaveLength(1);
  });

  it.each([
    ["other content", { seed: "2" }],
    ["another service", { seed: "1", service: "b" }],
    ["another title", { seed: "1", spec: { title: "b" } }],
    ["another hash", { seed: "1", spec: { hash: "b".repeat(64) } }],
  ])("identifies one scan, not %s", async (_name, content) => {
    await acceptScan(world.pool, readScan(organizationId, 1, {}, { idempotencyKey }));
    expect(
      await acceptScan(world.pool, readScan(organizationId, 2, content, { idempotencyKey })),
    ).toMatchObject({ outcome: "key_used" });
  });

  it("of a scan that was complete at once returns that response again", async () => {
    await store(readScan(organizationId, 1));
    const scan = unreadScan(organizationId, 1, { idempotencyKey });
    expect(await acceptScan(world.pool, scan)).toMatchObject({ outcome: "completed", unchanged: true });
    expect(await acceptScan(world.pool, { ...scan, scanRunId: randomUUID() })).toMatchObject({
      outcome: "replayed",
      scanRunId: scan.scanRunId,
      unchanged: true,
      serviceIsNew: false,
    });
  });

  it("that is in use is waited for up to 2 seconds", async () => {
    await using blocker = await holdStatement(
      world,
      `INSERT INTO idempotency_keys (organization_id, key, body_hash, scan_run_id) VALUES ($1, $2, sha256('x'), $1)`,
      [organizationId, idempotencyKey],
    );
    expect(await acceptScan(world.pool, readScan(organizationId, 1, {}, { idempotencyKey }))).toEqual({
      outcome: "in_progress",
    });
    await blocker.commit();
  });

  it("that is in use is a conflict when the request that uses it has ended", async () => {
    await using blocker = await holdStatement(
      world,
      `INSERT INTO idempotency_keys (organization_id, key, body_hash, scan_run_id) VALUES ($1, $2, sha256('x'), $1)`,
      [organizationId, idempotencyKey],
    );
    await using _ = await waitLonger();
    const waiting = acceptScan(world.pool, readScan(organizationId, 1, {}, { idempotencyKey }));
    await untilWaiting(world, { atLeast: 1, type: "row" });
    await blocker.commit();
    expect(await waiting).toEqual({ outcome: "conflict" });
  });
});

describe("concurrent scans", () => {
  it("get the same outcomes and leave the same data as consecutive calls", async () => {
    const twin = await world.createOrganization();
    const random = seededRandom(20);
    for (let round = 0; round < 30; round++) {
      const scans = Array.from({ length: 1 + Math.floor(random() * 12) }, () => randomScan(random));
      const together = await acceptScans(world.pool, scans, { mayWait: false });
      const single: AcceptOutcome[] = [];
      for (const scan of scans) single.push(await acceptScan(world.pool, { ...scan, organizationId: twin }));
      expect(together.map(comparable)).toEqual(single.map(comparable));
      if (round % 3 === 0) await world.persist();
    }
    const left = await world.stateOf(organizationId);
    expect(left["runs"]?.length).toBeGreaterThan(60);
    expect(new Set(left["runs"]?.map((run) => run["unchanged"]))).toEqual(new Set([true, false]));
    expect(left).toEqual(await world.stateOf(twin));
  });

  function randomScan(random: () => number): ScanToAccept {
    const body = Math.floor(random() * 9);
    const service = `service ${body % 4}`;
    const more = {
      promote: random() < 0.8,
      // Some times are equal, so that the id decides.
      scannedAt: random() < 0.5 ? null : new Date(Date.UTC(2020, 0, 1 + Math.floor(random() * 40))),
      idempotencyKey: random() < 0.3 ? `key ${Math.floor(random() * 20)}` : null,
    };
    if (random() < 0.4) return unreadScan(organizationId, body, more);
    const sent = random() < 0.5 ? "all" : "none";
    return readScan(organizationId, body, { service, seed: String(body % 6), sent }, more);
  }

  /** Ids of services and times differ. */
  function comparable(outcome: AcceptOutcome): unknown {
    const {
      serviceId: _id,
      createdAt: _time,
      index: _index,
      missingChunks,
      ...rest
    } = outcome as Record<string, unknown>;
    const missing = typeof missingChunks === "string" ? [...parseChunkIds(missingChunks)].toSorted() : null;
    return { ...rest, missing };
  }

  it("get their own outcomes: stored, unknown, and for a locked service", async () => {
    await using _ = await waitLonger();
    for (const name of ["a", "b"]) await store(readScan(organizationId, name, { service: name }));
    await using blocker = await holdStatement(
      world,
      "SELECT FROM services WHERE organization_id = $1 AND name = 'a' FOR NO KEY UPDATE",
      [organizationId],
    );
    const locked = acceptance.accept(unreadScan(organizationId, "a"));
    const others = await Promise.all([
      acceptance.accept(unreadScan(organizationId, "b")),
      acceptance.accept(unreadScan(organizationId, "unknown")),
      acceptance.accept(readScan(organizationId, "c", { service: "c" })),
    ]);
    expect(others.map(outcomeOf)).toEqual(["completed", "content_needed", "accepted"]);
    await blocker.commit();
    expect(await locked).toMatchObject({ outcome: "completed" });
  });

  it("of a new service create it once", async () => {
    const scans = Array.from({ length: 5 }, (_, n) => readScan(organizationId, n, { service: "made once" }));
    const outcomes = await Promise.all(scans.map(acceptance.accept));
    expect(outcomes.map(outcomeOf)).toEqual(outcomes.map(() => "accepted"));
    expect((await world.stateOf(organizationId))["services"]).toHaveLength(1);
  });

  it("fail individually, with their own errors", async () => {
    const scans = [
      readScan(organizationId, 1),
      { ...readScan(organizationId, 2, { service: "b" }), bodyHash: Buffer.from("too short") },
      readScan(organizationId, 3, { service: "c" }),
    ];
    const [first, bad, last] = await Promise.allSettled(scans.map(acceptance.accept));
    expect(first).toMatchObject({ status: "fulfilled", value: { outcome: "accepted" } });
    expect(last).toMatchObject({ status: "fulfilled", value: { outcome: "accepted" } });
    expect(bad).toMatchObject({ status: "rejected", reason: { code: "23514" } });
  });

  it("don't wait for a service that another request is creating", async () => {
    await using _ = await waitLonger();
    await using maker = await holdStatement(
      world,
      "INSERT INTO services (organization_id, id, name) VALUES ($1, gen_random_uuid(), 'taken')",
      [organizationId],
    );
    const late = acceptance.accept(readScan(organizationId, 1, { service: "taken" }));
    const others = ["b", "c"].map((service) =>
      acceptance.accept(readScan(organizationId, service, { service })),
    );
    expect((await Promise.all(others)).map(outcomeOf)).toEqual(["accepted", "accepted"]);
    await maker.commit();
    expect(await late).toEqual({ outcome: "conflict" });
  });

  it("share an idempotency key: one is stored, the other gets its response", async () => {
    const scans = [1, 1].map((body) => readScan(organizationId, body, {}, { idempotencyKey: "k" }));
    const outcomes = await Promise.all(scans.map(acceptance.accept));
    expect(outcomes.map(outcomeOf)).toEqual(["accepted", "replayed"]);
  });

  it("of two processes with the same services in opposite orders don't deadlock, and none is lost", async () => {
    await using _ = await waitLonger();
    const names = ["a", "b", "c", "d"];
    for (const name of names) await store(readScan(organizationId, name, { service: name }));
    const other = createAcceptance(world.pool);
    const isDeadlock = (result: PromiseSettledResult<unknown>) =>
      result.status === "rejected" &&
      result.reason instanceof DatabaseError &&
      result.reason.code === "40P01";
    for (let round = 0; round < 8; round++) {
      const known = names.map((name) => acceptance.accept(unreadScan(organizationId, name)));
      const again = names.toReversed().map((name) => other.accept(unreadScan(organizationId, name)));
      const made = names.map((name) =>
        acceptance.accept(readScan(organizationId, name, { service: `${name}${round}` })),
      );
      const madeAgain = names
        .toReversed()
        .map((name) => other.accept(readScan(organizationId, name, { service: `${name}${round}` })));
      const results = await Promise.allSettled([...known, ...again, ...made, ...madeAgain]);
      expect(results.filter(isDeadlock)).toEqual([]);
      const outcomes = await Promise.all([...known, ...again]);
      expect(outcomes.map(outcomeOf)).toEqual(outcomes.map(() => "completed"));
    }
  });
});

/** Creates a generator of random numbers that are equal each time (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
