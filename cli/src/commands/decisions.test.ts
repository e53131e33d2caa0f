import { describe, expect, test } from "vitest";
import { answerJson, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured } from "../test-support/run-captured.ts";

const ID = "019a0000-0000-7000-8000-000000000009";
const OTHER = "019a0000-0000-7000-8000-00000000000a";
const DECISION = {
  id: ID,
  kind: "accepted_risk",
  state: "active",
  serviceId: "019a0000-0000-7000-8000-000000000002",
  serviceName: "locks",
  code: "no-auth",
  finding: null,
  maxSeverity: "high",
  reason: "behind the VPN",
  until: "2999-01-01",
  findingCount: 2,
  exceededCount: 1,
};
const ENDED = {
  ...DECISION,
  id: OTHER,
  state: "expired",
  finding: { method: "GET", path: "/a", message: "has no security" },
  until: "2020-01-01",
  findingCount: 0,
  exceededCount: 0,
};

async function run(args: string[], { decisions = [] as object[], status = 204 } = {}) {
  const server = await startFakeServer((request, response) => {
    if (request.method === "GET") answerJson(response, 200, { decisions });
    else if (status === 204) response.writeHead(204).end();
    else
      answerJson(response, status, {
        error: { code: "not_found", message: "There is no decision with this id." },
      });
  });
  const env = { SERVICE_API_URL: server.url, SERVICE_API_KEY: "k" };
  const result = await runCaptured(args, { env });
  return { ...result, requests: server.requests.map(({ method, url }) => `${method} ${url}`) };
}

describe("waymark decisions", () => {
  test("prints each decision with its id, its end, and how many findings it covers", async () => {
    const everywhere = { ...DECISION, serviceId: null, serviceName: null, exceededCount: 0 };
    const result = await run(["decisions"], { decisions: [DECISION, everywhere, ENDED] });
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: "",
      requests: ["GET /api/finding-decisions?limit=200"],
    });
    expect(result.stdout.split("\n")).toEqual([
      `${ID} no-auth in locks: accepted until 2999-01-01 up to high, 2 findings now, 1 more severe and open: behind the VPN`,
      `${ID} no-auth in every service: accepted until 2999-01-01 up to high, 2 findings now: behind the VPN`,
      `${OTHER} no-auth in locks at GET /a (has no security): accepted until 2020-01-01 (ended) up to high, no findings any more: behind the VPN`,
      "",
    ]);
  });

  test("prints those for a service, as JSON, and says if there are none", async () => {
    const json = await run(["decisions", "--service", "locks", "--json"], { decisions: [DECISION] });
    expect(JSON.parse(json.stdout)).toEqual([DECISION]);
    expect(json.requests).toEqual(["GET /api/finding-decisions?serviceName=locks&limit=200"]);
    expect((await run(["decisions"])).stdout).toBe("There are no decisions.\n");
  });
});

describe("waymark decisions --changes", () => {
  const APPROVAL = {
    id: ID,
    fingerprint: "5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5",
    change: {
      id: "request-enum-value-removed",
      level: "breaking",
      message: 'PUT /locks no longer allows "closed"',
      operations: [{ method: "PUT", path: "/locks", kind: "operation" }],
      operationCount: 1,
    },
    state: "open",
    serviceId: "019a0000-0000-7000-8000-000000000002",
    serviceName: "locks",
    reason: "agreed",
    until: "2999-01-01",
    scanRunId: null,
    pullRequest: "812",
    usedByScanRunId: null,
  };

  async function listed(args: string[], approvals: object[]) {
    const server = await startFakeServer((_, response) => answerJson(response, 200, { approvals }));
    const env = { SERVICE_API_URL: server.url, SERVICE_API_KEY: "k" };
    const result = await runCaptured(["decisions", "--changes", ...args], { env });
    return { ...result, requests: server.requests.map(({ method, url }) => `${method} ${url}`) };
  }

  test("prints each approval with what it approves, its end, and why", async () => {
    const used = { ...APPROVAL, state: "used", until: null, pullRequest: null };
    const unknown = { ...APPROVAL, state: "expired", change: null, pullRequest: null };
    const result = await listed([], [APPROVAL, used, unknown]);
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: "",
      requests: ["GET /api/change-approvals?limit=200"],
    });
    expect(result.stdout.split("\n")).toEqual([
      `${APPROVAL.fingerprint} in locks: approved until 2999-01-01 for pull request 812: PUT /locks no longer allows "closed" (breaks clients): agreed`,
      `${APPROVAL.fingerprint} in locks: approved until it is current (used up): PUT /locks no longer allows "closed" (breaks clients): agreed`,
      `${APPROVAL.fingerprint} in locks: approved until 2999-01-01 (ended): agreed`,
      "",
    ]);
  });

  test("prints those of a service, as JSON, and says if there are none", async () => {
    const json = await listed(["--service", "locks", "--json"], [APPROVAL]);
    expect(JSON.parse(json.stdout)).toEqual([APPROVAL]);
    expect(json.requests).toEqual(["GET /api/change-approvals?serviceName=locks&limit=200"]);
    expect((await listed([], [])).stdout).toBe("There are no approvals.\n");
  });
});

describe("waymark decide --revoke", () => {
  test("revokes each decision once", async () => {
    const result = await run(["decide", "--revoke", ID, "--revoke", OTHER.toUpperCase(), "--revoke", ID]);
    expect(result).toMatchObject({ exitCode: 0, stdout: `Revoked: ${ID}\nRevoked: ${OTHER}\n`, stderr: "" });
    expect(result.requests).toEqual([
      `DELETE /api/finding-decisions/${ID}`,
      `DELETE /api/finding-decisions/${OTHER}`,
    ]);
  });

  test("says that there is no such decision", async () => {
    const result = await run(["decide", "--revoke", ID], { status: 404 });
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain("There is no decision with this id.");
  });

  test.each([
    ["what is no id", ["--revoke", "7"], 'not "7"'],
    ["a run", [OTHER, "--revoke", ID], "takes ids of decisions only"],
    ["a rule", ["--revoke", ID, "--rule", "r"], "takes ids of decisions only"],
    ["everywhere", ["--revoke", ID, "--everywhere"], "takes ids of decisions only"],
    ["a reason", ["--revoke", ID, "--reason", "r"], "takes ids of decisions only"],
  ])("refuses %s, and revokes nothing", async (_, args, message) => {
    const result = await run(["decide", ...args]);
    expect(result).toMatchObject({ exitCode: 2, requests: [] });
    expect(result.stderr).toContain(message);
  });
});
