import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CurrentFinding, FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type {
  FindingDetails,
  NormalizedFinding,
  ScanIngestionResult,
  Severity,
} from "@waymark/shared/scans/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());
beforeEach(async () => {
  await query(stack, "UPDATE services SET archived_at = now()");
  await setDays({ critical: 7, high: 30 });
});

const setDays = (dueDays: object) =>
  stack.http.request("PUT", "/api/severity-policy", { body: { rules: [], dueDays } });

const finding = (severity: Severity, message = "m"): NormalizedFinding => ({
  code: "rule",
  severity,
  message,
  method: "GET",
  path: "/a",
});

async function scan(
  serviceName: string,
  findings: NormalizedFinding[],
  headers: Record<string, string> = {},
) {
  const { body } = await stack.http.post<ScanIngestionResult>(
    "/api/scans/ingest",
    { ...scanPayload({ serviceName, endpoints: 1 }), findings },
    { headers },
  );
  await waitForRun(stack, body.scanRunId);
  return body;
}

/** As if the service had had all of its contents for so many days, whether a worker has derived its rules or not. */
const age = (serviceId: string, days: number) =>
  query(
    stack,
    `WITH forgotten AS (DELETE FROM service_derivations WHERE service_id = $1)
     UPDATE service_snapshots SET first_seen_at = now() - $2 * interval '1 day' WHERE service_id = $1`,
    [serviceId, days],
  );

async function overdue(search = "", key?: string): Promise<string[]> {
  const { body } = await stack.http.get<{ findings: CurrentFinding[] }>(
    `/api/findings?due=overdue${search}`,
    key === undefined ? {} : { key },
  );
  expect(body.findings.every(({ isOverdue }) => isOverdue)).toBe(true);
  return body.findings.map(({ severity, message }) => `${severity} ${message}`);
}

const details = async (scanRunId: string) =>
  (await stack.http.get<FindingDetails>(`/api/scan-runs/${scanRunId}/findings/0`)).body;

describe("a finding's deadline", () => {
  it("counts from the first day in the service, with the severity that it has now", async () => {
    const name = randomUUID();
    const { serviceId } = await scan(name, [finding("high")]);
    await age(serviceId, 20);
    expect(await overdue()).toEqual([]);
    const risen = await scan(name, [finding("critical")]);
    expect(await overdue()).toEqual(["critical m"]);
    expect(await details(risen.scanRunId)).toMatchObject({ isOverdue: true });
    await scan(name, [finding("medium")]);
    expect(await overdue()).toEqual([]);
  });

  it("stays when the finding was fixed and comes back", async () => {
    const name = randomUUID();
    const { serviceId } = await scan(name, [finding("critical")]);
    await age(serviceId, 20);
    await scan(name, []);
    expect(await overdue()).toEqual([]);
    await scan(name, [finding("critical"), finding("critical", "new")]);
    expect(await overdue()).toEqual(["critical m"]);
  });

  it("changes at once with the policy, and is none without days", async () => {
    const { serviceId, scanRunId } = await scan(randomUUID(), [finding("low")]);
    await age(serviceId, 20);
    expect(await details(scanRunId)).toMatchObject({ dueOn: null, isOverdue: false });
    await setDays({ low: 19 });
    expect(await overdue()).toEqual(["low m"]);
    const { dueOn } = await details(scanRunId);
    await setDays({ low: 21 });
    expect(await overdue()).toEqual([]);
    const later = await details(scanRunId);
    expect(Date.parse(later.dueOn ?? "") - Date.parse(dueOn ?? "")).toBe(2 * 24 * 3600 * 1000);
    await setDays({});
    expect(await details(scanRunId)).toMatchObject({ dueOn: null, isOverdue: false });
  });

  it("has passed while a decision covers it, and counts again when the decision ends", async () => {
    const { serviceId, scanRunId } = await scan(randomUUID(), [finding("critical")]);
    await age(serviceId, 20);
    const { dueOn } = await details(scanRunId);
    const decision = { kind: "wont_fix", reason: "r", serviceId, code: "rule" };
    await stack.http.post("/api/finding-decisions", decision);
    expect(await overdue()).toEqual([]);
    expect(await details(scanRunId)).toMatchObject({ dueOn, isOverdue: false });
    await query(stack, "UPDATE finding_decisions SET until = '2020-01-01' WHERE service_id = $1", [
      serviceId,
    ]);
    expect(await overdue()).toEqual(["critical m"]);
    expect(await details(scanRunId)).toMatchObject({ dueOn, isOverdue: true });
  });

  it("is of a service's current run only: none in earlier, held and archived ones", async () => {
    const name = randomUUID();
    const first = await scan(name, [finding("critical")]);
    const second = await scan(name, [finding("critical"), finding("critical", "other")]);
    await age(first.serviceId, 20);
    const held = await scan(name, [finding("critical"), finding("critical", "held")], {
      "waymark-promote": "false",
    });
    expect(await overdue()).toEqual(["critical m", "critical other"]);
    expect(await details(second.scanRunId)).toMatchObject({ isOverdue: true });
    for (const { scanRunId } of [first, held])
      expect(await details(scanRunId)).toMatchObject({ dueOn: null, isOverdue: false });
    const service = `/api/services/${first.serviceId}`;
    expect((await stack.http.get<Service>(service)).body.overdueFindingCount).toBe(2);
    await stack.http.request("PATCH", service, { body: { archived: true } });
    expect(await overdue()).toEqual([]);
    expect((await stack.http.get<Service>(service)).body.overdueFindingCount).toBe(0);
    expect(await details(second.scanRunId)).toMatchObject({ dueOn: null, isOverdue: false });
  });
});

