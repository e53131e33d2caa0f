import { describe, expect, test } from "vitest";
import { type FakeApiOptions, NO_CHANGES, startFakeApi } from "../test-support/fake-api.ts";
import { answerJson } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";
import { BASE, NARROWED } from "../test-support/scan-contract.ts";

const RUN = NO_CHANGES.against;
const SERVICE = "019a0000-0000-7000-8000-000000000002";
const KEY = "019a0000-0000-7000-8000-000000000009";

/** Says the service of the run, as the server does. */
const namesService: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
  if (url !== `/api/scan-runs/${RUN}`) return false;
  answerJson(response, 200, { serviceId: SERVICE, serviceName: "locks" });
  return true;
};

const refuses =
  (part: string): NonNullable<FakeApiOptions["intercept"]> =>
  ({ url }, response) => {
    if (!url.includes(part)) return false;
    answerJson(response, 404, { error: { code: "not_found", message: "no route" } });
    return true;
  };

/** Compares with the current run, or in the way that `args` say; in the folder are `base.yaml` and the narrower `head.yaml`. */
async function diff({
  args = ["current", "head.yaml"],
  api = {},
  settings = "service: locks\n",
}: {
  args?: string[];
  api?: FakeApiOptions;
  settings?: string;
}) {
  const folder = await temporaryFolder();
  const files = { "base.yaml": BASE, "head.yaml": NARROWED, "waymark.yaml": settings };
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  const current = { scanRunId: RUN, description: BASE };
  const server = await startFakeApi({ current, approvals: [], intercept: namesService, ...api });
  const result = await runCaptured(["diff", ...args, "--fail-on", "breaking"], {
    cwd: folder.path,
    env: { SERVICE_API_URL: server.url, SERVICE_API_KEY: "k" },
    times: { attemptsMax: 1 },
  });
  const asked = server.requests.filter(({ url }) => url.includes("/change-approvals")).map(({ url }) => url);
  return { ...result, asked };
}

const approvalOf = (fingerprint: string, more: object = {}) => ({
  fingerprint,
  state: "open",
  reason: "agreed",
  until: null,
  approvedBy: KEY,
  usedByScanRunId: null,
  ...more,
});

async function fingerprintOf(args?: string[]): Promise<string> {
  const { stdout } = await diff({ args: [...(args ?? ["current", "head.yaml"]), "--json"] });
  return JSON.parse(stdout).verdicts[0].fingerprint;
}

