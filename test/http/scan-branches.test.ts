import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { sourceHeadersOf } from "@waymark/shared/scans/source/headers.ts";
import type { SubmittedSource } from "@waymark/shared/scans/source/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { describedService, settledChanges } from "@waymark/test-support/described-service.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const headers = (
  source: SubmittedSource,
  { promote = false, at }: { promote?: boolean; at?: Date } = {},
) => ({
  "waymark-promote": `${promote}`,
  ...sourceHeadersOf(source),
  ...(at !== undefined && { "scanned-at": at.toISOString() }),
});
const into = (baseBranch: string) => headers({ kind: "pull_request", pullRequest: "812", baseBranch });
const branchOf = (branch: string) => headers({ kind: "branch", branch, defaultBranch: "main" });
const MAIN = headers({ kind: "branch", branch: "main", defaultBranch: "main" }, { promote: true });

const baseOf = async (scanRunId: string) => {
  const { comparison, against } = await settledChanges(stack, scanRunId);
  expect(comparison.against).toBe(against);
  return [comparison.status, comparison.against, comparison.counts?.breaking];
};
const currentOf = async (serviceId: string, search = "", key = stack.apiKey) =>
  stack.http.get<ScanRun>(`/api/services/${serviceId}/current-scan-run${search}`, { key });

describe("a run of a pull request", () => {
  it("is compared with its base branch, and not with the default one", async () => {
    const { scan } = describedService(stack);
    const release = await scan({ headers: branchOf("release/1.x") });
    const main = await scan({ headers: MAIN, required: ["a", "b"] });
    const change = { required: ["page"] };
    expect(await baseOf(await scan({ headers: into("release/1.x"), ...change }))).toEqual([
      "compared",
      release,
      2,
    ]);
    expect(await baseOf(await scan({ headers: into("main"), ...change }))).toEqual(["compared", main, 2]);
    // Nobody knows that branch.
    expect(await baseOf(await scan({ headers: into("release/2.x"), ...change }))).toEqual([
      "compared",
      main,
      2,
    ]);
  });

  it("into the default branch is compared with the last run that was promoted, and not with one that a gate held", async () => {
    const { scan } = describedService(stack);
    const main = await scan({ headers: MAIN });
    await scan({ headers: branchOf("main"), required: ["held"] });
    expect(await baseOf(await scan({ headers: into("main") }))).toEqual(["compared", main, 0]);
  });

  it("is not compared with runs of pull requests, tags and previews of that branch", async () => {
    const { scan } = describedService(stack);
    await scan({ headers: MAIN });
    const release = await scan({ headers: branchOf("release/1.x") });
    for (const source of [{ pullRequest: "1" }, { kind: "tag" }, { kind: "preview" }] as const)
      await scan({ headers: headers({ ...source, branch: "release/1.x" }), required: ["other"] });
    expect(await baseOf(await scan({ headers: into("release/1.x") }))).toEqual(["compared", release, 0]);
  });

  it.each([
    ["", false],
    [", and another one became current between them", true],
  ])("is compared again when an earlier run of its base branch comes late%s", async (_, isBetween) => {
    const { scan } = describedService(stack);
    const first = await scan({ headers: MAIN });
    const main = isBetween ? await scan({ headers: MAIN }) : first;
    const pull = await scan({ headers: into("release/1.x"), required: ["page"] });
    expect(await baseOf(pull)).toEqual(["compared", main, 2]);
    const { body } = await stack.http.get<ScanRun>(`/api/scan-runs/${first}`);
    const release = { kind: "branch", branch: "release/1.x" } as const;
    const late = headers(release, { at: new Date(Date.parse(body.scannedAt) + 1) });
    // Equal descriptions would need no comparison.
    const base = await scan({ headers: late, required: ["other"] });
    expect(await baseOf(pull)).toEqual(["compared", base, 2]);
  });

  it("that is promoted is compared as every promoted run", async () => {
    const { scan } = describedService(stack);
    await scan({ headers: branchOf("release/1.x"), required: ["other"] });
    const main = await scan({ headers: MAIN });
    const pull = await scan({ headers: into("release/1.x") });
    await stack.http.post(`/api/scan-runs/${pull}/promote`);
    expect(await baseOf(pull)).toEqual(["compared", main, 0]);
  });
});

describe("the current run", () => {
  it("is that of the service, of its default branch, or of another branch", async () => {
    const { scan } = describedService(stack);
    const release = await scan({ headers: branchOf("release/1.x"), isDescribed: false });
    const main = await scan({ headers: MAIN, isDescribed: false });
    await scan({ headers: branchOf("main"), isDescribed: false });
    await scan({ headers: into("release/1.x"), isDescribed: false });
    const { serviceId } = (await stack.http.get<ScanRun>(`/api/scan-runs/${main}`)).body;
    const idOf = async (search: string) => (await currentOf(serviceId, search)).body.id;
    expect(await idOf("")).toBe(main);
    expect(await idOf("?branch=main")).toBe(main);
    expect(await idOf("?branch=release%2F1.x")).toBe(release);
    await stack.http.request("PATCH", `/api/services/${serviceId}`, {
      body: { defaultBranch: "release/1.x" },
    });
    expect(await idOf("?branch=release%2F1.x")).toBe(main);
    expect((await currentOf(serviceId, "?branch=unknown")).status).toBe(404);
    expect((await currentOf(serviceId, "?branch=")).status).toBe(400);
    const key = await createKey(stack, [{ permission: "services:read", serviceId: stack.organizationId }]);
    expect(errorOf(await currentOf(serviceId, "?branch=main", key))).toMatchObject({ status: 403 });
  });

  it("is none before the first promoted run", async () => {
    const { scan } = describedService(stack);
    const held = await scan({ headers: branchOf("main"), isDescribed: false });
    const { serviceId } = (await stack.http.get<ScanRun>(`/api/scan-runs/${held}`)).body;
    expect((await currentOf(serviceId)).status).toBe(404);
  });
});
