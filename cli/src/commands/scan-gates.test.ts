import { describe, expect, test } from "vitest";
import { ScanGatesPayload } from "@waymark/shared/scans/gates/schema.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { type FakeApiOptions, NO_CHANGES, startFakeApi } from "../test-support/fake-api.ts";
import { answerJson, RUN_ID } from "../test-support/fake-server.ts";
import { runCaptured } from "../test-support/run-captured.ts";

const CLEAN = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "T", version: "1", license: { name: "MIT", identifier: "MIT" } },
  servers: [{ url: "https://example.test" }],
  security: [],
  paths: {
    "/a": {
      get: {
        operationId: "a",
        summary: "s",
        responses: { 200: { description: "d" }, 400: { description: "d" } },
      },
    },
  },
});
// Its path parameter is not defined: an error of the rule engine.
const FAULTY = CLEAN.replace("/a", "/a/{id}");
const finding: NormalizedFinding = { code: "c", severity: "high", message: "m", method: "GET", path: "/a" };
const endpoint: NormalizedEndpoint = {
  method: "PUT",
  path: "/gone",
  operationId: null,
  tags: [],
  summary: null,
};

async function scan(api: FakeApiOptions, args: string[], spec = CLEAN, env: Record<string, string> = {}) {
  const server = await startFakeApi(api);
  const result = await runCaptured(
    ["scan", "--service", "s", "--spec", "-", "--api-url", server.url, ...args],
    {
      stdin: spec,
      env: { SERVICE_API_KEY: "k", ...env },
    },
  );
  return { ...result, promoted: [...server.runs.values()].map((run) => run.promoted), server };
}

describe("--wait", () => {
  test("polls the run until it is completed, then exits with 0", async () => {
    const result = await scan({ statuses: ["accepted", "accepted", "completed"] }, ["--wait"]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(
      result.server.requests.filter(({ url }) => url?.startsWith(`/api/scan-runs/${RUN_ID}?`)),
    ).toHaveLength(3);
  });

  test("a run that failed ends with exit code 4 and the server's reason", async () => {
    const result = await scan({ statuses: ["failed"] }, ["--wait"]);
    expect(result.exitCode).toBe(4);
    expect(result.stderr).toBe(`The scan run ${RUN_ID} failed: persist_failed: It could not be stored.\n`);
  });

  test("a run that is not final in time ends with exit code 5, with its id printed", async () => {
    const result = await scan({ statuses: ["accepted"] }, ["--wait", "--wait-timeout", "0.3"]);
    expect(result.exitCode).toBe(5);
    expect(result.stdout).toContain(`Scan ingested: ${RUN_ID}\n`);
    expect(result.stderr).toContain("was not completed within 0.3 s");
  });

  test("a server that hangs during polling doesn't extend the wait", async () => {
    const intercept: FakeApiOptions["intercept"] = (request) =>
      request.url?.split("?")[0] === `/api/scan-runs/${RUN_ID}`;
    const result = await scan({ intercept }, ["--wait", "--wait-timeout", "0.3"]);
    expect(result.exitCode).toBe(5);
  });
});

describe("--fail-on", () => {
  test("lints, stores the run without making it current, and exits with 1 and the list if it fails", async () => {
    const result = await scan({}, ["--fail-on", "high"], FAULTY);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/^Gate --fail-on high failed, the run did not become current:\n {2}high /);
    expect(result.stderr).toContain("\n  high path-parameters-defined at GET /a/{id}: ");
    expect(result.promoted).toEqual([false]);
  });

  test("makes the run current if it passes", async () => {
    const result = await scan({}, ["--fail-on", "high"]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.promoted).toEqual([true]);
    const ingest = result.server.requests.find(({ method }) => method === "POST");
    expect(ingest?.headers["waymark-promote"]).toBe("false");
  });

  test("with --new-only counts new findings and those that became as severe, by the server's comparison", async () => {
    const findings = { ...NO_CHANGES.findings, new: [{ ...finding, severity: "medium" as const }] };
    const risen = [{ before: { ...finding, severity: "low" as const }, after: finding }];
    const args = ["--fail-on", "high", "--new-only"];
    expect(await scan({ changes: { findings } }, args, FAULTY)).toMatchObject({
      exitCode: 0,
      promoted: [true],
    });
    const worse = await scan({ changes: { findings: { ...findings, severityChanged: risen } } }, args);
    expect(worse).toMatchObject({ exitCode: 1, promoted: [false] });
    expect(worse.stderr).toContain("  high c at GET /a: m\n");
  });

  test("with --new-only takes a first scan as the baseline, and says so", async () => {
    const changes = { against: null, findings: { ...NO_CHANGES.findings, new: [finding] } };
    const result = await scan({ changes }, ["--fail-on", "high", "--new-only"], FAULTY);
    expect(result).toMatchObject({ exitCode: 0, promoted: [true] });
    expect(result.stderr).toContain("no current run to compare with");
  });
});

