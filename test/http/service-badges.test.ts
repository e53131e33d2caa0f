import { AuditEventPage } from "@waymark/shared/audit/schema.ts";
import type { CreatedServiceBadge, ServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import { generateBadgeToken } from "@waymark/server/services/badges/badge-token.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startApi, startStack } from "@waymark/test-support/stack.ts";

const ANOTHER = "11111111-1111-1111-1111-111111111111";
const NO_REQUEST_ID = ["x-request-id", "date", "connection", "keep-alive"];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scanned(serviceName: string, findings = 0): Promise<string> {
  const { body } = await ingest(stack, scanPayload({ serviceName, findings }));
  await waitForRun(stack, body.scanRunId);
  return body.serviceId;
}

const create = async (serviceId: string) =>
  (await stack.http.post<CreatedServiceBadge>(`/api/services/${serviceId}/badge`)).body;
const find = async (serviceId: string) =>
  (await stack.http.get<ServiceBadge>(`/api/services/${serviceId}/badge`)).body.badge;
const remove = (serviceId: string) => stack.http.request("DELETE", `/api/services/${serviceId}/badge`);
/** As a page of another site does: without a key. */
const show = async (url: string) => {
  const { pathname, search } = new URL(url, stack.api.baseUrl);
  const { status, headers, text } = await stack.http.get(pathname + search, { key: null });
  return { status, headers, text, says: /<title>API contract: (.*)<\/title>/.exec(text)?.[1] };
};

describe("a service's badge", () => {
  it("shows its status to everybody with its address", async () => {
    const serviceId = await scanned("badged");
    const { url, createdByKeyId } = await create(serviceId);
    expect(url).toMatch(new RegExp(`^${stack.api.baseUrl}/badge/${serviceId}\\.svg\\?token=wmb_`));
    const shown = await show(url);
    expect(shown).toMatchObject({ status: 200, says: "passing" });
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      "content-type": "image/svg+xml; charset=utf-8",
      "cache-control": "public, max-age=60",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    expect(shown.headers.get("set-cookie")).toBeNull();
    expect(await find(serviceId)).toEqual({ createdAt: expect.any(String), createdByKeyId });
  });

  it("says what is wrong, and nothing else of the service", async () => {
    // Five findings have every severity.
    const serviceId = await scanned("secretly-critical", 5);
    const { url } = await create(serviceId);
    const { text, says } = await show(url);
    expect(says).toBe("critical findings");
    for (const secret of ["secretly", serviceId, stack.organizationId, "wmb_", "Orders", "1.2.3"])
      expect(text).not.toContain(secret);
    const payload = scanPayload({ serviceName: "secretly-critical", seed: "held" });
    const headers = { "waymark-promote": "false" };
    const held = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", payload, { headers });
    await waitForRun(stack, held.body.scanRunId);
    expect((await show(url)).says).toBe("not promoted");
  });

  it("has another address after it is created again, and none after it is deleted", async () => {
    const serviceId = await scanned("renewed");
    const old = await create(serviceId);
    const renewed = await create(serviceId);
    expect((await show(old.url)).status).toBe(404);
    expect((await show(renewed.url)).status).toBe(200);
    expect((await remove(serviceId)).status).toBe(204);
    expect((await show(renewed.url)).status).toBe(404);
    expect(await find(serviceId)).toBeNull();
    expect((await remove(serviceId)).status).toBe(204);

    const { body } = await stack.http.get("/api/audit-events");
    const events = AuditEventPage.parse(body).auditEvents.filter(
      ({ details }) => details["serviceId"] === serviceId,
    );
    expect(events.map(({ action }) => action)).toEqual([
      "service_badge.deleted",
      "service_badge.created",
      "service_badge.created",
    ]);
    expect(JSON.stringify(events)).not.toContain("wmb_");
  });

  it("is unknown in the same way with another token, for another service, and without a token", async () => {
    const serviceId = await scanned("known");
    const other = await scanned("other");
    const token = new URL((await create(serviceId)).url).searchParams.get("token");
    await create(other);
    const wrong = generateBadgeToken().token;
    const answers = [
      await show(`/badge/${serviceId}.svg?token=${wrong}`),
      await show(`/badge/${ANOTHER}.svg?token=${wrong}`),
      await show(`/badge/${other}.svg?token=${token}`),
      await show(`/badge/${ANOTHER}.svg?token=${token}`),
      await show(`/badge/${serviceId}?token=${token}`),
      await show(`/badge/${serviceId}.svg?token=junk`),
      await show(`/badge/${serviceId}.svg?token=${token}&token=${token}`),
      await show(`/badge/${serviceId}.svg`),
      await show("/badge/x"),
    ].map(({ headers, ...answer }) => ({
      ...answer,
      headers: Object.fromEntries([...headers].filter(([name]) => !NO_REQUEST_ID.includes(name))),
    }));
    expect(answers[0]).toMatchObject({
      status: 404,
      says: "unknown",
      headers: { "cache-control": "no-store" },
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((await show(`/badge/${serviceId.toUpperCase()}.svg?token=${token}`)).status).toBe(200);
  });

  it("has a token that is stored as a hash, and opens nothing else", async () => {
    const serviceId = await scanned("hashed");
    const token = new URL((await create(serviceId)).url).searchParams.get("token") ?? "";
    const [row] = await query<{ text: string }>(
      stack,
      "SELECT b::text AS text FROM service_badges b WHERE service_id = $1",
      [serviceId],
    );
    expect(row?.text).not.toContain(token);
    expect(errorOf(await stack.http.get("/api/limits", { key: token })).code).toBe("invalid_api_key");
    const byCookie = await stack.http.get("/api/services", {
      key: null,
      headers: { cookie: `waymark_session=${token}; __Host-waymark_session=${token}` },
    });
    expect(byCookie.status).toBe(401);
  });

  it("is created only by keys that may read and update the service", async () => {
    const serviceId = await scanned("narrow");
    for (const scopes of [["services:read"], ["services:update"]]) {
      const answer = await stack.http.post(`/api/services/${serviceId}/badge`, undefined, {
        key: await createKey(stack, scopes),
      });
      expect(errorOf(answer)).toMatchObject({ status: 403, code: "permission_denied" });
    }
    expect(await find(serviceId)).toBeNull();
  });

  it("is limited where an address asks for many unknown ones, without counting as failed keys", async () => {
    await using api = await startApi({
      databaseUrl: stack.databaseUrl,
      env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "3" },
    });
    const http = createHttpClient(api.baseUrl);
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await http.get(`/badge/${ANOTHER}.svg`)).status);
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    expect((await http.get("/api/limits", { key: stack.apiKey })).status).toBe(200);
    expect(errorOf(await http.get("/api/limits")).code).toBe("missing_credentials");
  });
});
