import { describe, expect, test } from "vitest";
import type { FakeApiOptions } from "../test-support/fake-api.ts";
import { answerJson, RUN_ID } from "../test-support/fake-server.ts";
import { BASE, CURRENT, GATE, NARROWED, scanContract } from "../test-support/scan-contract.ts";

describe("waymark scan --fail-on breaking", () => {
  test("compares before the scan is sent, stores the scan, and does not promote it", async () => {
    const { exitCode, stdout, stderr, server, isPromoted } = await scanContract({ args: GATE });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 1, isPromoted: [false] });
    expect(stdout).toContain("Scan ingested: ");
    expect(stderr).toBe(
      `Note: compared with run ${CURRENT}: 1 change breaks clients.\n` +
        "Gate --fail-on breaking failed, the run did not become current:\n" +
        '  PUT /locks/{id}: The property "state" no longer allows "closed": requests that were valid are refused. (api.yaml:14)\n' +
        `Note: an intended change can be approved, so that it passes: waymark approve ${RUN_ID} lists the changes.\n`,
    );
    const order = server.requests.map(({ url }) => url.split("?")[0]);
    expect(order.indexOf("/api/services")).toBeLessThan(order.indexOf("/api/scans/ingest"));
    expect(server.descriptions[0]).toMatchObject({ method: "GET", headers: { authorization: "Bearer k" } });
  });

  test("promotes a scan that breaks nobody", async () => {
    const { exitCode, stderr, isPromoted } = await scanContract({ head: BASE, args: GATE });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 0, isPromoted: [true] });
    expect(stderr).toBe(
      `Note: compared with run ${CURRENT}: No change that breaks clients was found in 1 operation.\n`,
    );
  });

  test("is set by waymark.yaml, too, with a team's levels and exceptions", async () => {
    const contract = (more: string) => ({ "waymark.yaml": `contract: { failOn: breaking${more} }\n` });
    expect(await scanContract({ files: contract("") })).toMatchObject({ exitCode: 1 });
    const level = contract(", levels: { request-enum-value-removed: safe }");
    expect(await scanContract({ files: level })).toMatchObject({ exitCode: 0, isPromoted: [true] });
    const ignored = contract(", ignores: [{ id: request-enum-value-removed, reason: agreed }]");
    const { exitCode, stderr } = await scanContract({ files: ignored });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("1 change with an exception");
  });

  test("fails if another run became current since the comparison", async () => {
    const other = CURRENT.replace(/a$/, "b");
    let isSent = false;
    const intercept: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
      isSent ||= url === "/api/scans/ingest";
      if (!isSent || !url.startsWith("/api/services?")) return false;
      answerJson(response, 200, { services: [{ id: CURRENT, name: "locks", currentScanRunId: other }] });
      return true;
    };
    const { exitCode, stderr, isPromoted } = await scanContract({
      head: BASE,
      args: GATE,
      api: { intercept },
    });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 1, isPromoted: [false] });
    expect(stderr).toContain(
      `not compared: the run ${other} became current while this scan was sent. Scan again.`,
    );
    isSent = false;
    const held = await scanContract({ head: BASE, args: [...GATE, "--no-promote"], api: { intercept } });
    expect(held.exitCode).toBe(0);
  });

  test("is one of several gates", async () => {
    const { exitCode, stderr } = await scanContract({ args: [...GATE, "--fail-on", "info"] });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Gate --fail-on breaking failed");
    expect(stderr).toContain("Gate --fail-on info failed");
    expect(await scanContract({ args: [...GATE, "--fail-on", "maybe"] })).toMatchObject({ exitCode: 2 });
  });

  const endpoint = (locksPath: string) => ({
    method: "PUT" as const,
    path: locksPath,
    operationId: "writeLock",
    tags: [],
    summary: null,
  });
  const moved = (before: string, after: string) => ({
    against: CURRENT,
    endpoints: { added: [endpoint(after)], removed: [endpoint(before)], changed: [] },
  });
  test.each([
    [
      "a renamed path parameter",
      BASE,
      BASE.replace("{id}", "{lock}").replace("name: id", "name: lock"),
      moved("/locks/{id}", "/locks/{lock}"),
      0,
    ],
    [
      "a base path that moves into the paths",
      `servers: [{ url: /v1 }]\n${BASE}`,
      BASE.replace("/locks/{id}", "/v1/locks/{id}"),
      moved("/locks/{id}", "/v1/locks/{id}"),
      0,
    ],
    ["another base path", `servers: [{ url: /v1 }]\n${BASE}`, `servers: [{ url: /v2 }]\n${BASE}`, {}, 1],
    [
      "a removed endpoint",
      BASE,
      BASE.replace("/locks/{id}", "/doors/{id}"),
      moved("/locks/{id}", "/doors/{id}"),
      1,
    ],
  ])("agrees with --fail-on-removed: %s", async (_, base, head, changes, exitCode) => {
    const args = [...GATE, "--fail-on-removed"];
    const both = await scanContract({ base, head, args, api: { changes } });
    expect({ exitCode: both.exitCode, isPromoted: both.isPromoted }).toEqual({
      exitCode,
      isPromoted: [exitCode === 0],
    });
    expect(both.stderr.includes("Gate --fail-on breaking failed")).toBe(exitCode === 1);
    expect(both.stderr.includes("Gate --fail-on-removed failed")).toBe(exitCode === 1);
  });
});

