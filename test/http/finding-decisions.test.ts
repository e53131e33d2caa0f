import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Page {
  decisions: FindingDecision[];
  nextCursor?: string;
}

const PATH = "/api/finding-decisions";
const finding = { method: "GET" as const, path: "/pets/{id}", message: "has 3 problems" };

/** A service with two findings of a rule that one decision covers, another one of the rule, and one of another rule. */
async function newService() {
  const name = randomUUID();
  const code = randomUUID();
  const of = (changes: Partial<NormalizedFinding>): NormalizedFinding => ({
    code,
    severity: "high",
    ...finding,
    ...changes,
  });
  const findings = [
    of({}),
    of({ path: "/pets/{petId}", message: "has 4 problems" }),
    of({ path: "/owners" }),
    of({ code: "no-tags" }),
  ];
  const { body } = await ingest(stack, { ...scanPayload({ serviceName: name, endpoints: 1 }), findings });
  await waitForRun(stack, body.scanRunId);
  const { serviceId, scanRunId } = body;
  const decide = (more: object, http = stack.http) =>
    http.request<FindingDecision>("POST", PATH, {
      body: { kind: "accepted_risk", serviceId, code, reason: "known", ...more },
    });
  const list = async (search = "") =>
    (await stack.http.get<Page>(`${PATH}?serviceId=${serviceId}&code=${code}${search}`)).body;
  return { name, code, serviceId, scanRunId, decide, list };
}

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe("decisions about findings", () => {
  it("are for one finding, a rule in a service, or a rule everywhere, and say how many they are for", async () => {
    const { name, code, serviceId, decide, list } = await newService();
    const until = daysFromNow(30);
    const one = await decide({ finding, until });
    const rule = await decide({ kind: "wont_fix" });
    const everywhere = await decide({ kind: "false_positive", serviceId: null });
    expect([one.status, rule.status, everywhere.status]).toEqual([201, 201, 201]);
    const common = { state: "active", code, reason: "known", decidedBy: expect.any(String) };
    const expected = [
      {
        ...common,
        kind: "false_positive",
        serviceId: null,
        serviceName: null,
        finding: null,
        findingCount: 3,
      },
      { ...common, kind: "wont_fix", serviceId, serviceName: name, finding: null, findingCount: 3 },
      { ...common, kind: "accepted_risk", serviceId, serviceName: name, finding, until, findingCount: 2 },
    ];
    expect([everywhere.body, rule.body, one.body]).toMatchObject(expected);
    expect((await list()).decisions).toMatchObject(expected);
  });

  it("are counted the same before and after a worker has derived the rules", async () => {
    const { decide, list, serviceId } = await newService();
    await decide({ finding });
    await query(stack, "DELETE FROM service_derivations WHERE service_id = $1", [serviceId]);
    expect((await list()).decisions).toMatchObject([{ findingCount: 2 }]);
    await query(
      stack,
      `SELECT set_config('waymark.organization_id', $1::text, true), index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
      [stack.organizationId],
    );
    expect((await list()).decisions).toMatchObject([{ findingCount: 2 }]);
  });

  it("are replaced by the next for the same target: numbers and names of path parameters make no other one", async () => {
    const { decide, list } = await newService();
    await decide({ finding });
    await decide({
      finding: { ...finding, path: "/pets/{x}", message: "has 99 problems" },
      reason: "really",
    });
    await decide({ finding: { ...finding, message: "has no problems" } });
    expect((await list()).decisions).toMatchObject([
      { finding: { message: "has no problems" }, findingCount: 0 },
      { finding: { message: "has 99 problems" }, reason: "really", findingCount: 2 },
    ]);
  });

  it("hold for the organization's maximum if no day is given, and no longer", async () => {
    const { decide } = await newService();
    expect((await decide({})).body.until).toBe(daysFromNow(DECISION_LIMITS.daysMaxDefault));
    expect((await decide({ until: daysFromNow(DECISION_LIMITS.daysMaxDefault) })).status).toBe(201);
    const refused = await decide({ until: daysFromNow(DECISION_LIMITS.daysMaxDefault + 1) });
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, "until"]);
    await query(stack, "UPDATE organizations SET finding_decision_days_max = 7 WHERE id = $1", [
      stack.organizationId,
    ]);
    expect((await decide({})).body.until).toBe(daysFromNow(7));
    expect((await decide({ until: daysFromNow(8) })).status).toBe(400);
    await query(stack, "UPDATE organizations SET finding_decision_days_max = 365", []);
  });

  it("are listed newest first, in pages, by state and by the service's name", async () => {
    const { name, decide, list, serviceId } = await newService();
    await decide({ finding });
    await decide({});
    await query(
      stack,
      "UPDATE finding_decisions SET until = '2020-01-01' WHERE service_id = $1 AND fingerprint IS NULL",
      [serviceId],
    );
    const { decisions, nextCursor } = await list("&limit=1");
    expect(decisions).toMatchObject([{ finding: null, state: "expired" }]);
    expect((await list(`&limit=1&cursor=${nextCursor}`)).decisions).toMatchObject([
      { finding, state: "active" },
    ]);
    expect((await list("&state=active")).decisions).toMatchObject([{ finding }]);
    const named = await stack.http.get<Page>(`${PATH}?state=expired&serviceName=${name}`);
    expect(named.body.decisions).toMatchObject([{ serviceId, finding: null }]);
    const unknown = await stack.http.get<Page>(`${PATH}?serviceName=${randomUUID()}`);
    expect(unknown.body.decisions.filter((each) => each.serviceId !== null)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["no rule", { code: undefined }, "code"],
    ["an unknown kind", { kind: "ignored" }, "kind"],
    ["a blank reason", { reason: " \n" }, "reason"],
    ["a reason that Postgres can't store", { reason: "a\0b" }, "reason"],
    ["a long reason", { reason: "r".repeat(DECISION_LIMITS.reasonMax + 1) }, "reason"],
    ["a reason with a key", { reason: `as wmk_${"a".repeat(12)}_${"b".repeat(39)} has it` }, "reason"],
    [
      "a message with a private key",
      { finding: { ...finding, message: ["-----BEGIN ", "PRIVATE KEY-----"].join("") } },
      "finding.message",
    ],
    ["a day that is over", { until: "2020-02-29" }, "until"],
    ["a day that does not exist", { until: "2031-02-29" }, "until"],
    ["a finding of every service", { serviceId: null, finding }, "serviceId"],
    ["a method that does not exist", { finding: { ...finding, method: "LOOK" } }, "finding.method"],
    ["an unknown severity", { maxSeverity: "worst" }, "maxSeverity"],
    ["an unknown field", { severity: "low" }, ""],
    ["an unknown field of the finding", { finding: { ...finding, severity: "low" } }, "finding"],
  ])("are refused for %s", async (_, body, path) => {
    const { decide, list } = await newService();
    const refused = await decide(body);
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, path]);
    expect((await list()).decisions).toEqual([]);
  });

  it("are at most ten thousand of an organization", async () => {
    const { decide, serviceId } = await newService();
    await query(
      stack,
      `INSERT INTO finding_decisions (organization_id, id, service_id, code, kind, reason, until, created_by_key_id)
       SELECT $1, gen_random_uuid(), $2, 'many ' || n, 'wont_fix', 'r', now()::date, $2 FROM generate_series(1, $3::int) n`,
      [stack.organizationId, serviceId, DECISION_LIMITS.perOrganizationMax],
    );
    const refused = await decide({});
    await query(stack, "DELETE FROM finding_decisions WHERE code LIKE 'many %'");
    expect([refused.status, errorOf(refused).code]).toEqual([409, "limit_reached"]);
  });
});

describe("a decision about findings", () => {
  it("is made and revoked by a key with the permission, for the services of its scope only", async () => {
    const [own, other] = [await newService(), await newService()];
    const scopes = ["findings:decide", "endpoints:read"].map((permission) => ({
      permission,
      resourceConstraints: { serviceNames: [own.name] },
    }));
    const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
    const decided = await own.decide({}, http);
    expect(decided.status).toBe(201);
    expect((await own.decide({ serviceId: null }, http)).status).toBe(403);
    expect((await other.decide({}, http)).status).toBe(403);
    expect((await other.decide({ serviceId: randomUUID() }, http)).status).toBe(403);
    const [foreign, everywhere] = [await other.decide({}), await other.decide({ serviceId: null })];
    for (const id of [foreign.body.id, everywhere.body.id, randomUUID()])
      expect((await http.request("DELETE", `${PATH}/${id}`)).status).toBe(403);
    // The findings of the other service are not counted for it.
    const { decisions } = (await http.get<Page>(`${PATH}?limit=200`)).body;
    expect(decisions.filter(({ code }) => code === other.code)).toMatchObject([
      { serviceId: null, findingCount: 0 },
    ]);
    expect(decisions.filter(({ serviceId }) => serviceId !== null)).toMatchObject([
      { serviceId: own.serviceId },
    ]);
    const ofOther = await http.get<Page>(`${PATH}?serviceId=${other.serviceId}`);
    expect(ofOther.body.decisions.filter(({ serviceId }) => serviceId !== null)).toEqual([]);
    expect((await http.request("DELETE", `${PATH}/${decided.body.id}`)).status).toBe(204);
  });

  it("says nothing to its key about findings that the key may not read", async () => {
    const [own, other] = [await newService(), await newService()];
    const decide = { permission: "findings:decide" };
    const read = { permission: "endpoints:read", resourceConstraints: { serviceNames: [own.name] } };
    for (const scopes of [[decide, read], [decide]]) {
      const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
      for (const target of [{ serviceId: null }, {}, { finding }]) {
        const { status, body } = await other.decide(target, http);
        expect([status, body.findingCount, body.exceededCount]).toEqual([201, 0, 0]);
        // Otherwise the severity of a finding would be in the answer.
        expect(body.maxSeverity).toBe("critical");
      }
    }
    expect((await other.decide({ finding })).body.findingCount).toBe(2);
  });

  it("is neither seen nor revoked by a key of another organization, which can't make one for its service", async () => {
    const { decide, serviceId } = await newService();
    const { body } = await decide({});
    const stranger = await createHostedOrganization(stack.databaseUrl);
    const http = createHttpClient(stack.api.baseUrl, { key: stranger.apiKey });
    expect((await http.get<Page>(`${PATH}?serviceId=${serviceId}`)).body).toEqual({ decisions: [] });
    expect((await http.request("DELETE", `${PATH}/${body.id}`)).status).toBe(404);
    expect((await decide({}, http)).status).toBe(404);
  });

  it("is recorded, with the target and the reason, and so is its end", async () => {
    const { decide, serviceId, code } = await newService();
    const { id, until } = (await decide({ finding })).body;
    expect((await stack.http.request("DELETE", `${PATH}/${id}`)).status).toBe(204);
    expect((await stack.http.request("DELETE", `${PATH}/${id}`)).status).toBe(404);
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=2");
    const details = { decisionId: id, serviceId, kind: "accepted_risk", code };
    expect(body.auditEvents).toMatchObject([
      { action: "finding_decision.deleted", details },
      {
        action: "finding_decision.created",
        details: { ...details, finding, maxSeverity: "high", reason: "known", until },
      },
    ]);
  });
});
