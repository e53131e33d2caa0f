import { afterAll, beforeAll, expect, it } from "vitest";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { describedService, settledChanges } from "@waymark/test-support/described-service.ts";
import { descriptionOf } from "@waymark/test-support/descriptions.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const changesAgainst = async (scanRunId: string, against: string, search = "") =>
  (await stack.http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes?against=${against}${search}`)).body;

/** The parameters that became required, by the part of the operation that the verdicts name. */
const partsOf = ({ verdicts }: ScanChanges) => verdicts.map(({ at }) => at);

it("compares a run with one that is not the one before it", async () => {
  const { scan } = describedService(stack, { endpointCount: 1 });
  const first = await scan();
  const second = await scan({ required: ["page"] });
  const third = await scan({ required: ["page", "size"] });
  await settledChanges(stack, third);
  const changes = await changesAgainst(third, first);
  expect(changes).toMatchObject({
    against: first,
    previous: second,
    comparison: {
      status: "compared",
      reason: null,
      against: first,
      counts: { breaking: 2, maybe: 0, safe: 0, approved: 0 },
      notListed: 0,
      notCompared: [],
    },
  });
  expect(partsOf(changes).toSorted()).toEqual([
    expect.stringContaining("page"),
    expect.stringContaining("size"),
  ]);
  // The run before it has what the worker found.
  expect(partsOf(await changesAgainst(third, second))).toEqual([expect.stringContaining("size")]);
  // Backwards, nothing is required any more.
  expect((await changesAgainst(first, third)).comparison.counts).toMatchObject({ breaking: 0 });
});

it("compares runs of two services", async () => {
  const [one, other] = [
    describedService(stack, { endpointCount: 1 }),
    describedService(stack, { endpointCount: 1 }),
  ];
  const base = await one.scan();
  const head = await other.scan({ required: ["page"] });
  const changes = await changesAgainst(head, base);
  expect(changes.comparison).toMatchObject({ status: "compared", against: base });
  expect(changes.verdicts.length).toBeGreaterThan(0);
});

it("lists the verdicts in pages, whose cursors are for that comparison", async () => {
  const { scan } = describedService(stack, { endpointCount: 40 });
  const first = await scan();
  await scan({ required: ["a"] });
  const last = await scan({ required: ["a", "b", "c"] });
  const found: string[] = [];
  let cursor = "";
  do {
    const page = await changesAgainst(last, first, `&limit=35${cursor}`);
    expect(page.comparison.counts).toMatchObject({ breaking: 120 });
    found.push(...page.verdicts.map(({ fingerprint }) => fingerprint));
    cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  expect([found.length, new Set(found).size]).toEqual([120, 120]);
  const { nextCursor } = await changesAgainst(last, first, "&limit=1");
  const refused = await stack.http.get(`/api/scan-runs/${last}/changes?cursor=${nextCursor}`);
  expect([refused.status, errorOf(refused).code]).toEqual([400, "validation_failed"]);
});

it("says of runs without a description that they were not compared", async () => {
  const { scan } = describedService(stack, { endpointCount: 1 });
  const first = await scan({ isDescribed: false });
  const second = await scan();
  const third = await scan();
  const reasonOf = async (run: string, against: string) => {
    const { status, reason, counts } = (await changesAgainst(run, against)).comparison;
    return [status, reason, counts];
  };
  expect(await reasonOf(third, first)).toEqual(["not_compared", "no_base_description", null]);
  expect(await reasonOf(first, third)).toEqual(["not_compared", "no_description", null]);
  expect(await reasonOf(second, third)).toEqual([
    "compared",
    null,
    { breaking: 0, maybe: 0, safe: 0, approved: 0 },
  ]);
});

it("answers many who ask for the same at the same time alike", async () => {
  const { scan } = describedService(stack, { endpointCount: 20 });
  const first = await scan();
  await scan({ required: ["a"] });
  const last = await scan({ required: ["a", "b"] });
  const answers = await Promise.all(Array.from({ length: 20 }, () => changesAgainst(last, first)));
  expect(new Set(answers.map(({ comparison }) => comparison.comparedAt)).size).toBe(1);
});

it("judges by the day of the run, as the comparison with the run before it", async () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
  const payload = scanPayload({ serviceName: "sunset", endpoints: 2 });
  const [kept, gone] = payload.endpoints;
  if (kept === undefined || gone === undefined) throw new Error("two endpoints are needed");
  const scan = async (endpoints: (typeof payload)["endpoints"], description: object, headers = {}) => {
    const sent = { ...payload, endpoints, findings: [] };
    const { body } = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", sent, { headers });
    await waitForRun(stack, body.scanRunId);
    const put = await stack.http.request("PUT", `/api/scan-runs/${body.scanRunId}/description`, {
      body: description,
    });
    expect(put.status).toBeLessThan(300);
    return body.scanRunId;
  };
  const before = descriptionOf([kept, gone]);
  // It ended yesterday: the run of ten days ago has removed it too early.
  Object.assign(before.paths[gone.path]?.[gone.method.toLowerCase()] ?? {}, {
    deprecated: true,
    "x-sunset": daysAgo(1).slice(0, 10),
  });
  const base = await scan([kept, gone], before);
  const head = await scan([kept], descriptionOf([kept]), { "scanned-at": daysAgo(10) });
  expect((await changesAgainst(head, base)).comparison.counts).toMatchObject({ breaking: 1 });
});