test("--fail-on-removed exits with 1 and lists the endpoints that disappeared", async () => {
  const changes = { endpoints: { ...NO_CHANGES.endpoints, removed: [endpoint] } };
  const result = await scan({ changes }, ["--fail-on-removed"]);
  expect(result).toMatchObject({ exitCode: 1, promoted: [false] });
  expect(result.stderr).toContain("Gate --fail-on-removed failed");
  expect(result.stderr).toContain("  removed: PUT /gone\n");
});

describe("--fail-on-broken-journeys", () => {
  const operations = [{ method: "PUT", path: "/gone", operationId: null }];
  const journeys = [{ id: RUN_ID, path: "a.journey.yaml", title: "A", operations }];

  test("exits with 1 and names what journeys call and the scan removes", async () => {
    const result = await scan({ breaks: { journeys } }, ["--fail-on-broken-journeys"]);
    expect(result).toMatchObject({ exitCode: 1, promoted: [false] });
    expect(result.stderr).toContain(
      "Gate --fail-on-broken-journeys failed, the run did not become current:\n",
    );
    expect(result.stderr).toContain("  a.journey.yaml calls PUT /gone, which is removed\n");
    const json = await scan({ breaks: { journeys } }, ["--fail-on-broken-journeys", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      exitCode: 1,
      brokenGates: [
        { gate: "--fail-on-broken-journeys", causes: ["a.journey.yaml calls PUT /gone, which is removed"] },
      ],
    });
  });

  test("makes the run current if it breaks none, and says so where there is nothing to compare with", async () => {
    expect(await scan({}, ["--fail-on-broken-journeys"])).toMatchObject({
      exitCode: 0,
      promoted: [true],
      stderr: "",
    });
    const first = await scan({ breaks: { against: null } }, ["--fail-on-broken-journeys"]);
    expect(first).toMatchObject({ exitCode: 0, promoted: [true] });
    expect(first.stderr).toContain("--fail-on-broken-journeys has nothing to count");
  });

  test("is refused before anything is sent if the key can't read journeys", async () => {
    const permissions = ["scans:create", "services:update", "endpoints:write", "services:read"];
    const result = await scan({ permissions }, ["--fail-on-broken-journeys"]);
    expect(result).toMatchObject({ exitCode: 3, promoted: [] });
    expect(result.stderr).toContain("lacks the permission journeys:read");
  });

  test("can't be evaluated by a dry run, which says so", async () => {
    const result = await scan({}, ["--fail-on-broken-journeys", "--dry-run"]);
    expect(result).toMatchObject({ exitCode: 0, promoted: [] });
    expect(result.stderr).toContain("a dry run can't evaluate it");
  });
});

describe("a gate that can't fail is reported", () => {
  test("--fail-on critical, which no rule reaches by itself", async () => {
    const result = await scan({}, ["--fail-on", "critical"], FAULTY);
    expect(result).toMatchObject({ exitCode: 0, promoted: [true] });
    expect(result.stderr).toBe(
      "Note: the gate --fail-on critical can't fail: rules give at most high. Set the severity of a rule with " +
        "--severity <rule>=critical, or under severities in waymark.yaml.\n",
    );
  });

  test("and fails if a rule has that severity", async () => {
    const critical = ["--fail-on", "critical", "--severity", "path-parameters-defined=critical"];
    const result = await scan({}, critical, FAULTY);
    expect(result).toMatchObject({ exitCode: 1, promoted: [false] });
    expect(result.stderr).toMatch(
      /^Gate --fail-on critical failed, the run did not become current:\n {2}critical path-parameters-defined at GET/,
    );
  });

  test.each(["path-parameters-defined", "rule=grave", "=high"])(
    "--severity %s is refused",
    async (severity) => {
      const result = await scan({}, ["--severity", severity], FAULTY);
      expect(result).toMatchObject({ exitCode: 2, promoted: [] });
      expect(result.stderr).toContain("--severity takes <rule>=<severity>");
    },
  );
});

