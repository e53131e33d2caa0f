import type { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BREAK,
  BUY,
  type CoverageStack,
  REFUND,
  startCoverageStack,
} from "@waymark/test-support/journey-coverage/stack.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { query } from "@waymark/test-support/sql.ts";

let world: CoverageStack;
beforeAll(async () => {
  world = await startCoverageStack();
});
afterAll(() => world[Symbol.asyncDispose]());

const states = ({ criteria }: JourneyCoverage) =>
  Object.fromEntries(criteria.map(({ id, state }) => [id, state]));
const operationsOf = ({ operations }: JourneyCoverage, state: string) =>
  operations
    .filter((operation) => operation.state === state)
    .map(({ serviceName, method, path }) => `${serviceName} ${method} ${path}`);

describe("before any run", () => {
  it("every criterion is known and none proven, and no operation is called", async () => {
    const before = await world.coverage();
    expect(states(before)).toEqual({
      "AC-1": "notRun",
      "AC-2": "notRun",
      "AC-3": "unproven",
      "AC-4": "notRun",
      "AC-5": "notRun",
      "AC-6": "notRun",
      "AC-7": "notRun",
    });
    expect(before.shares.operations).toEqual({ covered: 0, total: 34 });
    expect(before.notInInventoryCount).toBe(0);
  });

  it("a service tells who calls it", async () => {
    const { body } = await world.stack.http.get<{
      journeys: { path: string; operations: { method: string; path: string; isInInventory: boolean }[] }[];
    }>(`/api/services/${world.edgeId}/journeys`);
    expect(
      body.journeys.map(({ path, operations }) => [
        path,
        operations.map((one) => `${one.method} ${one.path} ${one.isInInventory}`).toSorted(),
      ]),
    ).toEqual([
      ["break.journey.json", ["GET /broken false"]],
      ["buy.journey.json", ["GET /items true", "GET /items/{itemId} true", "GET /status false"]],
    ]);
  });
});