describe("an approved change", () => {
  const approvalOf = (fingerprint: string, until: string | null = null) => ({
    fingerprint,
    state: "open",
    reason: "agreed *with* all",
    until,
    approvedBy: CURRENT,
    approvedAt: "2026-01-01T00:00:00Z",
  });
  async function fingerprintOf(head: string): Promise<string> {
    const { stdout } = await scanContract({ head, args: [...GATE, "--json"] });
    return JSON.parse(stdout).verdicts[0].fingerprint;
  }

  test("passes the gate, and is shown with its approval", async () => {
    const fingerprint = await fingerprintOf(NARROWED);
    const { exitCode, stderr, stdout, summary, isPromoted, server } = await scanContract({
      args: [...GATE, "--json", "--summary", "summary.md"],
      api: { approvals: [approvalOf(fingerprint, "2099-12-31")] },
    });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 0, isPromoted: [true] });
    expect(stderr).toContain("No change that breaks clients was found in 1 operation; 1 change approved.");
    expect(await summary()).toContain(
      String.raw`approved by the key ${CURRENT} until 2099-12-31\: agreed \*with\* all`,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      comparison: { counts: { breaking: 0, accepted: 1 } },
      verdicts: [{ fingerprint, approval: { reason: "agreed *with* all", until: "2099-12-31" } }],
    });
    const asked = server.requests.find(({ url }) => url.includes("/change-approvals"));
    expect(asked?.url).toContain("state=open");
  });

  test("counts after the last day of its approval or its exception, which is said", async () => {
    const approvals = [{ ...approvalOf(await fingerprintOf(NARROWED), "2026-01-31"), state: "expired" }];
    const settings =
      "contract: { ignores: [{ id: request-enum-value-removed, reason: agreed, until: 2026-01-30 }] }\n";
    const { exitCode, stderr } = await scanContract({
      args: GATE,
      api: { approvals },
      files: { "waymark.yaml": settings },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("the approval of a change expired after 2026-01-31, so that it counts: PUT ");
    expect(stderr).toContain(
      "the exception for request-enum-value-removed in waymark.yaml ended after 2026-01-30",
    );
  });

  test("lets no other change pass", async () => {
    const approvals = [approvalOf("0".repeat(32))];
    expect(await scanContract({ args: GATE, api: { approvals } })).toMatchObject({
      exitCode: 1,
      isPromoted: [false],
    });
  });

  test("is no removed endpoint for --fail-on-removed", async () => {
    const head = BASE.replace("/locks/{id}", "/doors/{id}");
    const { stdout } = await scanContract({ head, args: [...GATE, "--json"] });
    const verdicts: { id: string; level: string; fingerprint: string }[] = JSON.parse(stdout).verdicts;
    const approvals = verdicts
      .filter(({ level }) => level === "breaking")
      .map(({ fingerprint }) => approvalOf(fingerprint));
    const removed = {
      method: "PUT" as const,
      path: "/locks/{id}",
      operationId: "writeLock",
      tags: [],
      summary: null,
    };
    const changes = { against: CURRENT, endpoints: { added: [], removed: [removed], changed: [] } };
    expect(
      await scanContract({ head, args: [...GATE, "--fail-on-removed"], api: { approvals, changes } }),
    ).toMatchObject({
      exitCode: 0,
      isPromoted: [true],
    });
  });

  test("counts where the approvals can't be read, and the reason is said", async () => {
    const intercept: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
      if (!url.includes("/change-approvals")) return false;
      answerJson(response, 404, { error: { code: "not_found", message: "no route" } });
      return true;
    };
    const { exitCode, stderr } = await scanContract({ args: GATE, api: { intercept } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "Note: approved changes count, too, because reading the approvals failed: HTTP 404",
    );
  });
});

