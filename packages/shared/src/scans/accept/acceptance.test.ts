import { randomUUID } from "node:crypto";
import { DatabaseError } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AcceptWorld, bodyHashOf, startAcceptWorld } from "../../../../../test/support/accept-world.ts";
import { type Acceptance, createAcceptance } from "./acceptance.ts";
import { acceptKnownScanRun, type NewScanRun } from "./queries.ts";
import { acceptKnownScanRuns, acceptNewScanRuns } from "./together/queries.ts";

let world: AcceptWorld;
let acceptance: Acceptance;
let organizationId: string;
beforeAll(async () => {
  world = await startAcceptWorld();
});
beforeEach(async () => {
  acceptance = createAcceptance(world.pool);
  organizationId = await world.createOrganization();
});
afterAll(() => world[Symbol.asyncDispose]());

const accepted = (run: { outcome: string }) => run.outcome;

describe("known scans that come together", () => {
  it("get what calls one after the other would have got, and leave what those would have left", async () => {
    const twin = await world.createOrganization();
    const random = seededRandom(20);
    for (let batch = 0; batch < 25; batch++) {
      const runs = Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
        world.knownRun(organizationId, Math.floor(random() * 9), {
          promote: random() < 0.8,
          // Some are equal, so that the id decides.
          scannedAt: random() < 0.5 ? null : new Date(Date.UTC(2020, 0, 1 + Math.floor(random() * 40))),
        }),
      );
      const together = await acceptKnownScanRuns(world.pool, runs);
      const alone = [];
      for (const run of runs) {
        alone.push(await acceptKnownScanRun(world.pool, { ...run, organizationId: twin }));
      }
      const withoutTime = (results: typeof together) =>
        results.map((result) =>
          result === null || result === "locked" ? result : { ...result, createdAt: "a moment ago" },
        );
      expect(withoutTime(together)).toEqual(withoutTime(alone));
    }
    const left = await world.stateOf(organizationId);
    expect(left.runs.length).toBeGreaterThan(100);
    expect(new Set(left.runs.map((run) => run["unchanged"]))).toEqual(new Set([true, false]));
    expect(left).toEqual(await world.stateOf(twin));
  });

  it("get each its own answer: known, unknown, and of a service that somebody has locked", async () => {
    const blocker = await world.holdService(organizationId, 1);
    const of = (body: number) => acceptance.acceptKnown(world.knownRun(organizationId, body));
    const locked = of(1);
    const others = await Promise.all([of(0), of(99), of(2)]);
    expect(others).toEqual([
      expect.objectContaining({ serviceId: world.serviceId(0), unchanged: false }),
      null,
      expect.objectContaining({ serviceId: world.serviceId(2), unchanged: false }),
    ]);
    // One transaction, one time.
    expect(others[0]?.createdAt).toEqual(others[2]?.createdAt);
    await blocker.end();
    expect(await locked).toMatchObject({ serviceId: world.serviceId(1) });
    expect((await world.stateOf(organizationId)).runs).toHaveLength(3);
  });

  it("are none of their neighbours' concern when their content goes at that moment", async () => {
    // Body 4 is of another service than its neighbours: it keeps its own locked while it waits.
    const deletion = await world.deleteContent(organizationId, 4);
    const gone = acceptance.acceptKnown(world.knownRun(organizationId, 4));
    const neighbours = [1, 2].map((body) => acceptance.acceptKnown(world.knownRun(organizationId, body)));
    expect(await Promise.all(neighbours)).not.toContain(null);
    await deletion.end();
    expect(await gone).toBeNull();
    expect((await world.stateOf(organizationId)).runs).toHaveLength(2);
  });

  it("of two organizations stay apart: a body that one has sent is unknown to the other", async () => {
    const other = await world.createOrganization({ isEmpty: true });
    const [own, foreign, own2, foreign2] = await Promise.all(
      [organizationId, other, organizationId, other].map((id, n) =>
        acceptance.acceptKnown(world.knownRun(id, n)),
      ),
    );
    expect([own, foreign, own2, foreign2].map((known) => known !== null)).toEqual([true, false, true, false]);
    expect((await world.stateOf(organizationId)).runs).toHaveLength(2);
    expect((await world.stateOf(other)).runs).toHaveLength(0);
  });
});

