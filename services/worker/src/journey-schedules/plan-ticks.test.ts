import type { ClaimedSchedule } from "@waymark/server/journey-schedules/work.queries.ts";
import { describe, expect, it } from "vitest";
import { planTicks } from "./plan-ticks.ts";

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

function schedule(more: Partial<ClaimedSchedule>): ClaimedSchedule {
  return {
    organizationId: "o",
    id: "s",
    documentId: "d",
    version: null,
    environmentId: "e",
    cron: "0 * * * *",
    timeZone: "UTC",
    overlap: "skip",
    catchUp: "none",
    jitterSeconds: 0,
    nextDueAt: at("10:00:00"),
    nextAt: at("10:00:00"),
    isWaiting: false,
    revision: 1,
    keyId: "k",
    claimedAt: at("10:00:01"),
    ...more,
  };
}

describe("ticks that are due", () => {
  it("are one in the ordinary case, and the next is that of the expression", () => {
    expect(planTicks(schedule({}))).toMatchObject({
      passed: [],
      current: { dueAt: at("10:00:00") },
      isLate: false,
      next: { dueAt: at("11:00:00"), startAt: at("11:00:00") },
    });
  });

  it("are passed but for the newest after an outage, which is late only if nobody looked for 5 minutes", () => {
    const outage = { nextDueAt: at("07:00:00"), nextAt: at("07:00:00") };
    const passed = ["07:00:00", "08:00:00", "09:00:00"].map((time) => ({
      dueAt: at(time),
      hasWaited: false,
    }));
    const inTime = planTicks(schedule({ ...outage, claimedAt: at("10:04:59") }));
    expect(inTime).toMatchObject({ passed, current: { dueAt: at("10:00:00") }, isLate: false });
    const late = planTicks(schedule({ ...outage, claimedAt: at("10:05:01") }));
    expect(late).toMatchObject({ passed, current: { dueAt: at("10:00:00") }, isLate: true });
  });

  it("are late by when they were to be looked at, which is after the jitter", () => {
    const late = { nextAt: at("10:03:00"), claimedAt: at("10:07:00") };
    expect(planTicks(schedule(late))).toMatchObject({ isLate: false });
  });

  it("are not late when they have waited for a run, until the next one is due", () => {
    const waiting = { isWaiting: true, claimedAt: at("10:58:00") };
    expect(planTicks(schedule(waiting))).toMatchObject({ passed: [], isLate: false });
    expect(planTicks(schedule({ ...waiting, claimedAt: at("11:00:03") }))).toMatchObject({
      passed: [{ dueAt: at("10:00:00"), hasWaited: true }],
      current: { dueAt: at("11:00:00"), hasWaited: false },
    });
  });

  it("are decided about in parts after a very long outage, and none of the first part is started", () => {
    const long = { cron: "*/5 * * * *", nextDueAt: new Date("2025-01-01"), nextAt: new Date("2025-01-01") };
    const plan = planTicks(schedule(long));
    expect(plan.passed).toHaveLength(1_000);
    expect(plan.current).toBeNull();
    expect(plan.next.dueAt).toEqual(new Date(Date.UTC(2025, 0, 1) + 1_000 * 300_000));
  });
});