/** A server whose service has a current run, of which the server has no description route. */
const namesRun: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
  if (!url.startsWith("/api/services")) return false;
  const name = new URL(url, "http://api").searchParams.get("name");
  answerJson(response, 200, { services: [{ id: CURRENT, name, currentScanRunId: CURRENT }] });
  return true;
};

describe("a scan that can't be compared", () => {
  const refused =
    (status: number, code: string): NonNullable<FakeApiOptions["intercept"]> =>
    (request, response) => {
      if (!request.url.startsWith("/api/services")) return false;
      answerJson(response, status, { error: { code, message: "It is so." } });
      return true;
    };
  const silent: NonNullable<FakeApiOptions["intercept"]> = ({ url }) => url.startsWith("/api/services");
  const current = (description: string) => ({ current: { scanRunId: CURRENT, description } });

  test.each<[string, FakeApiOptions, RegExp]>([
    [
      "whose current run has no description",
      current("missing"),
      /the current run \S+ has no stored description\. Scan the description that is current once more/,
    ],
    [
      "on a server without descriptions",
      { current: { scanRunId: CURRENT.replace(/a$/, "b"), description: "missing" }, intercept: namesRun },
      /http:\S+ stores no descriptions: update the server\./,
    ],
    [
      "with a key that may not read",
      { intercept: refused(403, "permission_denied") },
      /It is so\. Give the key services:read and endpoints:read for this service\./,
    ],
    ["with a fault of the server", { intercept: refused(500, "internal_error") }, /HTTP 500 internal_error/],
    ["of a server that does not answer", { intercept: silent }, /no complete response within/],
    ["whose current description can't be read", current("{"), /run \S+:1:\d+ is neither JSON nor YAML/],
    ["whose current description is no description", current("[1]"), /run \S+ is not an OpenAPI description/],
  ])("fails the gate, and only that: %s", async (_, api, message) => {
    const gated = await scanContract({ args: GATE, api });
    expect(gated).toMatchObject({ exitCode: 1, isPromoted: [false] });
    expect(gated.stderr).toMatch(
      /^Gate --fail-on breaking failed, the run did not become current:\n {2}not compared: /m,
    );
    expect(gated.stderr).toMatch(message);
    const { exitCode, isPromoted, stderr, summary } = await scanContract({
      args: ["--summary", "summary.md", "--json"],
      api,
    });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 0, isPromoted: [true] });
    expect(stderr).toMatch(/^Note: what breaks clients was not compared: .*\n$/);
    expect(stderr).toMatch(message);
    expect(await summary()).toContain(
      "**Not compared, so that nothing is known about what breaks clients:**",
    );
  });

  test("passes the gate where there is no current run, and says so", async () => {
    const api = { current: undefined };
    const gated = await scanContract({ args: [...GATE, "--json", "--summary", "summary.md"], api });
    expect(gated).toMatchObject({ exitCode: 0, isPromoted: [true] });
    expect(gated.stderr).toBe(
      'Note: --fail-on breaking has nothing to count: the service "locks" has no current run, so there is nothing to compare with.\n',
    );
    expect(JSON.parse(gated.stdout)).toMatchObject({
      comparison: { status: "not_compared", reason: "no_base", counts: null },
      verdicts: null,
    });
    expect(await gated.summary()).toContain("**Nothing to compare with:**");
  });

  test("is not sent with a gate that its key can't have", async () => {
    const permissions = ["scans:create", "services:update", "services:read", "endpoints:write"];
    const { exitCode, stderr, server } = await scanContract({ args: GATE, api: { permissions } });
    expect(exitCode).toBe(3);
    expect(stderr).toContain("endpoints:read");
    expect(server.runs.size).toBe(0);
  });

  test("is noted in a dry run, and where its description is not stored", async () => {
    const dry = await scanContract({ args: [...GATE, "--dry-run"] });
    expect(dry).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("a dry run can't evaluate it"),
    });
    expect(dry.server.requests).toEqual([]);
    const bare = await scanContract({ head: BASE, args: [...GATE, "--no-description"] });
    expect(bare).toMatchObject({ exitCode: 0 });
    expect(bare.stderr).toContain("the next scan can't be compared with this one");
  });

  test("is not kept in the spool with its gate, and says so", async () => {
    const intercept: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
      if (url !== "/api/scans/ingest") return false;
      response.destroy();
      return true;
    };
    const { exitCode, stderr } = await scanContract({
      args: [...GATE, "--spool", "kept"],
      api: { intercept },
    });
    expect(exitCode).toBe(4);
    expect(stderr).toContain("A scan with gates is not kept");
  });
});