describe("overdue findings", () => {
  it("are those of its services for a key that is limited to them, and of nobody else's organization", async () => {
    const [own, others] = [
      await scan("own", [finding("critical", "own")]),
      await scan("others", [finding("critical", "other")]),
    ];
    for (const { serviceId } of [own, others]) await age(serviceId, 20);
    const key = await createKey(stack, [
      { permission: "endpoints:read", serviceId: own.serviceId },
      { permission: "services:read", serviceId: own.serviceId },
    ]);
    expect(await overdue("", key)).toEqual(["critical own"]);
    expect(await overdue(`&serviceId=${others.serviceId}`, key)).toEqual([]);
    const of = async <T>(path: string, as: string) => (await stack.http.get<T>(path, { key: as })).body;
    const summary = await of<FindingSummary>("/api/findings/summary", key);
    expect(summary.findingsByDue).toEqual({ overdue: 1, soon: 0 });
    const overview = await of<Overview>("/api/overview", key);
    expect(overview).toMatchObject({ overdueFindingCount: 1, overdueServiceCount: 1 });
    expect(overview.overdueServices.map(({ serviceName }) => serviceName)).toEqual(["own"]);
    const { apiKey } = await createHostedOrganization(stack.databaseUrl);
    // The policy of another organization is another one, too.
    expect(await overdue("", apiKey)).toEqual([]);
    expect((await of<FindingSummary>("/api/findings/summary", apiKey)).findingsByDue.overdue).toBe(0);
    const strangers = await of<Overview>("/api/overview", apiKey);
    expect(strangers).toMatchObject({ overdueFindingCount: 0, overdueServices: [] });
  });

  it("are counted whole in the overview, of which the list has some services", async () => {
    for (const [name, count] of [
      ["c-2", 2],
      ["b-1", 1],
      ["a-1", 1],
    ] as const) {
      const findings = Array.from({ length: count }, (_, n) => finding("critical", `${n}`));
      await age((await scan(name, findings)).serviceId, 20);
    }
    const { body } = await stack.http.get<Overview>("/api/overview?rows=2");
    expect(
      body.overdueServices.map(({ serviceName, overdueFindingCount }) => [serviceName, overdueFindingCount]),
    ).toEqual([
      ["c-2", 2],
      ["a-1", 1],
    ]);
    expect([body.overdueFindingCount, body.overdueServiceCount]).toEqual([4, 3]);
  });

  it("are due soon for a week before, in days of UTC", async () => {
    await setDays({ info: 10 });
    const { serviceId } = await scan(randomUUID(), [finding("info")]);
    const today = () => query(stack, "SELECT now()::date::text AS day");
    const stateAfter = async (days: number): Promise<FindingSummary["findingsByDue"]> => {
      const before = await today();
      await age(serviceId, days);
      const { body } = await stack.http.get<FindingSummary>("/api/findings/summary");
      // At midnight, it is a day older.
      return isDeepStrictEqual(await today(), before) ? body.findingsByDue : stateAfter(days);
    };
    expect(await stateAfter(2)).toEqual({ overdue: 0, soon: 0 });
    expect(await stateAfter(3)).toEqual({ overdue: 0, soon: 1 });
    expect(await stateAfter(10)).toEqual({ overdue: 0, soon: 1 });
    expect(await stateAfter(11)).toEqual({ overdue: 1, soon: 0 });
  });

  it.each(["today", "OVERDUE", ""])("are refused as %j", async (due) => {
    expect((await stack.http.get(`/api/findings?due=${due}`)).status).toBe(400);
  });
});
