import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { FINDING_COMMENT_LIMITS } from "@waymark/shared/scans/finding-comments/limits.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { listAllFindings } from "@waymark/test-support/findings.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeTeam, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const DECISIONS = "/api/finding-decisions";
const MESSAGES = ["is open", "has no example", "has 3 problems", "has 4 problems"];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** A service with four findings of a rule, of which the last two have the same fingerprint. */
async function newService() {
  const code = randomUUID();
  const findings = MESSAGES.map((message, index): NormalizedFinding => ({
    code,
    severity: index === 2 ? "high" : "low",
    message,
    method: "GET",
    path: "/pets",
  }));
  const { body } = await ingest(stack, { ...scanPayload({ serviceName: code, endpoints: 1 }), findings });
  await waitForRun(stack, body.scanRunId);
  const { serviceId } = body;
  const items = findings.map(({ message, method, path }) => ({
    serviceId,
    code,
    finding: { method, path, message },
  }));
  const list = () => listAllFindings(stack, { serviceId });
  return { code, serviceId, items, list };
}

type Item = Awaited<ReturnType<typeof newService>>["items"][number];

interface Created {
  decisions: { decisionId: string; serviceId: string; code: string }[];
  replacedCount: number;
  until: string;
}

const decide = (items: readonly Item[], more: object = {}, http: HttpClient = stack.http) =>
  http.request<Created>("POST", "/api/finding-decision-batches", {
    body: {
      kind: "accepted_risk",
      reason: "known",
      findings: items.map((item) => ({
        ...item,
        maxSeverity: item.finding.message === MESSAGES[2] ? "high" : "low",
      })),
      ...more,
    },
  });
const revoke = (decisions: readonly object[], http: HttpClient = stack.http) =>
  http.request<{ revokedCount: number }>("POST", "/api/finding-decision-revocations", {
    body: { decisions },
  });
const assign = (
  findings: readonly object[],
  assignee: object | null,
  http: HttpClient = stack.http,
  more: object = {},
) =>
  http.request<{ changedCount: number; unchangedCount: number }>("POST", "/api/finding-assignment-batches", {
    body: { findings, assignee, ...more },
  });

const events = async (action: string, code: string) =>
  query<Pick<AuditEvent, "details" | "requestId">>(
    stack,
    `SELECT details, request_id AS "requestId" FROM audit_events WHERE action = $1 AND details ->> 'code' = $2 ORDER BY id`,
    [action, code],
  );
const states = (findings: readonly CurrentFinding[]) =>
  Object.fromEntries(findings.map(({ message, decision }) => [message, decision?.kind ?? null]));