describe("--dry-run", () => {
  test("evaluates the gates that need no server", async () => {
    const result = await scan({}, ["--dry-run", "--fail-on", "high"], FAULTY);
    expect(result).toMatchObject({ exitCode: 1, promoted: [] });
    expect(result.stderr).toMatch(/^Gate --fail-on high failed:\n {2}high /);
    expect(await scan({}, ["--dry-run", "--fail-on", "high"])).toMatchObject({ exitCode: 0, stderr: "" });
    const json = await scan({}, ["--dry-run", "--fail-on", "high", "--json"], FAULTY);
    expect(JSON.parse(json.stdout)).toMatchObject({ exitCode: 1, brokenGates: [{ gate: "--fail-on high" }] });
  });

  test.each([["--fail-on", "high", "--new-only"], ["--fail-on-removed"]])(
    "says what it can't evaluate: %j",
    async (...gate) => {
      const result = await scan({}, ["--dry-run", ...gate], FAULTY);
      expect(result.exitCode).toBe(0);
      expect(result.stderr).toContain("a dry run can't evaluate them");
    },
  );
});

describe("a key without a permission that a gate needs", () => {
  const permissions = ["scans:create", "services:read", "services:update", "endpoints:write"];

  test("is refused before the scan is sent", async () => {
    const result = await scan({ permissions }, ["--fail-on-removed"]);
    expect(result).toMatchObject({ exitCode: 3, stdout: "", promoted: [] });
    expect(result.stderr).toBe(
      "The key can't do what --wait and the gates need, so nothing was sent.\n" +
        "  This API key lacks the permission endpoints:read.\n",
    );
  });

  test("is accepted for a gate that needs less, and without gates", async () => {
    expect(await scan({ permissions }, ["--fail-on", "high"])).toMatchObject({ exitCode: 0 });
    expect(await scan({ permissions: ["scans:create"] }, [])).toMatchObject({ exitCode: 0 });
  });
});

test("shows twenty causes of a gate, and how many more there are", async () => {
  const removed = Array.from({ length: 50 }, (_, index) => ({ ...endpoint, path: `/gone/${index}` }));
  const changes = { endpoints: { ...NO_CHANGES.endpoints, removed } };
  const { stderr } = await scan({ changes }, ["--fail-on-removed"]);
  expect(stderr.match(/ {2}removed: /g)).toHaveLength(20);
  expect(stderr).toMatch(/\n {2}… and 30 more: --json has all\n$/);
  const json = await scan({ changes }, ["--fail-on-removed", "--json"]);
  expect(JSON.parse(json.stdout).brokenGates[0].causes).toHaveLength(50);
});

