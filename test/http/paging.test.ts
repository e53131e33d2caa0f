import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// A change between the requests of two pages must not hide a row that existed before and after it.

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scan(payload: ScanIngestionPayload): Promise<{ scanRunId: string; serviceId: string }> {
  const { body } = await ingest(stack, payload);
  await waitForRun(stack, body.scanRunId);
  return body;
}

interface Page {
  nextCursor?: string;
}

/** Reads a list one item at a time. `between` is called after the first page. */
async function readAll<Item>(path: string, field: string, between?: () => Promise<unknown>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = "";
  for (let pages = 0; ; pages++) {
    const { status, body } = await stack.http.get<Page & Record<string, Item[]>>(`${path}limit=1${cursor}`);
    expect(status).toBe(200);
    items.push(...(body[field] ?? []));
    if (body.nextCursor === undefined) return items;
    cursor = `&cursor=${body.nextCursor}`;
    if (pages === 0) await between?.();
  }
}

const growing = (serviceName: string, counts: number[]) =>
  counts.map((endpoints) => scanPayload({ serviceName, endpoints, findings: 1 }));

describe.each([
  ["scan-runs", "scanRuns", "id"],
  ["changes", "changes", "scanRunId"],
])("a service's %s", (route, field, idField) => {
  it("are complete after the run of the last item was deleted", async () => {
    const ids: string[] = [];
    let serviceId = "";
    for (const payload of growing(`retained ${route}`, [1, 2, 3, 4])) {
      const run = await scan(payload);
      ids.unshift(run.scanRunId);
      ({ serviceId } = run);
    }
    // As retention does it: an old run that is not the current one.
    const held = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: `retained ${route}`, endpoints: 9 }),
      { headers: { "waymark-promote": "false" } },
    );
    await waitForRun(stack, held.body.scanRunId);
    const path = `/api/services/${serviceId}/${route}?`;
    const wasFirst = route === "scan-runs" ? held.body.scanRunId : ids[0];
    const deleteFirst = async () => {
      await query(stack, "UPDATE services SET current_run_id = $2 WHERE id = $1", [serviceId, ids[1]]);
      await query(stack, "DELETE FROM scan_runs WHERE id = $1", [wasFirst]);
    };
    const read = await readAll<Record<string, string>>(path, field, deleteFirst);
    const expected = route === "scan-runs" ? [held.body.scanRunId, ...ids] : ids;
    expect(read.map((item) => item[idField])).toEqual(expected);
  });

  it("are complete where several were received within a millisecond", async () => {
    const runs: { scanRunId: string; serviceId: string }[] = [];
    for (const payload of growing(`burst of ${route}`, [1, 2, 3, 4])) runs.push(await scan(payload));
    for (const [index, { scanRunId }] of runs.entries()) {
      const time = `2026-01-01T00:00:00.00000${index}Z`;
      await query(stack, "UPDATE scan_runs SET created_at = $2, ordered_at = $2 WHERE id = $1", [
        scanRunId,
        time,
      ]);
    }
    const read = await readAll<Record<string, string>>(
      `/api/services/${runs[0]?.serviceId}/${route}?`,
      field,
    );
    expect(read.map((item) => item[idField])).toEqual(runs.map(({ scanRunId }) => scanRunId).toReversed());
  });
});

describe("a service's endpoints", () => {
  const listed = (serviceId: string, between?: () => Promise<unknown>) =>
    readAll<{ path: string }>(`/api/services/${serviceId}/endpoints?`, "endpoints", between);

  it("are complete after another run became current, and the first one was deleted", async () => {
    const before = scanPayload({ serviceName: "replaced", endpoints: 4 });
    const { scanRunId, serviceId } = await scan(before);
    const paths = before.endpoints.map(({ path }) => path).toSorted();
    const replace = async () => {
      const [first, ...others] = before.endpoints.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      expect(first).toBeDefined();
      await scan({ ...before, endpoints: others });
      await query(stack, "DELETE FROM scan_runs WHERE id = $1", [scanRunId]);
    };
    expect((await listed(serviceId, replace)).map(({ path }) => path)).toEqual(paths);
  });

  it("are listed as often as the description has them", async () => {
    const once = scanPayload({ serviceName: "twice", endpoints: 2 });
    const twice = { ...once, endpoints: [...once.endpoints, ...once.endpoints] };
    const { serviceId } = await scan(twice);
    expect((await listed(serviceId)).map(({ path }) => path)).toEqual(
      twice.endpoints.map(({ path }) => path).toSorted(),
    );
  });
});