describe("an approved change", () => {
  test("is shown with the person who approved it", async () => {
    const approver = { type: "user", id: SERVICE, displayName: "Ada\u001b[31m" };
    const approvals = [approvalOf(await fingerprintOf(), { approver })];
    const { stdout } = await diff({ api: { approvals } });
    expect(stdout).toContain("approved by Ada");
    expect(stdout).not.toContain("\u001b[31m");
    expect(stdout).not.toContain(KEY);
  });

  test.each([
    ["the current run", ["current", "head.yaml"]],
    ["a run", [RUN, "head.yaml"]],
  ])("passes the gate against %s, and is shown with its approval", async (_, args) => {
    const approvals = [approvalOf(await fingerprintOf(args), { until: "2099-12-31" })];
    const { exitCode, stdout, stderr, asked } = await diff({ args, api: { approvals } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(`^Approved: 1 change$[^]*approved by the key ${KEY} until 2099-12-31: agreed$`, "m"),
    );
    expect(stdout).toContain("Breaks clients: no change found in 1 operation");
    expect(asked).toEqual([expect.stringContaining(`/${SERVICE}/change-approvals?state=open`)]);
    const json = JSON.parse((await diff({ args: [...args, "--json"], api: { approvals } })).stdout);
    expect(json).toMatchObject({ breaking: [], verdicts: [{ approval: { until: "2099-12-31" } }] });
  });

  test("counts when its approval has expired, and the day is said", async () => {
    const approvals = [approvalOf(await fingerprintOf(), { state: "expired", until: "2026-01-31" })];
    const { exitCode, stderr } = await diff({ api: { approvals } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'Note: the approval of a change expired after 2026-01-31, so that it counts: PUT /locks/{id}: The property "state"',
    );
  });

  test("counts when only other changes are approved, and their number is said", async () => {
    const approvals = [approvalOf("0".repeat(32)), approvalOf("1".repeat(32))];
    const { exitCode, stderr } = await diff({ api: { approvals } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Note: 2 approvals of the service are for none of these changes.");
  });

  test("passes with the approval that a run as the head has used up, and with no other used one", async () => {
    const api = { current: { scanRunId: RUN, description: NARROWED } };
    const args = ["base.yaml", RUN];
    const json = await diff({ args: [...args, "--json"], api });
    const used = (run: string) =>
      approvalOf(JSON.parse(json.stdout).verdicts[0].fingerprint, { state: "used", usedByScanRunId: run });
    expect(await diff({ args, api: { ...api, approvals: [used(RUN)] } })).toMatchObject({ exitCode: 0 });
    expect(await diff({ args, api: { ...api, approvals: [used(SERVICE)] } })).toMatchObject({ exitCode: 1 });
  });

  test("counts when the run before the change has used its approval up", async () => {
    const args = [RUN, "head.yaml"];
    const used = approvalOf(await fingerprintOf(args), { state: "used", usedByScanRunId: RUN });
    expect(await diff({ args, api: { approvals: [used] } })).toMatchObject({ exitCode: 1 });
  });

  test("counts between runs of two services, which is said, and no approval is looked for", async () => {
    const { exitCode, stderr, asked } = await diff({
      args: [RUN, KEY],
      api: {
        intercept: ({ url }, response) => {
          const run = /^\/api\/scan-runs\/([^/]+)$/.exec(url)?.[1];
          if (run !== undefined) answerJson(response, 200, { serviceId: run, serviceName: "locks" });
          return run !== undefined;
        },
        describeRun: ({ url }, response) => {
          const text = url.includes(RUN) ? BASE : NARROWED;
          response.writeHead(200, { "content-type": "application/yaml; charset=utf-8" }).end(text);
        },
      },
    });
    expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: [] });
    expect(stderr).toContain("Note: no approval was looked for, because the runs are those of two services.");
  });

  test("counts where the approvals, or the service of a run, can't be read, and the reason is said", async () => {
    const noApprovals = await diff({ api: { intercept: refuses("/change-approvals") } });
    expect(noApprovals.exitCode).toBe(1);
    expect(noApprovals.stderr).toContain(
      "Note: approved changes count, too, because reading the approvals failed: HTTP 404",
    );
    const noService = await diff({
      args: [RUN, "head.yaml"],
      api: { intercept: refuses(`/scan-runs/${RUN}`) },
    });
    expect(noService.exitCode).toBe(1);
    expect(noService.stderr).toContain("Note: approved changes count, too, because ");
  });

  test("is not looked for where nothing is compared with the server", async () => {
    const { exitCode, asked } = await diff({ args: ["base.yaml", "head.yaml"] });
    expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: [] });
  });
});

describe("an exception of waymark.yaml", () => {
  const ignoring = (more: string) => `contract: { ignores: [{ id: request-enum-value-removed${more} }] }\n`;
  const local = ["base.yaml", "head.yaml"];

  test("holds between local files until its last day, and then says so", async () => {
    expect(await diff({ args: local, settings: ignoring(", reason: agreed") })).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    const over = await diff({ args: local, settings: ignoring(", reason: agreed, until: 2026-01-31") });
    expect(over.exitCode).toBe(1);
    expect(over.stderr).toContain(
      "Note: the exception for request-enum-value-removed in waymark.yaml ended after 2026-01-31: remove it, or give it a later day.",
    );
  });

  test("that matches nothing is named, with its operation", async () => {
    const settings = ignoring(", operation: GET /x, reason: agreed");
    const { exitCode, stderr } = await diff({ args: local, settings });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "Note: the exception for request-enum-value-removed of GET /x in waymark.yaml matches no change: remove it.",
    );
  });
});