describe("a decision about several findings", () => {
  it("is one for each service and fingerprint, each recorded as one that was made alone", async () => {
    const [one, other] = [await newService(), await newService()];
    const { status, body } = await decide([...one.items, ...other.items.slice(0, 1)], { until: null });
    expect([status, body.replacedCount, body.decisions.length]).toEqual([201, 0, 4]);
    const known = "accepted_risk";
    expect(states(await one.list())).toEqual(Object.fromEntries(MESSAGES.map((message) => [message, known])));
    expect(states(await other.list())).toEqual({
      ...Object.fromEntries(MESSAGES.map((message) => [message, null])),
      "is open": known,
    });
    const { body: listed } = await stack.http.get<{ decisions: FindingDecision[] }>(
      `${DECISIONS}?serviceId=${one.serviceId}&code=${one.code}`,
    );
    expect(new Set(listed.decisions.map(({ id }) => id))).toEqual(
      new Set(body.decisions.flatMap(({ decisionId, code }) => (code === one.code ? [decisionId] : []))),
    );
    // The two findings with the same fingerprint have one decision, up to the higher severity.
    expect(listed.decisions.map(({ findingCount, maxSeverity }) => [findingCount, maxSeverity])).toEqual(
      expect.arrayContaining([
        [1, "low"],
        [2, "high"],
      ]),
    );
    const recorded = await events("finding_decision.created", one.code);
    expect(recorded).toHaveLength(3);
    expect(new Set(recorded.map(({ requestId }) => requestId)).size).toBe(1);
    expect(recorded.map(({ details }) => details)).toEqual(
      expect.arrayContaining([
        {
          decisionId: expect.any(String),
          serviceId: one.serviceId,
          kind: "accepted_risk",
          code: one.code,
          finding: one.items[0]?.finding,
          maxSeverity: "low",
          reason: "known",
          until: body.until,
        },
      ]),
    );
  });

  it("goes up to the highest severity of findings with the same fingerprint, in any order", async () => {
    for (const order of [
      [2, 3],
      [3, 2],
    ]) {
      const { items, code } = await newService();
      await decide(order.flatMap((index) => items[index] ?? []));
      const { body } = await stack.http.get<{ decisions: FindingDecision[] }>(`${DECISIONS}?code=${code}`);
      expect(body.decisions.map(({ maxSeverity }) => maxSeverity)).toEqual(["high"]);
    }
  });

  it("is undone for all of them, also after somebody has replaced one", async () => {
    const { items, code, serviceId, list } = await newService();
    const { body } = await decide(items);
    await decide(items.slice(0, 1), { kind: "wont_fix" });
    const revoked = await revoke(body.decisions.map(({ decisionId }) => ({ serviceId, decisionId })));
    expect(revoked.body).toEqual({ revokedCount: 2 });
    expect(states(await list())).toEqual({
      ...Object.fromEntries(MESSAGES.map((message) => [message, null])),
      "is open": "wont_fix",
    });
    expect(await events("finding_decision.deleted", code)).toHaveLength(2);
    // One of another service than the named one stays.
    const { serviceId: another } = await newService();
    const { body: again } = await decide(items.slice(1, 2));
    const wrong = again.decisions.map(({ decisionId }) => ({ serviceId: another, decisionId }));
    expect((await revoke(wrong)).body).toEqual({ revokedCount: 0 });
  });

  it("says how many decisions it replaced that held", async () => {
    const { items } = await newService();
    await decide(items.slice(0, 2));
    expect((await decide(items, { kind: "false_positive" })).body.replacedCount).toBe(2);
    await query(stack, "UPDATE finding_decisions SET until = '2020-01-01'");
    expect((await decide(items)).body.replacedCount).toBe(0);
  });

  it("is refused as a whole for one finding of a service that the key may not decide about", async () => {
    const [mine, other] = [await newService(), await newService()];
    const key = await createKey(stack, [
      { permission: "findings:decide", serviceId: mine.serviceId },
      "endpoints:read",
    ]);
    const http = createHttpClient(stack.api.baseUrl, { key });
    const unknown = { ...other.items[0], serviceId: randomUUID() } as Item;
    const refused = [
      await decide([...mine.items, ...other.items.slice(0, 1)], {}, http),
      await decide([...mine.items, unknown], {}, http),
      await assign([...mine.items, other.items[0] ?? {}], null, http),
      await assign([...mine.items, unknown], null, http),
      await revoke([{ serviceId: other.serviceId, decisionId: randomUUID() }], http),
    ];
    // A service of others and one that does not exist get one answer.
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    const texts = refused.map((answer) => JSON.stringify({ ...errorOf(answer), requestId: null }));
    expect(new Set(texts).size).toBe(1);
    expect(states(await mine.list())).toEqual(Object.fromEntries(MESSAGES.map((message) => [message, null])));
    expect((await decide(mine.items, {}, http)).status).toBe(201);
    const missing = await decide([...mine.items, unknown]);
    expect([missing.status, errorOf(missing).message]).toEqual([
      404,
      "There is no service with the id of findings[4].serviceId.",
    ]);
  });

  it("has limits, and says where a fault is", async () => {
    const { items } = await newService();
    const [first] = items;
    if (first === undefined) throw new Error("no finding");
    const many = Array.from({ length: DECISION_LIMITS.perRequestMax }, (_, index) => ({
      ...first,
      finding: { ...first.finding, path: `/${"x".repeat(index)}` },
    }));
    expect((await decide(many)).status).toBe(201);
    const wrong = [
      await decide([...many, first]),
      await decide([]),
      await decide(items, { reason: " " }),
      await decide(items, { until: "2020-01-01" }),
      await decide([{ ...first, finding: { ...first.finding, message: `is ${stack.apiKey}` } }]),
      await assign([{ ...first, code: stack.apiKey }], null),
      await decide([{ ...first, finding: { ...first.finding, path: `/${stack.apiKey}` } }]),
      await assign([], null),
      await revoke([]),
    ];
    expect(wrong.map((answer) => [answer.status, errorOf(answer).details?.[0]?.path])).toEqual([
      [400, "findings"],
      [400, "findings"],
      [400, "reason"],
      [400, "until"],
      [400, "findings[0].finding.message"],
      [400, "findings[0].code"],
      [400, "findings[0].finding.path"],
      [400, "findings"],
      [400, "decisions"],
    ]);
  });
});