describe("new scans that come together", () => {
  const newRun = (run: Partial<NewScanRun> = {}): NewScanRun => ({
    ...world.knownRun(organizationId, 100),
    service: "find",
    newServiceId: randomUUID(),
    serviceName: "a",
    spec: { hash: "h".repeat(64), format: "openapi" },
    endpointCount: 2,
    findingCount: 1,
    body: Buffer.from("body"),
    bodyEncoding: "identity",
    bodyBytes: 4,
    idempotencyKey: null,
    traceParent: undefined,
    ...run,
  });

  it("are stored as each alone would be, whatever is in their texts and bodies", async () => {
    const twin = await world.createOrganization();
    const runs = [
      newRun({ serviceName: `"quoted", {braced}, \\ 'it' ü 🧭\n`, traceParent: "00-a-b-01" }),
      newRun({ spec: { hash: "x".repeat(64), format: "f", version: "", title: "NULL" }, promote: false }),
      newRun({ body: Buffer.from([0, 255, 92, 39, 0]), bodyBytes: 5, bodyHash: bodyHashOf(101) }),
      newRun({ scannedAt: new Date("2021-03-04T05:06:07.089Z"), body: Buffer.alloc(0), bodyBytes: 0 }),
      newRun({ body: Buffer.alloc(30_000, "z"), bodyBytes: 30_000, endpointCount: 0, findingCount: 0 }),
    ];
    const outcomes = await Promise.all(runs.map(acceptance.acceptNew));
    expect(outcomes.map(accepted)).toEqual(runs.map(() => "accepted"));
    for (const run of runs) {
      const single = createAcceptance(world.pool);
      await single.acceptNew({ ...run, organizationId: twin });
    }
    const left = await world.stateOf(organizationId);
    expect(left.payloads).toHaveLength(runs.length);
    expect(left).toEqual(await world.stateOf(twin));
  });

  it("of one new service make it once", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => acceptance.acceptNew(newRun({ serviceName: "made once" }))),
    );
    expect(outcomes.map(accepted)).toEqual(outcomes.map(() => "accepted"));
    const services = new Set(outcomes.map((run) => (run.outcome === "accepted" ? run.serviceId : null)));
    expect(services.size).toBe(1);
  });

  it("fail nobody but the one that can't be stored, and that with its own error", async () => {
    const runs = [
      newRun(),
      newRun({ serviceName: "b", bodyHash: Buffer.from("too short") }),
      newRun({ serviceName: "c" }),
    ];
    const [first, bad, last] = await Promise.allSettled(runs.map(acceptance.acceptNew));
    expect(first).toMatchObject({ status: "fulfilled", value: { outcome: "accepted" } });
    expect(last).toMatchObject({ status: "fulfilled", value: { outcome: "accepted" } });
    expect(bad).toMatchObject({ status: "rejected", reason: { code: "23514" } });
  });

  it("don't wait for a neighbour's service that somebody is about to make, who is told to look again", async () => {
    const maker = await world.makeService(organizationId, "taken");
    const late = acceptance.acceptNew(newRun({ serviceName: "taken" }));
    const neighbours = ["b", "c"].map((serviceName) => acceptance.acceptNew(newRun({ serviceName })));
    expect((await Promise.all(neighbours)).map(accepted)).toEqual(["accepted", "accepted"]);
    await maker.end();
    expect(await late).toEqual({ outcome: "look_again" });
  });

  it("keep their idempotency key, their given service and their large body to themselves", async () => {
    const serviceId = world.serviceId(0);
    const runs = [
      newRun({ idempotencyKey: "k" }),
      newRun({ idempotencyKey: "k" }),
      newRun({ service: { id: serviceId } }),
      // Of a service of its own: of two that make the same one at once, one is told to look again.
      newRun({ serviceName: "large", body: Buffer.alloc(300_000, 1), bodyBytes: 300_000 }),
    ];
    const outcomes = await Promise.all(runs.map(acceptance.acceptNew));
    expect(outcomes.slice(0, 2).map(accepted).toSorted()).toEqual(["accepted", "look_again"]);
    expect(outcomes[2]).toMatchObject({ outcome: "accepted", serviceId });
    expect(outcomes[3]).toMatchObject({ outcome: "accepted" });
  });
});

describe("two processes with the same services in opposite orders", () => {
  const ROUNDS = 30;
  const isDeadlock = (outcome: PromiseSettledResult<unknown>) =>
    outcome.status === "rejected" &&
    outcome.reason instanceof DatabaseError &&
    outcome.reason.code === "40P01";

  it("don't deadlock over known scans, and none is lost", async () => {
    const other = createAcceptance(world.pool);
    for (let round = 0; round < ROUNDS; round++) {
      const bodies = [0, 1, 2, 3];
      const results = await Promise.all([
        ...bodies.map((body) => acceptance.acceptKnown(world.knownRun(organizationId, body))),
        ...bodies.toReversed().map((body) => other.acceptKnown(world.knownRun(organizationId, body))),
      ]);
      expect(results).not.toContain(null);
    }
    expect((await world.stateOf(organizationId)).runs).toHaveLength(ROUNDS * 8);
  });

  it("don't deadlock over services that are new to both", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const runs = ["a", "b", "c", "d"].map((name) => ({
        ...world.knownRun(organizationId, 100),
        service: "find" as const,
        newServiceId: randomUUID(),
        serviceName: `${name}${round}`,
        spec: { hash: "h".repeat(64), format: "openapi" },
        endpointCount: 0,
        findingCount: 0,
        body: Buffer.from("body"),
        bodyEncoding: "identity" as const,
        bodyBytes: 4,
        idempotencyKey: null,
        traceParent: undefined,
      }));
      const again = runs.map((run) => ({ ...run, scanRunId: randomUUID(), newServiceId: randomUUID() }));
      const outcomes = await Promise.allSettled([
        acceptNewScanRuns(world.pool, runs),
        acceptNewScanRuns(world.pool, again.toReversed()),
      ]);
      expect(outcomes.filter(isDeadlock)).toEqual([]);
      expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
    }
  });
});

/** The same numbers each time (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
