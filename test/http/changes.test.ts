import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanChanges, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { ServiceChange } from "@waymark/shared/services/schema.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

const NOTHING = { counts: null, notListed: 0, notCompared: [], comparedAt: null, rules: null };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

describe("a run's changes", () => {
  it("compares with the previous run, and with any other", async () => {
    const scanned = scanPayload({ serviceName: "changing", endpoints: 3, findings: 1 });
    const [endpoint] = scanned.endpoints;
    const ofEndpoint = scanned.findings.map((one) => ({
      ...one,
      method: endpoint?.method ?? null,
      path: endpoint?.path ?? null,
    }));
    const ofNone = ofEndpoint.map((one) => ({ ...one, method: null, path: null }));
    const before = { ...scanned, findings: [...ofEndpoint, ...ofNone] };
    const after = { ...before, endpoints: before.endpoints.slice(1), findings: [] };
    const first = await ingest(stack, before);
    await waitForRun(stack, first.body.scanRunId);
    const second = await ingest(stack, after);
    await waitForRun(stack, second.body.scanRunId);

    const against = first.body.scanRunId;
    const changes = await stack.http.get<ScanChanges>(`/api/scan-runs/${second.body.scanRunId}/changes`);
    expect(changes.body).toEqual({
      scanRunId: second.body.scanRunId,
      against,
      previous: against,
      endpoints: { added: [], removed: [before.endpoints[0]], changed: [] },
      findings: { new: [], fixed: ofNone, removedWithEndpoint: ofEndpoint, severityChanged: [] },
      comparison: { status: "not_compared", reason: "no_description", against, ...NOTHING },
      verdicts: [],
    });
    const reversed = `/api/scan-runs/${first.body.scanRunId}/changes?against=${second.body.scanRunId}`;
    expect((await stack.http.get<ScanChanges>(reversed)).body.endpoints.added).toEqual([before.endpoints[0]]);
    const none = await stack.http.get<ScanChanges>(`/api/scan-runs/${first.body.scanRunId}/changes`);
    expect(none.body).toMatchObject({ against: null, endpoints: { added: before.endpoints } });
    expect(none.body).toMatchObject({ comparison: { status: "not_compared", reason: "no_base" } });
  });
});

describe("a service's changes", () => {
  type Changes = { changes: ServiceChange[]; nextCursor?: string };
  const full = scanPayload({ serviceName: "changing", endpoints: 6, findings: 3 });
  const [first, ...others] = full.endpoints;
  const [finding, ...otherFindings] = full.findings;
  const renamed = { ...others[0], operationId: "renamed" } as (typeof full.endpoints)[number];
  const graver = { ...otherFindings[0], severity: "critical" } as (typeof full.findings)[number];
  let key: string;
  let serviceId: string;
  const ids: string[] = [];
  const send = async (payload: typeof full, headers: Record<string, string> = {}) => {
    const sent = await stack.http.post<ScanIngestionResult>("/api/scans/ingest", payload, { key, headers });
    await waitForRun({ http: createHttpClient(stack.api.baseUrl, { key }) }, sent.body.scanRunId);
    serviceId = sent.body.serviceId;
    return sent.body.scanRunId;
  };
  const list = async (query = "") =>
    (await stack.http.get<Changes>(`/api/services/${serviceId}/changes${query}`, { key })).body;

  beforeAll(async () => {
    key = (await createHostedOrganization(stack.databaseUrl, "Changing")).apiKey;
    ids.push(await send({ ...full, endpoints: others, findings: otherFindings }));
    // An identical scan, one that is not promoted, and one in another order: none is a change.
    await send({ ...full, endpoints: others, findings: otherFindings });
    await send({ ...full, endpoints: [], findings: [] }, { "waymark-promote": "false" });
    await send({ ...full, endpoints: others.toReversed(), findings: otherFindings });
    ids.push(await send(full, { "waymark-branch": "main" }));
    ids.push(
      await send({
        ...full,
        endpoints: [renamed, ...others.slice(1)],
        findings: [graver, ...otherFindings.slice(1)],
      }),
    );
  });

  it("are counted for each promoted run that changed something, the newest first", async () => {
    const { changes, nextCursor } = await list();
    expect(nextCursor).toBeUndefined();
    expect(changes.map(({ scanRunId }) => scanRunId)).toEqual(ids.toReversed());
    expect([first, finding]).not.toContain(undefined);
    expect(changes).toMatchObject([
      {
        against: ids[1],
        source: null,
        endpoints: { added: 0, removed: 1, changed: 1 },
        findings: { new: 0, fixed: 1, severityChanged: 1 },
        breaking: 2,
      },
      {
        source: { branch: "main" },
        endpoints: { added: 1, removed: 0, changed: 0 },
        findings: { new: 1, fixed: 0, severityChanged: 0 },
        breaking: 0,
      },
      {
        against: null,
        endpoints: { added: 5, removed: 0, changed: 0 },
        findings: { new: 2, fixed: 0, severityChanged: 0 },
        breaking: 0,
      },
    ]);
  });

  it("are paged, and as many as the comparison of the run has", async () => {
    const page = await list("?limit=1");
    const [newest] = page.changes;
    const url = `/api/scan-runs/${newest?.scanRunId}/changes?against=${newest?.against}`;
    const { endpoints, findings } = (await stack.http.get<ScanChanges>(url, { key })).body;
    expect(newest).toMatchObject({
      endpoints: { removed: endpoints.removed.length, changed: endpoints.changed.length },
      findings: {
        fixed: findings.fixed.length,
        removedWithEndpoint: findings.removedWithEndpoint.length,
        severityChanged: findings.severityChanged.length,
      },
    });
    const found: string[] = [];
    let cursor: string | undefined = "";
    while (cursor !== undefined) {
      const next: Changes = await list(cursor === "" ? "?limit=1" : `?limit=1&cursor=${cursor}`);
      found.push(...next.changes.map(({ scanRunId }) => scanRunId));
      cursor = next.nextCursor;
    }
    expect(found).toEqual(ids.toReversed());
    expect((await stack.http.get(`/api/services/${serviceId}/changes?limit=21`, { key })).status).toBe(400);
  });

  it("have a renamed path parameter as a changed endpoint, which breaks no client", async () => {
    const [one, two] = others;
    if (one === undefined || two === undefined) throw new Error("no endpoints");
    const service = { name: "renaming" };
    await send({ ...full, service, endpoints: [one, two] });
    await send({ ...full, service, endpoints: [{ ...one, path: one.path.replace("{id}", "{thing}") }, two] });
    const [change] = (await list()).changes;
    expect(change).toMatchObject({ endpoints: { added: 0, removed: 0, changed: 1 }, breaking: 0 });
  });
});
