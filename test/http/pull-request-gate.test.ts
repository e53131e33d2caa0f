import { randomUUID } from "node:crypto";
import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCaptured, temporaryFolder } from "../../cli/src/test-support/run-captured.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const described = (...paths: readonly string[]) => `openapi: 3.1.0
info: { title: Locks, version: "1" }
paths:
${paths.map((path) => `  ${path}: { get: { responses: { "200": { description: d } } } }`).join("\n")}
`;
const PIPELINE = { CI: "true", GITLAB_CI: "true", CI_DEFAULT_BRANCH: "main", CI_COMMIT_SHA: "c0ffee1" };
const push = (branch: string) => ({ ...PIPELINE, CI_COMMIT_BRANCH: branch, CI_COMMIT_REF_NAME: branch });
const mergeRequest = (into: string) => ({
  ...PIPELINE,
  CI_MERGE_REQUEST_IID: "812",
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "change",
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: into,
});

interface Scanned {
  scanRunId: string;
  comparison: { against: string | null };
}

/** A service, and a function that scans a description of paths in a pipeline. */
async function newService(settings: object = {}) {
  const folder = await temporaryFolder();
  await folder.write("waymark.yaml", JSON.stringify(settings));
  const key = await createKey(stack, [
    "scans:create",
    "services:create",
    "services:update",
    "services:read",
    "endpoints:write",
    "endpoints:read",
  ]);
  const options = ["--service", randomUUID(), "--json", "--fail-on", "breaking", "--fail-on-removed"];
  return async (pipeline: Record<string, string>, ...paths: readonly string[]) => {
    await folder.write("api.yaml", described(...paths));
    const env = { SERVICE_API_KEY: key, SERVICE_API_URL: stack.api.baseUrl, ...pipeline };
    const ended = await runCaptured(["scan", "--spec", "api.yaml", ...options], { cwd: folder.path, env });
    return { ...ended, result: JSON.parse(ended.stdout) as Scanned };
  };
}

it("gates judge a merge request by its target branch", async () => {
  const scan = await newService();
  const main = await scan(push("main"), "/locks", "/keys");
  // It lacks an endpoint of the default branch, and never becomes current.
  const release = await scan(push("release/1.x"), "/locks", "/doors");
  expect(release.result.comparison.against).toBe(main.result.scanRunId);
  const against = release.result.scanRunId;
  expect(await scan(mergeRequest("release/1.x"), "/locks", "/doors", "/more")).toMatchObject({
    exitCode: 0,
    result: { comparison: { against } },
  });
  const breaking = await scan(mergeRequest("release/1.x"), "/locks");
  expect(breaking).toMatchObject({ exitCode: 1, result: { comparison: { against } } });
  expect(breaking.stderr).toContain("GET /doors");
  expect(breaking.stderr).not.toContain("GET /keys");
});

it("gates judge a merge request by the current run where its target branch was never scanned, and say so", async () => {
  const scan = await newService();
  const main = await scan(push("main"), "/locks");
  const into = await scan(mergeRequest("main"), "/locks");
  expect(into.result.comparison.against).toBe(main.result.scanRunId);
  expect(into.stderr).not.toContain("base branch");
  const unknown = await scan(mergeRequest("release/1.x"), "/locks");
  expect(unknown.result.comparison.against).toBe(main.result.scanRunId);
  expect(unknown.stderr).toContain(
    "compared with the service's current run, because no run of the base branch release/1.x is stored",
  );
});

it("gates judge a branch that lives long by its own last run", async () => {
  const scan = await newService({ longLivedBranches: ["release/*"] });
  const main = await scan(push("main"), "/locks", "/keys");
  const first = await scan(push("release/1.x"), "/locks", "/doors");
  expect(first).toMatchObject({ exitCode: 1, result: { comparison: { against: main.result.scanRunId } } });
  const second = await scan(push("release/1.x"), "/locks", "/doors");
  expect(second).toMatchObject({ exitCode: 0, result: { comparison: { against: first.result.scanRunId } } });
  expect((await scan(push("feature/x"), "/locks", "/doors")).result.comparison.against).toBe(
    main.result.scanRunId,
  );
});
