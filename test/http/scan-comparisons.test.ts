import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChangeApproval } from "@waymark/shared/scans/approvals/schema.ts";
import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { CreatedServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { ServiceChange } from "@waymark/shared/services/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { describedService, settledChanges } from "@waymark/test-support/described-service.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const HELD = { "waymark-promote": "false" };

const newService = (options: { endpointCount?: number } = {}) => describedService(stack, options);

const changesOf = async (scanRunId: string, search = "", http = stack.http) =>
  (await http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes${search}`)).body;

const settled = (scanRunId: string) => settledChanges(stack, scanRunId);

const promote = (scanRunId: string) => stack.http.post(`/api/scan-runs/${scanRunId}/promote`);
const undo = (scanRunId: string) => stack.http.request("DELETE", `/api/scan-runs/${scanRunId}/promotion`);

const brief = ({ status, reason, against, counts }: Comparison) => [status, reason, against, counts];
const breaking = (count: number, approved = 0) => ({ breaking: count, maybe: 0, safe: 0, approved });

describe("the description of a run", () => {
  it("is compared with that of the run before, and each change says what breaks, where", async () => {
    const { scan, payload } = newService({ endpointCount: 1 });
    const base = await scan();
    const { comparison, verdicts } = await settled(await scan({ required: ["page"] }));
    expect(brief(comparison)).toEqual(["compared", null, base, breaking(1)]);
    const [{ method, path } = { method: "", path: "" }] = payload.endpoints;
    expect(verdicts).toMatchObject([
      {
        id: "required-parameter-added",
        level: "breaking",
        direction: "request",
        operations: [{ method, path, kind: "operation" }],
        operationCount: 1,
        head: { file: "", pointer: expect.stringContaining("/parameters/0"), line: null },
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
        approval: null,
      },
    ]);
  });

  it("is compared without a word where nothing changed but its form", async () => {
    const { scan } = newService();
    const base = await scan();
    const { comparison, verdicts } = await settled(await scan());
    expect({ comparison: brief(comparison), verdicts }).toEqual({
      comparison: ["compared", null, base, breaking(0)],
      verdicts: [],
    });
  });

  it("is never said to be unchanged where it was not compared", async () => {
    const { scan } = newService();
    const first = await scan({ isDescribed: false });
    const second = await scan();
    const third = await scan({ isDescribed: false });
    const reasons = [first, second, third].map(async (id) => brief((await changesOf(id)).comparison));
    expect(await Promise.all(reasons)).toEqual([
      ["not_compared", "no_base", null, null],
      ["not_compared", "no_base_description", first, null],
      ["not_compared", "no_description", second, null],
    ]);
    const other = await changesOf(third, `?against=${first}`);
    expect(brief(other.comparison)).toEqual(["not_compared", "no_description", first, null]);
  });

  it("is read again by a client that has it as pending", async () => {
    const { scan, describeRun } = newService();
    const base = await scan({ isDescribed: false });
    const run = await scan({ required: ["page"] });
    const path = `/api/scan-runs/${run}/changes`;
    const read = async (etag = "") => {
      const { status, headers } = await stack.http.get(path, { headers: { "if-none-match": etag } });
      return { status, etag: headers.get("etag") ?? "" };
    };
    const before = await read();
    expect(await read(before.etag)).toMatchObject({ status: 304 });
    await describeRun(base, []);
    await settled(run);
    const after = await read(before.etag);
    expect(after).toMatchObject({ status: 200 });
    expect(await read(after.etag)).toMatchObject({ status: 304 });
  });

  it("is compared when the description of the run before comes later", async () => {
    const { scan, describeRun } = newService();
    const base = await scan({ isDescribed: false });
    const run = await scan({ required: ["page"] });
    await describeRun(base, []);
    expect(brief((await settled(run)).comparison)).toEqual(["compared", null, base, breaking(2)]);
  });
});

describe("verdicts", () => {
  it("beyond two thousand are counted, and the others come in pages", async () => {
    const { scan } = newService({ endpointCount: 300 });
    await scan();
    const run = await scan({ required: Array.from({ length: 10 }, (_, n) => `p${n}`) });
    const { comparison } = await settled(run);
    const total = comparison.counts?.breaking ?? 0;
    expect(total).toBeGreaterThan(2500);
    expect(comparison.notListed).toBe(total - 2000);
    const found = new Set<string>();
    let cursor = "";
    do {
      const page = await changesOf(run, `?limit=500${cursor}`);
      for (const { fingerprint } of page.verdicts) found.add(fingerprint);
      cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    expect(found.size).toBe(2000);
  });

  it("have cursors for their comparison only", async () => {
    const { scan } = newService();
    await scan();
    const run = await scan({ required: ["page"] });
    await settled(run);
    const { nextCursor } = await changesOf(run, "?limit=1");
    expect((await changesOf(run, `?limit=1&cursor=${nextCursor}`)).verdicts).toHaveLength(1);
    const other = await scan({ required: ["page", "size"] });
    await settled(other);
    const refused = await stack.http.get(`/api/scan-runs/${other}/changes?cursor=${nextCursor}`);
    expect([refused.status, errorOf(refused).code]).toEqual([400, "validation_failed"]);
  });

  it("of texts that are hostile are stored and read", async () => {
    const { scan, describeRun } = newService({ endpointCount: 1 });
    await scan();
    const run = await scan({ isDescribed: false });
    const name = `a\u0000b\ud800c${"x".repeat(5_000)}`;
    await describeRun(run, [name]);
    const { comparison, verdicts } = await settled(run);
    expect(comparison.status).toBe("compared");
    expect(verdicts[0]?.message.isWellFormed()).toBe(true);
  });

  it("are for keys that may read the service", async () => {
    const [own, other] = [newService(), newService()];
    const runs = [await own.scan(), await other.scan()] as const;
    const [{ serviceId }] = await query<{ serviceId: string }>(
      stack,
      'SELECT service_id AS "serviceId" FROM scan_runs WHERE id = $1',
      [runs[0]],
    ).then((rows) => [rows[0] ?? { serviceId: "" }] as const);
    const key = await createKey(stack, [{ permission: "endpoints:read", serviceId }]);
    const http = createHttpClient(stack.api.baseUrl, { key });
    expect((await http.get(`/api/scan-runs/${runs[0]}/changes`)).status).toBe(200);
    expect((await http.get(`/api/scan-runs/${runs[1]}/changes`)).status).toBe(403);
    expect((await http.get(`/api/scan-runs/${runs[0]}/changes?against=${runs[1]}`)).status).toBe(403);
  });
});

describe("the run before", () => {
  it("is another one after a late scan, and the comparison is made again", async () => {
    const { scan } = newService();
    const first = await scan();
    const last = await scan({ required: ["page"] });
    expect(brief((await settled(last)).comparison)).toEqual(["compared", null, first, breaking(2)]);
    const [{ at } = { at: "" }] = await query<{ at: string }>(
      stack,
      "SELECT to_json(ordered_at + interval '1 ms') #>> '{}' AS at FROM scan_runs WHERE id = $1",
      [first],
    );
    const late = await scan({ required: ["page"], headers: { "scanned-at": at } });
    expect(brief((await settled(late)).comparison)).toEqual(["compared", null, first, breaking(2)]);
    expect(brief((await settled(last)).comparison)).toEqual(["compared", null, late, breaking(0)]);
  });

  it("of a run that is not promoted is the current one, until another is promoted between them, or that is undone", async () => {
    const { scan } = newService();
    const first = await scan();
    const [second, third] = [
      await scan({ required: ["a"], headers: HELD }),
      await scan({ required: ["a", "b"], headers: HELD }),
    ];
    expect(brief((await settled(third)).comparison)).toEqual(["compared", null, first, breaking(4)]);
    await promote(second);
    expect(brief((await settled(third)).comparison)).toEqual(["compared", null, second, breaking(2)]);
    await undo(second);
    expect(brief((await settled(third)).comparison)).toEqual(["compared", null, first, breaking(4)]);
  });

  it("may be deleted: the comparison with it stays", async () => {
    const { scan } = newService();
    const [oldest, base] = [await scan(), await scan({ required: ["a"] })];
    const run = await scan({ required: ["a", "b"] });
    await settled(run);
    await query(stack, "DELETE FROM scan_runs WHERE id = $1", [base]);
    const { comparison, against, verdicts } = await changesOf(run);
    expect(brief(comparison)).toEqual(["compared", null, base, breaking(2)]);
    expect({ against, verdicts: verdicts.length }).toEqual({ against: oldest, verdicts: 2 });
  });

  it("takes its comparison and its task with it when it is deleted itself", async () => {
    const { scan } = newService();
    await scan();
    const run = await scan({ required: ["a"] });
    await settled(run);
    await query(stack, "DELETE FROM scan_runs WHERE id = $1", [run]);
    const left = await query(stack, "SELECT FROM scan_comparisons WHERE scan_run_id = $1", [run]);
    expect(left).toEqual([]);
  });
});

describe("a service's changes", () => {
  const serviceOf = async (scanRunId: string) =>
    (await stack.http.get<ScanRun>(`/api/scan-runs/${scanRunId}`)).body;
  const listed = async (scanRunId: string) => {
    const { serviceId } = await serviceOf(scanRunId);
    const { body } = await stack.http.get<{ changes: ServiceChange[] }>(`/api/services/${serviceId}/changes`);
    return body.changes.map((change) => [
      change.scanRunId,
      change.comparison.status,
      change.comparison.counts,
    ]);
  };

  it("have those of the description alone, and none where only its form or nothing changed", async () => {
    const { scan, describeRun } = newService();
    const first = await scan();
    const second = await scan({ required: ["a"] });
    const third = await scan({ isDescribed: false });
    await describeRun(third, ["a"], { "x-nothing": "that clients see" });
    for (const run of [second, third]) await settled(run);
    expect(await listed(first)).toEqual([
      [second, "compared", breaking(2)],
      [first, "not_compared", null],
    ]);
  });

  it("that break clients are a concern of the overview, until the next change, and say what is approved", async () => {
    const { scan, payload } = newService({ endpointCount: 1 });
    const concerns = async () => {
      const { body } = await stack.http.get<Overview>("/api/overview?rows=2000");
      return body.concerns
        .filter(({ serviceName, kind }) => serviceName === payload.service.name && kind !== "held")
        .map((each) => [each.kind, each.scanRunId, each.breakingChanges, each.approvedChanges]);
    };
    await scan();
    const held = await scan({ required: ["b"], headers: HELD });
    await settled(held);
    expect(await concerns()).toEqual([]);
    const run = await scan({ required: ["a"] });
    const { verdicts } = await settled(run);
    expect(await concerns()).toEqual([["breaking", run, 1, 0]]);
    const { serviceId } = await serviceOf(run);
    const badge = await stack.http.post<CreatedServiceBadge>(`/api/services/${serviceId}/badge`);
    const badgeText = async () => (await fetch(badge.body.url)).text();
    expect(await badgeText()).toContain("<title>API contract: breaks clients</title>");
    await stack.http.post(`/api/services/${serviceId}/change-approvals`, {
      fingerprints: [verdicts[0]?.fingerprint],
      reason: "agreed",
      scanRunId: run,
    });
    // A scan of that description again changes nothing.
    await settled(await scan({ required: ["a"] }));
    expect(await concerns()).toEqual([["accepted", run, 1, 1]]);
    expect(await badgeText()).not.toContain("breaks clients");
    await settled(await scan());
    expect(await concerns()).toEqual([]);
  });
});

describe("an approval", () => {
  const servicePath = async (scanRunId: string) => {
    const run = await stack.http.get<{ serviceId: string }>(`/api/scan-runs/${scanRunId}`);
    return `/api/services/${run.body.serviceId}/change-approvals`;
  };
  const approve = async (scanRunId: string, fingerprints: readonly string[]) =>
    stack.http.post<{ approvals: ChangeApproval[] }>(await servicePath(scanRunId), {
      fingerprints,
      reason: "agreed",
      scanRunId,
    });
  const states = async (scanRunId: string) => {
    const { body } = await stack.http.get<{ approvals: ChangeApproval[] }>(await servicePath(scanRunId));
    return body.approvals.map(({ state, usedByScanRunId }) => [state, usedByScanRunId]);
  };

  it("is shown with its change, and used up when the change is current", async () => {
    const { scan } = newService({ endpointCount: 1 });
    await scan();
    const held = await scan({ required: ["a"], headers: HELD });
    const { verdicts } = await settled(held);
    const fingerprints = verdicts.map(({ fingerprint }) => fingerprint);
    await approve(held, fingerprints);
    const shown = await changesOf(held);
    expect(shown.comparison.counts).toEqual(breaking(1, 1));
    expect(shown.verdicts[0]?.approval).toMatchObject({ reason: "agreed", until: null });
    const again = await scan({ required: ["a"] });
    expect((await settled(again)).comparison.counts).toEqual(breaking(1, 1));
    expect(await states(held)).toEqual([["used", again]]);
  });

  it("is needed again when the same change is made again", async () => {
    const { scan } = newService({ endpointCount: 1 });
    await scan();
    const first = await scan({ required: ["a"], headers: HELD });
    const { verdicts } = await settled(first);
    await approve(first, [verdicts[0]?.fingerprint ?? ""]);
    await promote(first);
    expect((await settled(first)).comparison.counts).toEqual(breaking(1, 1));
    await settled(await scan());
    const second = await settled(await scan({ required: ["a"] }));
    expect(second.comparison.counts).toEqual(breaking(1, 0));
    expect(second.verdicts[0]?.fingerprint).toBe(verdicts[0]?.fingerprint);
  });

  it("holds again when the promotion is undone that used it up", async () => {
    const { scan } = newService({ endpointCount: 1 });
    await scan();
    const held = await scan({ required: ["a"], headers: HELD });
    const { verdicts } = await settled(held);
    await approve(held, [verdicts[0]?.fingerprint ?? ""]);
    await promote(held);
    expect(await states(held)).toEqual([["used", held]]);
    await undo(held);
    expect(await states(held)).toEqual([["open", null]]);
    expect((await settled(held)).comparison.counts).toEqual(breaking(1, 1));
  });

  it("of a run that is current already is for that run", async () => {
    const { scan } = newService({ endpointCount: 1 });
    await scan();
    const run = await scan({ required: ["a"] });
    const { verdicts } = await settled(run);
    await approve(run, [verdicts[0]?.fingerprint ?? ""]);
    expect((await changesOf(run)).comparison.counts).toEqual(breaking(1, 1));
    expect(await states(run)).toEqual([["used", run]]);
  });

  it("is refused for a change that its run does not have", async () => {
    const { scan } = newService({ endpointCount: 1 });
    await scan();
    const run = await scan({ required: ["a"] });
    const { verdicts } = await settled(run);
    const refused = await approve(run, [verdicts[0]?.fingerprint ?? "", "0".repeat(32)]);
    expect([refused.status, errorOf(refused).details]).toEqual([
      400,
      [{ path: "fingerprints[1]", message: "is no change of this scan run" }],
    ]);
  });
});