describe("after runs", () => {
  let buyRun: string;
  beforeAll(async () => {
    buyRun = await world.run("buy.journey.json");
    await world.run("break.journey.json");
    await world.run("partial.overlay.json");
  });

  it("the coverage is what a count by hand gives", async () => {
    const counted = await world.coverage();
    // AC-6 is the base's: the variant proves it. The variant has nothing that proves AC-7.
    expect(states(counted)).toEqual({
      "AC-1": "proven",
      "AC-2": "proven",
      "AC-3": "unproven",
      "AC-4": "failed",
      "AC-5": "notRun",
      "AC-6": "proven",
      "AC-7": "unproven",
    });
    expect(counted.criteriaByState).toEqual({ proven: 3, failed: 1, stale: 0, notRun: 1, unproven: 2 });
    expect(operationsOf(counted, "asserted")).toEqual([
      "edge GET /v1/items",
      "edge GET /v1/items/{key}",
      "shop GET /items",
      "shop POST /orders",
      "shop GET /orders/{ordersId}",
      "shop POST /refunds",
    ]);
    expect(operationsOf(counted, "called")).toEqual(["shop GET /stores"]);
    expect(operationsOf(counted, "notInInventory")).toEqual(["edge GET /broken", "edge GET /status"]);
    // 30 of the shop and 4 of the edge, less the 7 above.
    expect(operationsOf(counted, "uncalled")).toHaveLength(27);
    expect(operationsOf(counted, "uncalled")).toEqual(
      expect.arrayContaining(["edge GET /v1/itemsets", "edge GET /v10/items", "shop GET /taxes"]),
    );
    expect(counted.shares).toEqual({
      acceptance: { covered: 3, total: 7 },
      must: { covered: 2, total: 5 },
      operations: { covered: 7, total: 34 },
      asserted: { covered: 6, total: 34 },
    });
  });

  it("says by which step and run a criterion is proven, and who calls an operation", async () => {
    const { criteria, operations } = await world.coverage();
    expect(criteria.find(({ id }) => id === "AC-2")).toMatchObject({
      journeyPath: "buy.journey.json",
      severity: "should",
      verdict: {
        runId: buyRun,
        journeyPath: "buy.journey.json",
        version: 1,
        environmentName: "test",
        origin: "cloud",
        by: ["order#ok", "read#ok"],
      },
    });
    expect(criteria.find(({ id }) => id === "AC-6")).toMatchObject({
      journeyPath: "refund.journey.json",
      verdict: { journeyPath: "partial.overlay.json" },
    });
    expect(operations.find(({ path }) => path === "/orders/{ordersId}")).toMatchObject({
      statuses: [200],
      calls: 1,
      journeys: [{ path: "buy.journey.json" }],
    });
  });

  it("is that of one service, environment or severity, where one is asked for", async () => {
    const edge = await world.coverage(`serviceId=${world.edgeId}`);
    expect(Object.keys(states(edge))).toEqual(["AC-4", "AC-5", "AC-1", "AC-2", "AC-3"]);
    expect(edge.shares.operations).toEqual({ covered: 2, total: 4 });
    const { body } = await world.stack.http.post<{ id: string }>("/api/environments", { name: "other" });
    const other = await world.coverage(`environmentId=${body.id}`);
    expect(other.shares).toMatchObject({ acceptance: { covered: 0, total: 7 }, operations: { covered: 0 } });
    expect(Object.keys(states(await world.coverage("severity=should")))).toEqual(["AC-2"]);
  });

  it("is given in pages, and only its gaps where they are asked for", async () => {
    const whole = await world.coverage();
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await world.coverage(
        `limit=5${cursor === undefined ? "" : `&operationsCursor=${cursor}`}`,
      );
      expect(page.operations.length).toBeLessThanOrEqual(5);
      expect(page.shares).toEqual(whole.shares);
      paged.push(...page.operations.map(({ method, path }) => `${method} ${path}`));
      cursor = page.operationsCursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(whole.operations.map(({ method, path }) => `${method} ${path}`));
    const gaps = await world.coverage("gaps=true");
    expect(gaps.shares).toEqual(whole.shares);
    expect(gaps.criteria).toEqual(whole.criteria.filter(({ state }) => state !== "proven"));
    expect(gaps.operations).toEqual(whole.operations.filter(({ state }) => state !== "asserted"));
  });

  it("has the same totals without the lists, for any filter", async () => {
    const filters = [
      "",
      "window=9",
      "severity=must",
      "origin=uploaded",
      "gaps=true",
      `serviceId=${world.edgeId}`,
    ];
    for (const filter of filters) {
      const { since: _, ...totals } = await world.coverage(`${filter}&totals=true`);
      const { since: __, operationsCursor: _o, criteriaCursor: _c, ...whole } = await world.coverage(filter);
      expect(totals).toEqual({ ...whole, criteria: [], operations: [] });
    }
  });

  it("leaves out a service that is archived, unless it is asked for", async () => {
    const before = await world.coverage();
    const archive = (archived: boolean) =>
      world.stack.http.request("PATCH", `/api/services/${world.edgeId}`, { body: { archived } });
    await archive(true);
    for (const search of ["", "totals=true"]) {
      const { shares, notInInventoryCount, operations } = await world.coverage(search);
      expect(shares.operations).toEqual({ covered: 5, total: 30 });
      expect(notInInventoryCount).toBe(0);
      expect(operations.filter(({ serviceName }) => serviceName !== "shop")).toEqual([]);
    }
    for (const search of ["", "&totals=true"]) {
      const { shares } = await world.coverage(`serviceId=${world.edgeId}${search}`);
      expect(shares.operations).toEqual({ covered: 2, total: 4 });
    }
    await archive(false);
    expect((await world.coverage()).shares).toEqual(before.shares);
  });

  it("adds to the calls of a version with each of its runs", async () => {
    await world.run("buy.journey.json");
    const { operations } = await world.coverage();
    expect(operations.find(({ path }) => path === "/orders/{ordersId}")).toMatchObject({ calls: 2 });
  });

  it("counts uploaded results, and leaves them out by their origin", async () => {
    const before = await world.coverage();
    // As an upload ends: a run of another origin with the facts of the failed one, passed.
    await query(
      world.stack,
      `WITH uploaded AS (
         INSERT INTO journey_runs SELECT n.* FROM journey_runs r
         CROSS JOIN LATERAL jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'origin', 'uploaded',
           'status', 'running', 'result_hash', NULL, 'outcome_digest', NULL, 'ended_at', NULL)) n
         WHERE r.document_id = $1 RETURNING organization_id, id, artifact_hash
       ), operations AS (
         INSERT INTO journey_run_operations
         SELECT u.organization_id, u.id, b.ordinal, b.source, b.method, b.path, 1, '{200}', true
         FROM uploaded u JOIN build_operations b USING (organization_id, artifact_hash))
       INSERT INTO journey_run_criteria
       SELECT u.organization_id, u.id, b.owner_document_id, b.criterion_id, 'proven'
       FROM uploaded u JOIN build_criteria b USING (organization_id, artifact_hash)`,
      [world.ids.get("break.journey.json")],
    );
    await query(
      world.stack,
      `UPDATE journey_runs u SET status = 'passed', ended_at = now(), outcome_digest = r.outcome_digest, result_hash = r.result_hash
       FROM journey_runs r WHERE u.origin = 'uploaded' AND r.origin = 'cloud' AND r.document_id = u.document_id`,
    );
    const both = await world.coverage();
    // A run of the cloud runner says that AC-4 failed: an upload does not hide that.
    expect(states(both)).toEqual({ ...states(before), "AC-5": "proven" });
    expect(both.criteria.find(({ id }) => id === "AC-5")?.verdict?.origin).toBe("uploaded");
    expect(operationsOf(both, "asserted")).toEqual([...operationsOf(before, "asserted"), "shop GET /taxes"]);
    const cloud = await world.coverage("origin=cloud");
    expect(states(cloud)).toEqual(states(before));
    expect(cloud.operations).toEqual(before.operations);
    expect(states(await world.coverage("origin=uploaded"))).toMatchObject({
      "AC-1": "notRun",
      "AC-4": "proven",
    });
  });

  it("a new version makes the proofs stale, and its own run proves again", async () => {
    await world.store("buy.journey.json", BUY("Buy more"), 1);
    const after = await world.coverage();
    expect(states(after)).toMatchObject({ "AC-1": "stale", "AC-2": "stale", "AC-6": "proven" });
    expect(after.criteria.find(({ id }) => id === "AC-1")?.verdict).toMatchObject({
      version: 1,
      runId: expect.any(String),
    });
    expect(operationsOf(after, "asserted")).toEqual(["shop POST /refunds", "shop GET /taxes"]);
    await world.run("buy.journey.json");
    expect(states(await world.coverage())).toMatchObject({ "AC-1": "proven", "AC-2": "proven" });
  });

  it("a new version of a base makes the proofs of its variants stale", async () => {
    await world.store("refund.journey.json", `${REFUND}\n`, 1);
    expect(states(await world.coverage())).toMatchObject({ "AC-6": "stale" });
    await world.run("partial.overlay.json");
    expect(states(await world.coverage())).toMatchObject({ "AC-6": "proven", "AC-7": "unproven" });
  });

  it("a draft that does not compile takes nothing out of the coverage, and a failure stays one until something newer ran", async () => {
    const { headVersion } = (
      await world.stack.http.get<{ headVersion: number }>(
        `/api/journeys/${world.ids.get("break.journey.json")}`,
      )
    ).body;
    await storeDocument(world.stack, {
      path: "break.journey.json",
      text: BREAK.replace("get-broken", "gone"),
      baseVersion: headVersion,
    });
    expect(states(await world.coverage())).toMatchObject({ "AC-4": "failed", "AC-5": "stale" });
  });

  it("what ended before the window does not count", async () => {
    await query(world.stack, "UPDATE journey_criterion_verdicts SET ended_at = ended_at - interval '8 days'");
    await query(
      world.stack,
      "UPDATE journey_operation_calls SET called_at = called_at - interval '8 days', asserted_at = asserted_at - interval '8 days'",
    );
    expect((await world.coverage("window=9")).shares.acceptance.covered).toBe(3);
    const { shares, criteriaByState } = await world.coverage("window=7");
    expect(shares).toMatchObject({ acceptance: { covered: 0 }, operations: { covered: 0, total: 34 } });
    expect(criteriaByState).toMatchObject({ proven: 0, stale: 0, notRun: 6, unproven: 1 });
  });
});