describe("builds of pull requests", () => {
  const pullRequest = { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/pull/7/merge" };

  test.each([
    ["GitHub Actions", pullRequest],
    ["GitLab CI", { CI_MERGE_REQUEST_IID: "7" }],
    ["Azure Pipelines", { BUILD_REASON: "PullRequest", SYSTEM_PULLREQUEST_PULLREQUESTID: "7" }],
    ["Bitbucket Pipelines", { BITBUCKET_PR_ID: "7" }],
    ["Buildkite", { BUILDKITE_PULL_REQUEST: "7" }],
    ["CircleCI", { CIRCLE_PULL_REQUEST: "https://example.com/7", CIRCLE_PR_NUMBER: "7" }],
    ["Jenkins", { CHANGE_ID: "7", JENKINS_URL: "https://example.com" }],
  ])("of %s store the run without making it current, and say so in one line", async (_, env) => {
    const result = await scan({}, [], CLEAN, env);
    expect(result).toMatchObject({ exitCode: 0, promoted: [false] });
    expect(result.stderr).toBe("Note: stored, not current: pull request 7.\n");
    expect(await scan({}, ["--promote"], CLEAN, env)).toMatchObject({ promoted: [true], stderr: "" });
  });

  test("evaluate their gates, and don't make the run current if they pass", async () => {
    expect(await scan({}, ["--fail-on", "high"], CLEAN, pullRequest)).toMatchObject({
      exitCode: 0,
      promoted: [false],
    });
  });

  test("are not builds of the default branch, which make their run current", async () => {
    const env = {
      CI_PROJECT_URL: "https://example.com",
      CI_COMMIT_BRANCH: "trunk",
      CI_DEFAULT_BRANCH: "trunk",
    };
    expect(await scan({}, [], CLEAN, env)).toMatchObject({
      promoted: [true],
      stderr: "Note: current: branch trunk is the default branch.\n",
    });
    const other = await scan({}, [], CLEAN, { ...env, CI_COMMIT_BRANCH: "feature" });
    expect(other).toMatchObject({
      promoted: [false],
      stderr: "Note: stored, not current: branch feature, the default branch is trunk.\n",
    });
  });

  test("--no-promote does the same anywhere, without a note", async () => {
    expect(await scan({}, ["--no-promote"])).toMatchObject({ promoted: [false], stderr: "" });
  });
});

describe("a gate that can't be evaluated never passes", () => {
  const gate = ["--fail-on", "high", "--fail-on-removed", "--on-upload-error", "warn"];

  test("a comparison that fails", async () => {
    const result = await scan(
      {
        intercept: (request, response) => {
          if (!request.url.includes("/changes")) return false;
          answerJson(response, 500, { error: { code: "internal_error", message: "Broken." } });
          return true;
        },
      },
      gate,
    );
    expect(result).toMatchObject({ exitCode: 4, promoted: [false] });
  });

  test("an upload that fails, also with --on-upload-error warn", async () => {
    const result = await scan(
      {
        intercept: (_, response) => {
          response.destroy();
          return true;
        },
      },
      gate,
    );
    expect(result).toMatchObject({ exitCode: 4, stdout: "" });
  });

  test("a run that failed, and a promotion that is refused", async () => {
    expect((await scan({ statuses: ["failed"] }, gate)).exitCode).toBe(4);
    const refused = await scan(
      {
        intercept: (request, response) => {
          if (!request.url.endsWith("/promote")) return false;
          answerJson(response, 403, { error: { code: "permission_denied", message: "No." } });
          return true;
        },
      },
      gate,
    );
    expect(refused).toMatchObject({ exitCode: 3, promoted: [false] });
  });

  test.each([
    [["--new-only"], "--new-only needs --fail-on"],
    [
      ["--fail-on", "grave"],
      "--fail-on must be breaking or maybe, or one of info, low, medium, high, critical",
    ],
    [["--fail-on", "high", "--no-lint"], "--fail-on needs findings"],
  ])("invalid gates are refused: %j", async (args, message) => {
    const result = await scan({}, args);
    expect(result).toMatchObject({ exitCode: 2, stdout: "", promoted: [] });
    expect(result.stderr).toContain(message);
  });
});

describe("the result of the gates", () => {
  const PATH = `/api/scan-runs/${RUN_ID}/gates`;
  const sentBy = ({ server }: Awaited<ReturnType<typeof scan>>) =>
    server.requests.filter(({ url }) => url === PATH).map(({ method, body }) => [method, JSON.parse(body)]);

  test("is stored with the run: each gate with its condition, whether it passed, and what failed", async () => {
    const endpoints = { added: [], removed: [endpoint], changed: [] };
    const args = ["--fail-on", "high", "--fail-on-removed", "--fail-on-broken-journeys"];
    const result = await scan({ changes: { ...NO_CHANGES, endpoints } }, args);
    expect(result.exitCode).toBe(1);
    const gates = [
      { gate: "--fail-on high", passed: true, causes: [], causeCount: 0 },
      { gate: "--fail-on-removed", passed: false, causes: ["removed: PUT /gone"], causeCount: 1 },
      { gate: "--fail-on-broken-journeys", passed: true, causes: [], causeCount: 0 },
    ];
    expect(sentBy(result)).toEqual([["PUT", { gates }]]);
  });

  test("has the first causes of many, in a size that the server takes", async () => {
    const removed = Array.from({ length: 50 }, (_, n) => ({
      ...endpoint,
      path: `/${n}${"🦊\u001b".repeat(400)}`,
    }));
    const changes = { ...NO_CHANGES, endpoints: { added: [], removed, changed: [] } };
    const [[, verdict] = []] = sentBy(await scan({ changes }, ["--fail-on-removed"]));
    expect(ScanGatesPayload.parse(verdict).gates).toMatchObject([{ causeCount: 50, passed: false }]);
    expect(verdict.gates[0].causes).toHaveLength(20);
  });

  test.each([
    ["has no such route", 404, ""],
    ["refuses it", 403, "Note: the result of the gates was not stored: "],
    ["fails", 503, "Note: the result of the gates was not stored: "],
  ])("doesn't change the exit code, and is sent once, if the server %s", async (_, status, note) => {
    const intercept: FakeApiOptions["intercept"] = (request, response) => {
      if (request.url !== PATH) return false;
      answerJson(response, status, { error: { code: "x", message: "no" } });
      return true;
    };
    const result = await scan({ intercept }, ["--fail-on", "high"]);
    expect(result).toMatchObject({ exitCode: 0, promoted: [true] });
    expect(result.stderr.slice(0, Math.max(note.length, 1))).toBe(note);
    expect(sentBy(result)).toHaveLength(1);
  });

  test("is not sent where nothing was judged", async () => {
    expect(sentBy(await scan({}, ["--wait"]))).toEqual([]);
    expect(sentBy(await scan({ statuses: ["failed"] }, ["--fail-on", "high"]))).toEqual([]);
  });
});
