import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanIngestionResult, ScanRun } from "@waymark/shared/scans/schema.ts";
import { findingIdOf } from "@waymark/server/scans/finding-id.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, readAllItems, waitForRun } from "@waymark/test-support/scans.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
let run: ScanRun;
let strangersKey: string;
beforeAll(async () => {
  stack = await startStack();
  const { body } = await ingest(stack, scanPayload({ endpoints: 7, findings: 3 }));
  run = await waitForRun(stack, body.scanRunId);
  strangersKey = (await createHostedOrganization(stack.databaseUrl, "Strangers")).apiKey;
});
afterAll(() => stack[Symbol.asyncDispose]());

type RunPage = { scanRuns: ScanRun[]; nextCursor?: string };
type Page = { endpoints: { path: string }[]; nextCursor?: string };

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
    async (parameters) => {
      for (const path of [`/api/scan-runs/${run.id}/findings`, "/api/services"]) {
        const answer = await stack.http.get(`${path}?${parameters}`);
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

  it("needs services:read for runs and services, endpoints:read for their content", async () => {
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

  it("finds a service by its exact name, if the key can read it", async () => {
    const names = ["Zahlungen/EU", "zahlungen/eu", "Zahlungen"];
    for (const serviceName of names) await ingest(stack, scanPayload({ serviceName }));
    const found = async (name: string, key = stack.apiKey) => {
      const query = new URLSearchParams({ name });
      const { body } = await stack.http.get<{ services: Service[] }>(`/api/services?${query.toString()}`, {
        key,
      });
      return body.services.map((service) => service.name);
    };
    for (const name of names) expect(await found(name)).toEqual([name]);
    for (const name of ["Zahlung", "Zahlungen/", "%", "*"]) expect(await found(name)).toEqual([]);
    expect(await found("Zahlungen", strangersKey)).toEqual([]);
    const serviceNames = ["zahl*", "later"];
    const key = await createKey(stack, [
      { permission: "services:read", resourceConstraints: { serviceNames } },
    ]);
    expect(await found("zahlungen/eu", key)).toEqual(["zahlungen/eu"]);
    for (const name of ["Zahlungen/EU", "later"]) expect(await found(name, key)).toEqual([]);
    for (const query of ["name=", `name=${"x".repeat(121)}`, "name=a&name=b"])
      expect((await stack.http.get(`/api/services?${query}`)).status).toBe(400);
  });

  it("lists the runs of one branch, page by page", async () => {
    const { apiKey } = await createHostedOrganization(stack.databaseUrl, "Branches");
    const scan = async (branch: string | undefined) => {
      const headers = branch === undefined ? {} : { "waymark-branch": encodeURIComponent(branch) };
      const options = { key: apiKey, headers };
      const { body } = await stack.http.post<ScanIngestionResult>(
        "/api/scans/ingest",
        scanPayload({}),
        options,
      );
      return body;
    };
    const ids: string[] = [];
    let serviceId = "";
    for (const branch of ["größe", "main", undefined, "größe", "größe"]) {
      const result = await scan(branch);
      serviceId = result.serviceId;
      if (branch === "größe") ids.unshift(result.scanRunId);
    }
    const url = `/api/services/${serviceId}/scan-runs?limit=2&branch=${encodeURIComponent("größe")}`;
    const list = async (cursor: string) => {
      const { body } = await stack.http.get<RunPage>(`${url}${cursor}`, { key: apiKey });
      return { ids: body.scanRuns.map(({ id }) => id), nextCursor: body.nextCursor };
    };
    const first = await list("");
    expect(first.ids).toEqual(ids.slice(0, 2));
    expect(await list(`&cursor=${first.nextCursor}`)).toEqual({ ids: ids.slice(2), nextCursor: undefined });
    const refused = await stack.http.get(`/api/services/${serviceId}/scan-runs?branch=`, { key: apiKey });
    expect(refused.status).toBe(400);
  });
});

describe("a scan at the limits", () => {
  it("is read back page by page as it was sent", async () => {
    const payload = scanPayload({ serviceName: "large", endpoints: 2000, findings: 500 });
    const { body } = await ingest(stack, payload);
    await waitForRun(stack, body.scanRunId);
    expect(await readAllItems(stack, body.scanRunId, "endpoints")).toEqual(payload.endpoints);
    expect(await readAllItems(stack, body.scanRunId, "findings")).toEqual(payload.findings);
    const page = await stack.http.get<{ findings: { id: string }[] }>(
      `/api/scan-runs/${body.scanRunId}/findings?limit=200`,
    );
    expect(page.body.findings.map(({ id }) => id)).toEqual(
      payload.findings.slice(0, 200).map((finding) => findingIdOf(body.serviceId, finding)),
    );
  });
});

describe("a service's trend", () => {
  it("has the counts of its last promoted runs, the oldest first, if requested", async () => {
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

    const trendOf = async (parameters: string, name: string) => {
      const { body } = await stack.http.get<{ services: Service[] }>(`/api/services?${parameters}`);
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

describe("a finding of a run", () => {
  it("has when a scan of its service first and last had it, and the page of its rule", async () => {
    const service = { serviceName: "seen", endpoints: 1 };
    const same = scanPayload({ ...service, findings: 3 });
    const [first, second, third] = same.findings;
    const rule = { ...second, code: "operation-4xx-response", method: null, path: null };
    const scans = [
      [first],
      // Another severity is the same finding; another message is another one.
      [first, { ...rule, severity: "low" }, { ...rule, message: "another" }],
      [rule, third],
      [],
    ];
    const times: string[] = [];
    const runs: string[] = [];
    for (const findings of scans) {
      const { body } = await ingest(stack, { ...same, findings } as typeof same);
      times.push((await waitForRun(stack, body.scanRunId)).createdAt);
      runs.push(body.scanRunId);
    }
    const read = (index: number | string) => stack.http.get(`/api/scan-runs/${runs[2]}/findings/${index}`);
    expect((await read(0)).body).toEqual({
      finding: expect.objectContaining(rule),
      firstSeenAt: times[1],
      lastSeenAt: times[2],
      dueOn: null,
      isOverdue: false,
      documentationUrl: "https://redocly.com/docs/cli/rules/operation-4xx-response",
    });
    expect((await read(1)).body).toMatchObject({
      finding: expect.objectContaining(third ?? {}),
      firstSeenAt: times[2],
      documentationUrl: null,
    });
    for (const place of [2, -1, 501, 1.5, "x"]) {
      const answer = await read(place);
      expect([place, answer.status]).toEqual([place, 404]);
    }
  });

  it("is seen by its own service and organization only", async () => {
    const payload = scanPayload({ serviceName: "seen before", endpoints: 1, findings: 1 });
    await waitForRun(stack, (await ingest(stack, payload)).body.scanRunId);
    const other = await ingest(stack, { ...payload, service: { name: "seen later" } });
    const { createdAt } = await waitForRun(stack, other.body.scanRunId);
    const url = `/api/scan-runs/${other.body.scanRunId}/findings/0`;
    expect((await stack.http.get(url)).body).toMatchObject({ firstSeenAt: createdAt, lastSeenAt: createdAt });
    expect((await stack.http.get(url, { key: strangersKey })).status).toBe(404);
  });
});
