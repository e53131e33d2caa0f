import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ChangeApproval } from "@waymark/shared/scans/approvals/schema.ts";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCaptured, temporaryFolder } from "../../cli/src/test-support/run-captured.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const ENTRY = `openapi: 3.1.0
info: { title: Locks, version: "1" }
paths:
  /locks/{id}: { $ref: paths/lock.yaml }
  /internal: { get: { responses: { "200": { description: d } } } }
`;
const ITEM = `put:
  parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
  requestBody: { content: { application/json: { schema: { $ref: "../parts.yaml#/components/schemas/Lock" } } } }
  responses: { "200": { description: d } }
`;
const PARTS = (states: string, required = "") =>
  `components:
  schemas:
    Lock:
      type: object
      properties: { state: { type: string, enum: ${states} } }
${required}`;

interface Scanned {
  exitCode: number;
  scanRunId: string;
  comparison: { status: string; against: string | null; counts: Record<string, number> | null };
  verdicts: { fingerprint: string; level: string }[] | null;
}

/** A service of several files, of which scans select a part. */
async function newService() {
  const folder = await temporaryFolder();
  const name = randomUUID();
  const permissions = [
    "scans:create",
    "services:create",
    "services:update",
    "services:read",
    "endpoints:write",
    "endpoints:read",
    "changes:approve",
  ];
  const env = {
    SERVICE_API_KEY: await createKey(stack, permissions),
    SERVICE_API_URL: stack.api.baseUrl,
  };
  await folder.write("api.yaml", ENTRY);
  await folder.write("paths/lock.yaml", ITEM);
  const waymark = (...args: string[]) => runCaptured(args, { cwd: folder.path, env });
  const scan = async (parts: string, ...args: string[]) => {
    await folder.write("parts.yaml", parts);
    const selected = ["--spec", "api.yaml", "--include-path", "/locks/**", "--promote", "--json"];
    const ended = await waymark("scan", "--service", name, ...selected, "--fail-on", "breaking", ...args);
    return { ...ended, result: JSON.parse(ended.stdout) as Scanned };
  };
  return { folder, name, scan, waymark };
}

const runOf = async (id: string) => (await stack.http.get<ScanRun>(`/api/scan-runs/${id}`)).body;
const fingerprintsOf = (verdicts: readonly { fingerprint: string }[] | null) =>
  (verdicts ?? []).map(({ fingerprint }) => fingerprint).toSorted();

it("the command and the server find the same changes, and an approval by command lets them pass once", async () => {
  const { folder, name, scan, waymark } = await newService();
  const first = await scan(PARTS("[open, closed]"));
  expect(first).toMatchObject({ exitCode: 0, result: { comparison: { status: "not_compared" } } });
  expect(first.stderr).toContain("has no current run, so there is nothing to compare with");

  const broken = await scan(PARTS("[open]"), "--summary", "summary.md");
  const { scanRunId, comparison, verdicts } = broken.result;
  expect(broken.exitCode).toBe(1);
  expect(comparison).toMatchObject({ against: first.result.scanRunId, counts: { breaking: 1 } });
  expect((await runOf(scanRunId)).promoted).toBe(false);
  expect(broken.stderr).toContain("(parts.yaml:5)");
  const summary = await readFile(path.join(folder.path, "summary.md"), "utf8");
  expect(summary).toMatch(/^### Waymark scan of \S+\n\n\*\*1 change breaks clients\*\*\n/);

  const changes = async () => (await stack.http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`)).body;
  await expect.poll(async () => (await changes()).comparison.status).toBe("compared");
  const stored = await changes();
  expect(stored.comparison.against).toBe(first.result.scanRunId);
  expect(fingerprintsOf(verdicts)).toEqual(fingerprintsOf(stored.verdicts));

  const diff = await waymark("diff", "current", scanRunId, "--service", name, "--json");
  expect(fingerprintsOf(JSON.parse(diff.stdout).verdicts)).toEqual(fingerprintsOf(stored.verdicts));

  const listed = await waymark("approve", scanRunId);
  const [fingerprint = ""] = fingerprintsOf(verdicts);
  expect(listed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(fingerprint) });
  const unknown = await waymark("approve", scanRunId, "--change", "0".repeat(32), "--reason", "r");
  expect(unknown.exitCode).toBe(2);
  const approved = await waymark("approve", scanRunId, "--change", fingerprint, "--reason", "agreed");
  expect(approved).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Approved: 1 change") });

  const passed = await scan(PARTS("[open]", "# A comment.\n"));
  expect(passed).toMatchObject({
    exitCode: 0,
    result: { comparison: { counts: { breaking: 0, accepted: 1 } } },
  });
  expect((await runOf(passed.result.scanRunId)).promoted).toBe(true);
  const { serviceId } = await runOf(scanRunId);
  const approvals = async () =>
    (await stack.http.get<{ approvals: ChangeApproval[] }>(`/api/services/${serviceId}/change-approvals`))
      .body.approvals;
  await expect.poll(async () => (await approvals()).map(({ state }) => state)).toEqual(["used"]);
});

it("a scan without a stored description leaves nothing to compare with, which the next gate says", async () => {
  const { scan } = await newService();
  await scan(PARTS("[open, closed]"), "--no-description");
  const { exitCode, stderr, result } = await scan(PARTS("[open, closed]"));
  expect(exitCode).toBe(1);
  expect(result).toMatchObject({
    comparison: { reason: "no_base_description", counts: null },
    verdicts: null,
  });
  expect(stderr).toMatch(
    /not compared: the current run \S+ has no stored description\. Scan the description/,
  );
});

it("a scan under the old name of a renamed service is compared with its current run", async () => {
  const { scan } = await newService();
  const first = await scan(PARTS("[open, closed]"));
  const { serviceId } = await runOf(first.result.scanRunId);
  await stack.http.request("PATCH", `/api/services/${serviceId}`, {
    key: stack.apiKey,
    body: { name: `renamed ${serviceId}` },
  });
  const broken = await scan(PARTS("[open]"));
  expect(broken.exitCode).toBe(1);
  expect(broken.result.comparison).toMatchObject({
    against: first.result.scanRunId,
    counts: { breaking: 1 },
  });
});