describe("an assignment of several findings", () => {
  it("is to a user, a team or nobody, recorded for each finding that changed", async () => {
    const { items, code, list } = await newService();
    const eve = await storeUser(stack, { displayName: "Eve", roles: ["viewer"] });
    await storeTeam(stack, "payments");
    const to = { principalId: eve.id };
    expect((await assign(items, to)).body).toEqual({ changedCount: 3, unchangedCount: 0 });
    expect((await assign(items, to)).body).toEqual({ changedCount: 0, unchangedCount: 3 });
    expect((await assign(items.slice(0, 1), { team: "payments" })).body).toMatchObject({ changedCount: 1 });
    const names = async () =>
      Object.fromEntries(
        (await list()).map(({ message, assignee }) => [message, assignee?.displayName ?? null]),
      );
    expect(await names()).toEqual({
      "is open": "payments",
      "has no example": "Eve",
      "has 3 problems": "Eve",
      "has 4 problems": "Eve",
    });
    const recorded = await events("finding.assigned", code);
    expect(recorded.map(({ details }) => details["principalId"] ?? details["team"])).toEqual([
      eve.id,
      eve.id,
      eve.id,
      "payments",
    ]);
    expect((await assign(items, null)).body).toMatchObject({ changedCount: 3 });
    expect(Object.values(await names())).toEqual([null, null, null, null]);
  });

  it("is refused as a whole for a service that is full, and names its place", async () => {
    const [one, full] = [await newService(), await newService()];
    await query(
      stack,
      `INSERT INTO finding_assignments (organization_id, service_id, fingerprint, id, code, message, team_id, assigned_by_key_id)
       SELECT $1, $2, gen_random_uuid(), gen_random_uuid(), 'other', 'm', $3, $2 FROM generate_series(1, $4::int)`,
      [
        stack.organizationId,
        full.serviceId,
        await storeTeam(stack, "full"),
        FINDING_COMMENT_LIMITS.perServiceMax,
      ],
    );
    const free = one.items.slice(0, 2);
    const refused = await assign([...free, ...full.items.slice(0, 1)], { team: "full" });
    expect([refused.status, errorOf(refused).code, errorOf(refused).message]).toEqual([
      409,
      "limit_reached",
      "A service has at most 10,000 assigned findings. End some of the assignments of the service with the id of findings[2].serviceId.",
    ]);
    expect((await one.list()).map(({ assignee }) => assignee)).toEqual([null, null, null, null]);
    expect((await assign(free, { team: "full" })).body).toMatchObject({ changedCount: 2 });
  });

  it("is limited to those that somebody has, or nobody, so that what others have changed since stays", async () => {
    const { items, list } = await newService();
    const [first = {}, second = {}] = items;
    const store = async (name: string) => {
      const { id } = await storeUser(stack, { displayName: name, roles: ["viewer"] });
      return { principalId: id };
    };
    const [ada, bob, eve] = [await store("Ada"), await store("Bob"), await store("Eve")];
    const slug = `t-${randomUUID().slice(0, 8)}`;
    await storeTeam(stack, slug);
    await assign(items, ada);
    await assign([first], bob);
    await assign([second], null);
    const names = async () =>
      (await list()).map(({ assignee }) => assignee?.displayName ?? "nobody").toSorted();
    const change = async (to: object | null, ifAssignee: object | null) =>
      (await assign(items, to, stack.http, { ifAssignee })).body;
    expect(await change(eve, ada)).toEqual({ changedCount: 1, unchangedCount: 2 });
    expect(await names()).toEqual(["Bob", "Eve", "Eve", "nobody"]);
    expect(await change({ team: slug }, null)).toEqual({ changedCount: 1, unchangedCount: 2 });
    expect(await change(null, { team: slug })).toEqual({ changedCount: 1, unchangedCount: 2 });
    expect(await change(null, ada)).toEqual({ changedCount: 0, unchangedCount: 3 });
    expect(await change(null, null)).toEqual({ changedCount: 0, unchangedCount: 3 });
    expect(await names()).toEqual(["Bob", "Eve", "Eve", "nobody"]);
  });

  it("is refused as a whole for a user who may not read one of the services", async () => {
    const [one, other] = [await newService(), await newService()];
    const { id } = await storeUser(stack, { displayName: "Bob", roles: [] });
    await stack.http.post(`/api/principals/${id}/role-grants`, { role: "viewer", serviceNames: [one.code] });
    expect((await assign(one.items, { principalId: id })).status).toBe(200);
    const refused = await assign([...one.items, ...other.items], { principalId: id });
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, "assignee.principalId"]);
    const unknown = await assign(one.items, { team: "nobody-here" });
    expect([unknown.status, errorOf(unknown).details?.[0]?.path]).toEqual([400, "assignee.team"]);
    expect((await other.list()).every(({ assignee }) => assignee === null)).toBe(true);
  });
});
