import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { everyDueDays, type SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const PATH = "/api/severity-policy";
const put = (
  rules: object[],
  { http = stack.http, headers = {} }: { http?: HttpClient; headers?: Record<string, string> } = {},
) => http.request<SeverityPolicy>("PUT", PATH, { body: { rules }, headers });
const NO_DUE_DAYS = everyDueDays({});
const days = (dueDays: object) => ({ rules: [], dueDays });
const rule = (code: string, severity: string) => ({ code, severity });

describe("the severity policy", () => {
  it("is empty at first, is replaced as a whole, and is sorted by code", async () => {
    const http = createHttpClient(stack.api.baseUrl, {
      key: (await createHostedOrganization(stack.databaseUrl)).apiKey,
    });
    const first = await http.get<SeverityPolicy>(PATH);
    expect(first.body).toEqual({ revision: 0, rules: [], dueDays: NO_DUE_DAYS, updatedAt: null });
    expect(first.headers.get("etag")).toBe('"0"');
    const set = await put([rule("b", "off"), rule("a", "critical")], { http });
    const rules = [rule("a", "critical"), rule("b", "off")];
    expect(set).toMatchObject({ status: 200, body: { revision: 1, rules, updatedAt: expect.any(String) } });
    expect(set.headers.get("etag")).toBe('"1"');
    expect((await http.get(PATH)).body).toEqual(set.body);
    expect((await put([rule("c", "low")], { http })).body).toMatchObject({
      revision: 2,
      rules: [rule("c", "low")],
    });
    // The policy of another organization is another one.
    expect((await stack.http.get<SeverityPolicy>(PATH)).body.rules).not.toContainEqual(rule("c", "low"));
  });

  it("is not replaced by a change that was made from an older revision, and stays if nothing changes", async () => {
    const { body } = await put([rule("a", "low")]);
    const same = await put([rule("a", "low")], { headers: { "if-match": `"${body.revision}"` } });
    expect(same.body).toEqual(body);
    const next = await put([rule("a", "high")], { headers: { "if-match": `"${body.revision}"` } });
    expect(next.body.revision).toBe(body.revision + 1);
    const late = await put([], { headers: { "if-match": `"${body.revision}"` } });
    expect([late.status, errorOf(late).code]).toEqual([412, "revision_conflict"]);
    expect((await stack.http.get<SeverityPolicy>(PATH)).body).toEqual(next.body);
    // One of several changes from one revision is stored.
    const answers = await Promise.all(
      ["info", "low", "medium"].map((severity) =>
        put([rule("a", severity)], { headers: { "if-match": `"${next.body.revision}"` } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412]);
  });

  it("is read by every key, and changed by one with the permission", async () => {
    const of = async (permission: string) =>
      createHttpClient(stack.api.baseUrl, { key: await createKey(stack, [permission]) });
    const scanner = await of("scans:create");
    expect((await scanner.get(PATH)).status).toBe(200);
    expect((await put([], { http: scanner })).status).toBe(403);
    expect((await put([], { http: await of("findings:decide") })).status).toBe(403);
    expect((await put([], { http: await of("severities:manage") })).status).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ["no rules", {}, "rules"],
    ["an unknown severity", { rules: [rule("a", "worst")] }, "rules[0].severity"],
    ["an empty code", { rules: [rule("", "low")] }, "rules[0].code"],
    ["a long code", { rules: [rule("c".repeat(121), "low")] }, "rules[0].code"],
    ["a rule twice", { rules: [rule("a", "low"), rule("a", "high")] }, "rules[1].code"],
    ["no days at all", days({ high: 0 }), "dueDays.high"],
    ["too many days", days({ high: 3651 }), "dueDays.high"],
    ["a part of a day", days({ low: 1.5 }), "dueDays.low"],
    ["days as text", days({ low: "7" }), "dueDays.low"],
    ["days of an unknown severity", days({ worst: 1 }), "dueDays"],
    ["an unknown field", { rules: [{ ...rule("a", "low"), why: "r" }] }, "rules[0]"],
    ["too many rules", { rules: Array.from({ length: 501 }, (_, n) => rule(`r${n}`, "low")) }, "rules"],
  ])("refuses %s", async (_, body, path) => {
    const refused = await stack.http.request("PUT", PATH, { body });
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, path]);
  });

  it("has days by severity, which stay if they are left out, and are replaced together", async () => {
    const replace = async (body: object) =>
      (await stack.http.request<SeverityPolicy>("PUT", PATH, { body })).body;
    const set = await replace(days({ critical: 1, high: 3650, low: null }));
    expect(set.dueDays).toEqual({ critical: 1, high: 3650, medium: null, low: null, info: null });
    const kept = await replace({ rules: [rule("a", "low")] });
    expect([kept.revision, kept.dueDays]).toEqual([set.revision + 1, set.dueDays]);
    const other = await replace({ rules: [rule("a", "low")], dueDays: { info: 90 } });
    expect(other.dueDays).toEqual({ ...NO_DUE_DAYS, info: 90 });
    expect((await stack.http.get(PATH)).body).toEqual(other);
    // Nothing changes, so the revision stays.
    expect(await replace({ rules: [rule("a", "low")], dueDays: { info: 90, high: null } })).toEqual(other);
    const { body: audit } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
      "/api/audit-events?action=severity_policy.updated&limit=3",
    );
    expect(audit.auditEvents.map(({ details }) => details["dueDays"])).toEqual([
      { critical: null, high: null, info: 90 },
      {},
      { critical: 1, high: 3650 },
    ]);
    expect((await replace(days({}))).dueDays).toEqual(NO_DUE_DAYS);
  });

  it("is recorded with what was changed, and not if nothing was", async () => {
    const code = randomUUID();
    await put([rule("gone", "low"), rule("stays", "low")]);
    const { body } = await put([rule(code, "off"), rule("stays", "low")]);
    await put([rule(code, "off"), rule("stays", "low")]);
    const { body: audit } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
      "/api/audit-events?action=severity_policy.updated&limit=1",
    );
    expect(audit.auditEvents).toMatchObject([
      { details: { revision: body.revision, set: [rule(code, "off")], removed: ["gone"] } },
    ]);
  });
});