describe("the search over all endpoints", () => {
  const endpoint = (path: string, method: "GET" | "PUT" = "GET") => ({
    method,
    path,
    operationId: null,
    tags: [],
    summary: null,
  });
  const store = (serviceName: string, endpoints: ScanIngestionPayload["endpoints"]) =>
    scan({ ...scanPayload({ serviceName, endpoints: 1, findings: 0 }), endpoints });
  const listed = async (q: string, between?: () => Promise<unknown>) => {
    const found = await readAll<FoundEndpoint>(`/api/endpoints?q=${q}&`, "endpoints", between);
    return found.map(({ serviceName, method, path }) => `${serviceName}: ${method} ${path}`);
  };

  it("is complete after the endpoints of an earlier page were removed", async () => {
    const first = [
      endpoint("/zebra/a"),
      endpoint("/zebra/b", "PUT"),
      endpoint("/zebra/b"),
      endpoint("/other"),
    ];
    await store("Zoo B", [endpoint("/zebra/c")]);
    await store("Zoo A", first);
    const remove = () => store("Zoo A", first.slice(1));
    const expected = [
      "Zoo A: GET /zebra/a",
      "Zoo A: GET /zebra/b",
      "Zoo A: PUT /zebra/b",
      "Zoo B: GET /zebra/c",
    ];
    expect(await listed("zebra", remove)).toEqual(expected);
    expect(await listed("zebra")).toEqual(expected.slice(1));
  });

  it("lists an endpoint as often as the description has it", async () => {
    await store("Twice", [endpoint("/okapi"), endpoint("/Okapi"), endpoint("/okapi")]);
    expect(await listed("okapi")).toEqual(["Twice: GET /Okapi", "Twice: GET /okapi", "Twice: GET /okapi"]);
  });
});

describe("the findings of all services", () => {
  const finding = (path: string | null, message = "m") => ({
    code: "paged-rule",
    severity: "high" as const,
    message,
    method: path === null ? null : ("GET" as const),
    path,
  });
  const listed = async (code: string, between?: () => Promise<unknown>) => {
    const found = await readAll<CurrentFinding>(`/api/findings?code=${code}&`, "findings", between);
    return found.map(({ path, message }) => [path, message]);
  };

  it("are complete after a finding of an earlier page was fixed", async () => {
    const payload = scanPayload({ serviceName: "fixed between pages", endpoints: 1 });
    const findings = ["/a", "/b", "/c", "/d"].map((path) => finding(path));
    await scan({ ...payload, findings });
    const fix = () => scan({ ...payload, findings: findings.slice(1) });
    expect(await listed("paged-rule", fix)).toEqual(findings.map(({ path, message }) => [path, message]));
    await scan({ ...payload, findings: [] });
  });

  it("are listed as often as the scan has them, also without a path", async () => {
    const findings = [finding(null, "x"), finding("/a"), finding("", "x"), finding("/a"), finding(null, "x")];
    const renamed = findings.map((each) => ({ ...each, code: "paged-twice" }));
    await scan({ ...scanPayload({ serviceName: "equal findings", endpoints: 1 }), findings: renamed });
    const found = await listed("paged-twice");
    expect(found).toHaveLength(findings.length);
    expect(found.slice(3)).toEqual([
      ["/a", "m"],
      ["/a", "m"],
    ]);
  });

  it("keep their ids when their places and severities change, and no two have the same", async () => {
    const payload = scanPayload({ serviceName: "stable ids", endpoints: 1 });
    const findings = ["/a", "/b", "/c"].map((path) => ({ ...finding(path), code: "stable" }));
    const idsOf = async () => {
      const { body } = await stack.http.get<{ findings: CurrentFinding[] }>("/api/findings?code=stable");
      return new Map(body.findings.map(({ path, id }) => [path, id]));
    };
    await scan({ ...payload, findings });
    const before = await idsOf();
    expect(new Set(before.values()).size).toBe(3);
    const [, b, c] = findings;
    const { scanRunId } = await scan({
      ...payload,
      findings: [c, { ...b, severity: "low" as const }] as typeof findings,
    });
    const after = await idsOf();
    expect(after.get("/b")).toBe(before.get("/b"));
    expect(after.get("/c")).toBe(before.get("/c"));
    const ofRun = await stack.http.get<{ findings: { id: string; path: string }[] }>(
      `/api/scan-runs/${scanRunId}/findings`,
    );
    expect(ofRun.body.findings.map(({ path, id }) => [path, id])).toEqual([
      ["/c", before.get("/c")],
      ["/b", before.get("/b")],
    ]);
    const one = await stack.http.get(`/api/scan-runs/${scanRunId}/findings/1`);
    expect(one.body).toMatchObject({ finding: { id: before.get("/b"), severity: "low" } });
  });
});
