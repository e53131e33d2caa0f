import { describe, expect, it } from "vitest";
import { startJourneyTarget, thingsJourney } from "@waymark/test-support/journey-target.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startJourneyStack } from "./support/journey-stack.ts";

describe("a run in the worker", () => {
  it("goes through its steps, and leaves the result, its steps and nothing else", async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
    const addRun = await stack.addJourney(thingsJourney(), { server: target.url });
    await stack.startWorker();
    const runId = await addRun();
    expect(await stack.ended(runId)).toMatchObject({
      status: "passed",
      error_code: null,
      current_step: null,
    });
    const result = await stack.resultOf(runId);
    expect(result).toMatchObject({
      runId,
      status: "passed",
      where: { runner: "cloud", environment: "test" },
    });
    expect(result.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "create passed",
      "add0 passed",
      "add1 passed",
      "add2 passed",
      "read passed",
      "remove passed",
      "remove skipped",
    ]);
    expect(target.requests.map(({ step }) => step)).toEqual([
      "create",
      "add0",
      "add1",
      "add2",
      "read",
      "remove",
    ]);
    expect(target.left()).toEqual([]);
    expect(await query(stack, "SELECT FROM journey_run_tickets")).toEqual([]);
  });

  it("reaches no address that the operator did not open", async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack();
    const addRun = await stack.addJourney(thingsJourney(), { server: target.url });
    await stack.startWorker();
    const row = await stack.ended(await addRun());
    expect(row).toMatchObject({ status: "error", error_code: "forbidden" });
    expect(row.error_message).toContain("no public address");
    expect(target.requests).toEqual([]);
  });

  it("ends a run that is cancelled after its teardown, and one that did not begin without it", async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
    const addRun = await stack.addJourney(thingsJourney(), { server: target.url });
    const never = await addRun();
    await query(stack, "UPDATE journey_run_tickets SET cancel_requested_at = now()");
    await stack.startWorker();
    expect(await stack.ended(never)).toMatchObject({ status: "aborted", error_code: "cancelled" });
    expect(target.requests).toEqual([]);
    const add = target.hold("add1");
    const running = await addRun();
    await add.reached();
    await query(stack, "UPDATE journey_run_tickets SET cancel_requested_at = now()");
    expect(await stack.ended(running)).toMatchObject({ status: "aborted", error_code: "cancelled" });
    expect((await stack.resultOf(running)).teardown.status).toBe("passed");
    expect(target.requests.map(({ step }) => step)).toEqual(["create", "add0", "add1", "remove"]);
    expect(target.left()).toEqual([]);
  });

  it("shows the steps of a running journey", async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
    const addRun = await stack.addJourney(thingsJourney(), { server: target.url });
    await stack.startWorker();
    const add = target.hold("add1");
    const runId = await addRun();
    await expect
      .poll(async () => (await query(stack, "SELECT FROM journey_run_steps")).length, { timeout: 60_000 })
      .toBeGreaterThan(0);
    expect(await stack.rowOf(runId)).toMatchObject({ status: "running", phase: "main" });
    add.release();
    expect(await stack.ended(runId)).toMatchObject({ status: "passed" });
  });
});
