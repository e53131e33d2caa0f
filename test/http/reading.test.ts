import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, readAllItems, waitForRun } from "@waymark/test-support/scans.ts";
import { createOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
let run: ScanRun;
let strangersKey: string;
beforeAll(async () => {
  stack = await startStack();
  const { body } = await ingest(stack, scanPayload({ endpoints: 7, findings: 3 }));
  run = await waitForRun(stack, body.scanRunId);
  strangersKey = (await createOrganization(stack.databaseUrl, "Strangers")).apiKey;
});
afterAll(() => stack[Symbol.asyncDispose]());

type Page = { endpoints: unknown[]; nextCursor?: string };

describe("reading", () => {
  it("pages through items in submitted order, without a cursor at the end", async () => {
    const { endpoints } = scanPayload({ endpoints: 7 });
    const url = `/api/scan-runs/${run.id}/endpoints?limit=4`;
    const first = await stack.http.get<Page>(url);
    expect(first.body.endpoints).toEqual(endpoints.slice(0, 4));
    const second = await stack.http.get<Page>(`${url}&cursor=${first.body.nextCursor}`);
    expect(second.body).toEqual({ endpoints: endpoints.slice(4) });
  });

  it.each(["limit=0", "limit=2001", "limit=1.5", "limit=x", "cursor=!!", "cursor=MQ", "offset=1"])(
    "refuses ?%s",
    async (query) => {
      for (const path of [`/api/scan-runs/${run.id}/findings`, "/api/services"]) {
        const answer = await stack.http.get(`${path}?${query}`);
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ error: { code: "validation_failed" } });
      }
    },
  );

  it("has pages of up to 200 items, and of 2,000 for the endpoints and findings of a scan", async () => {
    const statusOf = async (path: string) => (await stack.http.get(path)).status;
    expect(await statusOf("/api/services?limit=201")).toBe(400);
    for (const items of ["endpoints", "findings"])
      expect(await statusOf(`/api/scan-runs/${run.id}/${items}?limit=2000`)).toBe(200);
    expect(await statusOf(`/api/services/${run.serviceId}/endpoints?limit=2000`)).toBe(200);
  });

  it.each(["not-a-uuid", "11111111-1111-1111-1111-111111111111", "%00"])(
    "responds with 404 to the id %s",
    async (id) => {
      for (const path of [
        `/api/scan-runs/${id}`,
        `/api/scan-runs/${id}/changes`,
        `/api/services/${id}/scan-runs`,
      ]) {
        const answer = await stack.http.get(path);
        expect(answer.status).toBe(404);
        expect(answer.body).toMatchObject({ error: { code: "not_found" } });
      }
    },
  );

  it("shows nothing of another organization", async () => {
    const stranger = { key: strangersKey };
    expect((await stack.http.get(`/api/scan-runs/${run.id}`, stranger)).status).toBe(404);
    expect((await stack.http.get(`/api/scan-runs/${run.id}/endpoints`, stranger)).status).toBe(404);
    expect((await stack.http.get(`/api/services/${run.serviceId}`, stranger)).status).toBe(404);
    expect((await stack.http.get("/api/services", stranger)).body).toEqual({ services: [] });
  });

  it("needs services:read for runs and services, endpoints:read for what they hold", async () => {
    const services = { key: await createKey(stack, ["services:read"]) };
    const endpoints = { key: await createKey(stack, ["endpoints:read"]) };
    expect((await stack.http.get(`/api/scan-runs/${run.id}`, services)).status).toBe(200);
    expect((await stack.http.get(`/api/scan-runs/${run.id}`, endpoints)).status).toBe(403);
    expect((await stack.http.get(`/api/scan-runs/${run.id}/findings`, services)).status).toBe(403);
    expect((await stack.http.get(`/api/scan-runs/${run.id}/findings`, endpoints)).status).toBe(200);
  });

  it("lists services and their runs, newest first", async () => {
    const again = await ingest(stack, scanPayload({ endpoints: 8, findings: 3 }));
    await waitForRun(stack, again.body.scanRunId);
    const runs = await stack.http.get<{ scanRuns: ScanRun[] }>(`/api/services/${run.serviceId}/scan-runs`);
    expect(runs.body.scanRuns.map((one) => one.id)).toEqual([again.body.scanRunId, run.id]);
    const service = await stack.http.get(`/api/services/${run.serviceId}`);
    expect(service.body).toMatchObject({
      name: "orders",
      currentScanRunId: again.body.scanRunId,
      endpointCount: 8,
    });
    expect((await stack.http.get("/api/services")).body).toEqual({ services: [service.body] });
  });
});

describe("a scan at the limits", () => {
  it("is read back page by page as it was sent", async () => {
    const payload = scanPayload({ serviceName: "large", endpoints: 2000, findings: 500 });
    const { body } = await ingest(stack, payload);
    await waitForRun(stack, body.scanRunId);
    expect(await readAllItems(stack, body.scanRunId, "endpoints")).toEqual(payload.endpoints);
    expect(await readAllItems(stack, body.scanRunId, "findings")).toEqual(payload.findings);
  });
});

