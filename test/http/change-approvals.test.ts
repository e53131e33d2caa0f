import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APPROVAL_LIMITS, type ChangeApproval } from "@waymark/shared/scans/approvals/schema.ts";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { scanned } from "@waymark/test-support/descriptions.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Page {
  approvals: ChangeApproval[];
  nextCursor?: string;
}

const [FIRST, SECOND] = ["00000000000000000000000000000001", "00000000000000000000000000000002"] as const;

async function newService() {
  const { serviceId, scanRunId } = await scanned(stack, { serviceName: randomUUID(), seed: randomUUID() });
  const path = `/api/services/${serviceId}/change-approvals`;
  const approve = (body: object, http = stack.http) =>
    http.request<Page>("POST", path, { body: { fingerprints: [FIRST], reason: "agreed", ...body } });
  const list = async (search = "") => (await stack.http.get<Page>(`${path}${search}`)).body;
  return { serviceId, scanRunId, path, approve, list };
}

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe("approvals of changes", () => {
  it("name the changes, the reason, the last day and the key", async () => {
    const { approve, list, scanRunId } = await newService();
    const until = daysFromNow(3);
    const created = await approve({ fingerprints: [SECOND, FIRST, FIRST], until, scanRunId });
    expect(created.status).toBe(201);
    const approval = { state: "open", reason: "agreed", until, scanRunId, usedByScanRunId: null };
    expect(created.body.approvals).toMatchObject([
      { fingerprint: FIRST, ...approval, approvedBy: expect.any(String) },
      { fingerprint: SECOND, ...approval },
    ]);
    expect((await list()).approvals).toHaveLength(2);
  });

  it("are replaced by the next for the same change, and ended by DELETE", async () => {
    const { approve, list, path } = await newService();
    await approve({ until: daysFromNow(1) });
    await approve({ reason: "agreed with all clients" });
    expect((await list()).approvals).toMatchObject([{ reason: "agreed with all clients", until: null }]);
    for (let time = 0; time < 2; time++)
      expect((await stack.http.request("DELETE", `${path}/${FIRST}`)).status).toBe(204);
    expect((await list()).approvals).toEqual([]);
  });

  it("are listed newest first, in pages, and by their state", async () => {
    const { approve, list, serviceId } = await newService();
    for (const fingerprint of [FIRST, SECOND]) await approve({ fingerprints: [fingerprint] });
    await query(
      stack,
      "UPDATE change_approvals SET until = '2020-01-01' WHERE service_id = $1 AND fingerprint = $2",
      [serviceId, FIRST],
    );
    const { approvals, nextCursor } = await list("?limit=1");
    expect(approvals).toMatchObject([{ fingerprint: SECOND, state: "open" }]);
    expect((await list(`?limit=1&cursor=${nextCursor}`)).approvals).toMatchObject([{ state: "expired" }]);
    expect((await list("?state=expired")).approvals).toMatchObject([{ fingerprint: FIRST }]);
    expect((await list("?state=used")).approvals).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["no change", { fingerprints: [] }, "fingerprints"],
    ["too many changes", { fingerprints: Array.from({ length: 101 }, () => FIRST) }, "fingerprints"],
    ["what is no fingerprint", { fingerprints: [FIRST, "' OR 1=1 --"] }, "fingerprints[1]"],
    ["a blank reason", { reason: " \n" }, "reason"],
    ["a reason that Postgres can't store", { reason: "a\0b" }, "reason"],
    ["a long reason", { reason: "r".repeat(APPROVAL_LIMITS.reasonMax + 1) }, "reason"],
    ["a reason with a key", { reason: `as wmk_${"a".repeat(12)}_${"b".repeat(39)} has it` }, "reason"],
    ["a reason with a private key", { reason: ["-----BEGIN ", "PRIVATE KEY-----"].join("") }, "reason"],
    ["a day that is over", { until: "2020-02-29" }, "until"],
    ["a day that does not exist", { until: "2031-02-29" }, "until"],
    ["a run that does not exist", { scanRunId: randomUUID() }, "scanRunId"],
    ["an unknown field", { level: "safe" }, ""],
  ])("are refused for %s", async (_, body, path) => {
    const { approve, list } = await newService();
    const refused = await approve(body);
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, path]);
    expect((await list()).approvals).toEqual([]);
  });

  it("are refused for a run of another service", async () => {
    const [{ approve }, other] = [await newService(), await newService()];
    expect(await approve({ scanRunId: other.scanRunId })).toMatchObject({ status: 400 });
  });

  it("are at most a thousand of a service, used ones not counted", async () => {
    const { approve, serviceId } = await newService();
    await query(
      stack,
      `INSERT INTO change_approvals (organization_id, id, service_id, fingerprint, reason, created_by_key_id)
       SELECT $1, gen_random_uuid(), $2, lpad(to_hex(n), 32, '0'), 'r', $2 FROM generate_series(1, $3::int) n`,
      [stack.organizationId, serviceId, APPROVAL_LIMITS.perServiceMax],
    );
    const refused = await approve({ fingerprints: ["f".repeat(32)] });
    expect([refused.status, errorOf(refused).code]).toEqual([409, "limit_reached"]);
    expect((await approve({ fingerprints: [FIRST] })).status).toBe(201);
  });
});

describe("who may approve", () => {
  it("a key with the permission, for the services of its scope only", async () => {
    const [own, other] = [await newService(), await newService()];
    const scope = { permission: "changes:approve", serviceId: own.serviceId };
    const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, [scope]) });
    expect((await own.approve({}, http)).status).toBe(201);
    expect((await other.approve({}, http)).status).toBe(403);
    expect((await own.approve({ scanRunId: other.scanRunId }, http)).status).toBe(400);
    expect((await http.get(own.path)).status).toBe(403);
    expect((await http.request("DELETE", `${other.path}/${FIRST}`)).status).toBe(403);
  });

  it("not a key of another organization, which sees nothing", async () => {
    const { path, approve } = await newService();
    await approve({});
    const stranger = await createHostedOrganization(stack.databaseUrl);
    const http = createHttpClient(stack.api.baseUrl, { key: stranger.apiKey });
    expect((await http.get(path)).status).toBe(404);
    expect((await http.request("DELETE", `${path}/${FIRST}`)).status).toBe(404);
    expect((await approve({}, http)).status).toBe(404);
  });

  it("is recorded, with the changes and the reason", async () => {
    const { approve, path, serviceId, scanRunId } = await newService();
    await approve({ scanRunId });
    await stack.http.request("DELETE", `${path}/${FIRST}`);
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=2");
    const fingerprints = [FIRST];
    expect(body.auditEvents).toMatchObject([
      { action: "change_approval.deleted", details: { serviceId, fingerprints } },
      {
        action: "change_approval.created",
        details: { serviceId, fingerprints, reason: "agreed", until: null, scanRunId },
      },
    ]);
  });
});