describe("a service's trend", () => {
  it("is the counts of its last promoted runs, the oldest first, where it is asked for", async () => {
    const counts = [1, 4, 2];
    const scanRunIds: string[] = [];
    for (const endpoints of counts) {
      const { body } = await ingest(stack, scanPayload({ serviceName: "trending", endpoints, findings: 1 }));
      await waitForRun(stack, body.scanRunId);
      scanRunIds.push(body.scanRunId);
    }
    const held = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "trending", endpoints: 9 }),
      { headers: { "waymark-promote": "false" } },
    );
    await waitForRun(stack, held.body.scanRunId);

    const trendOf = async (query: string, name: string) => {
      const { body } = await stack.http.get<{ services: Service[] }>(`/api/services?${query}`);
      return body.services.find((service) => service.name === name)?.trend;
    };
    const points = await trendOf("trend=10", "trending");
    expect(points?.map((point) => [point.scanRunId, point.endpointCount, point.findingCount])).toEqual(
      scanRunIds.map((id, index) => [id, counts[index], 1]),
    );
    expect(points?.map((point) => point.scannedAt)).toEqual(
      points?.map((point) => point.scannedAt).toSorted(),
    );
    expect((await trendOf("trend=2", "trending"))?.map((point) => point.endpointCount)).toEqual([4, 2]);
    expect((await trendOf("trend=10", "orders"))?.at(-1)).toMatchObject({ endpointCount: 8 });
    expect(await trendOf("limit=10", "trending")).toBeUndefined();
  });

  it.each(["-1", "51", "x", "1.5"])("refuses trend=%s", async (trend) => {
    expect((await stack.http.get(`/api/services?trend=${trend}`)).status).toBe(400);
  });
});

describe("a service's endpoints", () => {
  it("are those of its current run, with when each was first and last seen", async () => {
    const both = scanPayload({ serviceName: "inventory", endpoints: 2 });
    const first = await ingest(stack, { ...both, endpoints: both.endpoints.slice(0, 1) });
    const { createdAt: began } = await waitForRun(stack, first.body.scanRunId);
    const second = await ingest(stack, both);
    const { createdAt: grew } = await waitForRun(stack, second.body.scanRunId);
    const third = await ingest(stack, both);

    const { body } = await stack.http.get(`/api/services/${first.body.serviceId}/endpoints`);
    const lastSeenAt = third.body.createdAt;
    expect(body).toEqual({
      endpoints: [
        { ...both.endpoints[0], firstSeenAt: began, lastSeenAt },
        { ...both.endpoints[1], firstSeenAt: grew, lastSeenAt },
      ],
    });
  });
});

describe("changes", () => {
  it("compares with the previous run, and with any other", async () => {
    const before = scanPayload({ serviceName: "changing", endpoints: 3, findings: 1 });
    const after = { ...before, endpoints: before.endpoints.slice(1), findings: [] };
    const first = await ingest(stack, before);
    await waitForRun(stack, first.body.scanRunId);
    const second = await ingest(stack, after);
    await waitForRun(stack, second.body.scanRunId);

    const changes = await stack.http.get<ScanChanges>(`/api/scan-runs/${second.body.scanRunId}/changes`);
    expect(changes.body).toEqual({
      scanRunId: second.body.scanRunId,
      against: first.body.scanRunId,
      endpoints: { added: [], removed: [before.endpoints[0]], changed: [] },
      findings: { new: [], fixed: before.findings, severityChanged: [] },
    });
    const reversed = `/api/scan-runs/${first.body.scanRunId}/changes?against=${second.body.scanRunId}`;
    expect((await stack.http.get<ScanChanges>(reversed)).body.endpoints.added).toEqual([before.endpoints[0]]);
    const none = await stack.http.get<ScanChanges>(`/api/scan-runs/${first.body.scanRunId}/changes`);
    expect(none.body).toMatchObject({ against: null, endpoints: { added: before.endpoints } });
  });
});

describe("promotion", () => {
  it("makes a run current that was stored without becoming current, and it stays current", async () => {
    const payload = (seed: string) => scanPayload({ serviceName: "gated", seed });
    const current = await ingest(stack, payload("1"));
    await waitForRun(stack, current.body.scanRunId);
    const held = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", payload("2"), {
      headers: { "waymark-promote": "false" },
    });
    expect(await waitForRun(stack, held.body.scanRunId)).toMatchObject({ promoted: false });
    const service = `/api/services/${current.body.serviceId}`;
    expect((await stack.http.get(service)).body).toMatchObject({ currentScanRunId: current.body.scanRunId });

    for (let times = 0; times < 2; times++) {
      const answer = await stack.http.post(`/api/scan-runs/${held.body.scanRunId}/promote`);
      expect([answer.status, answer.body]).toMatchObject([200, { id: held.body.scanRunId, promoted: true }]);
      expect((await stack.http.get(service)).body).toMatchObject({ currentScanRunId: held.body.scanRunId });
    }
  });

  it("never moves a service back: a scan made earlier stays behind a newer one", async () => {
    const now = await ingest(stack, scanPayload({ serviceName: "late", seed: "now" }));
    await waitForRun(stack, now.body.scanRunId);
    const late = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "late", seed: "an hour ago" }),
      { headers: { "scanned-at": new Date(Date.now() - 3_600_000).toISOString() } },
    );
    await waitForRun(stack, late.body.scanRunId);
    await stack.http.post(`/api/scan-runs/${late.body.scanRunId}/promote`);
    const service = await stack.http.get(`/api/services/${now.body.serviceId}`);
    expect(service.body).toMatchObject({ currentScanRunId: now.body.scanRunId });
  });

  it("is not open to a key that may only read", async () => {
    const key = await createKey(stack, ["services:read", "endpoints:read"]);
    expect((await stack.http.post(`/api/scan-runs/${run.id}/promote`, undefined, { key })).status).toBe(403);
  });
});
