import { describe, expect, test } from "vitest";
import { answerJson, RUN_ID, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured } from "../test-support/run-captured.ts";

const SERVICE = "019a0000-0000-7000-8000-000000000002";
const [FIRST, SECOND] = [
  "5f0c1d2e-3a4b-8c6d-8e8f-90a1b2c3d4e5",
  "5f0c1d2e-3a4b-8c6d-8e8f-90a1b2c3d4e6",
] as const;
const DECISION = {
  id: "019a0000-0000-7000-8000-000000000009",
  kind: "wont_fix",
  maxSeverity: "high",
  reason: "r",
  until: "2999-01-01",
  target: "rule",
  decidedBy: SERVICE,
  decider: null,
  decidedAt: "2026-01-01T00:00:00.000Z",
};
const finding = (id: string, more: object = {}) => ({
  id,
  code: "no-auth",
  severity: "high",
  message: "has no security",
  method: "GET",
  path: "/a",
  fingerprint: "0".repeat(32),
  decision: null,
  exceededDecision: null,
  ...more,
});
const SHOWN = {
  state: "active",
  serviceName: "locks",
  finding: null,
  until: "2999-01-01",
  findingCount: 2,
  exceededCount: 0,
};
const FINDINGS = [finding(FIRST), finding(SECOND, { path: "/b" })];

async function decide(args: string[], { findings = FINDINGS, status = 201 } = {}) {
  const server = await startFakeServer((request, response) => {
    const path = request.url.split("?")[0];
    if (path === `/api/scan-runs/${RUN_ID}`)
      answerJson(response, 200, { serviceId: SERVICE, serviceName: "locks" });
    else if (path === `/api/scan-runs/${RUN_ID}/findings`) answerJson(response, 200, { findings });
    else if (path === "/api/finding-decisions" && status === 201) {
      const { id } = DECISION;
      const made = { id, ...SHOWN, maxSeverity: "high" };
      answerJson(response, 201, { ...made, ...JSON.parse(request.body) });
    } else if (path === "/api/finding-decisions")
      answerJson(response, status, {
        error: { code: "permission_denied", message: "Lacks findings:decide." },
      });
    else answerJson(response, 404, { error: { code: "not_found", message: "Nothing exists with this id." } });
  });
  const result = await runCaptured(["decide", ...args], {
    env: { SERVICE_API_URL: server.url, SERVICE_API_KEY: "k" },
  });
  const sent = server.requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));
  return { ...result, sent };
}

describe("waymark decide", () => {
  test("decides about findings of a run, with the reason and the last day", async () => {
    const args = [
      "--finding",
      FIRST,
      "--finding",
      SECOND.toUpperCase(),
      "--reason",
      "VPN",
      "--until",
      "2998-12-31",
    ];
    const result = await decide([RUN_ID, ...args, "--kind", "false_positive"]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    const common = {
      kind: "false_positive",
      reason: "VPN",
      until: "2998-12-31",
      serviceId: SERVICE,
      code: "no-auth",
      maxSeverity: "high",
    };
    const of = (path: string) => ({
      ...common,
      finding: { method: "GET", path, message: "has no security" },
    });
    expect(result.sent).toEqual([of("/a"), of("/b")]);
    const line =
      "Decided: false positive until 2998-12-31, for 2 current findings: no-auth: has no security\n";
    expect(result.stdout).toBe(line + line);
  });

  test("decides about a rule in the service of a run, or everywhere", async () => {
    const ofService = await decide([RUN_ID, "--rule", "no-auth", "--reason", "r"]);
    const expected = { kind: "accepted_risk", reason: "r", code: "no-auth" };
    expect(ofService).toMatchObject({ exitCode: 0, sent: [{ ...expected, serviceId: SERVICE }] });
    expect(ofService.stdout).toBe("Decided: accepted until 2999-01-01, for 2 current findings: no-auth\n");
    const everywhere = await decide(["--rule", "no-auth", "--everywhere", "--reason", "r"]);
    expect(everywhere).toMatchObject({ exitCode: 0, sent: [{ ...expected, serviceId: null }] });
  });

  test("covers findings up to the severity that they have, or that is given", async () => {
    const args = [RUN_ID, "--finding", FIRST, "--reason", "r"];
    expect((await decide(args)).sent).toMatchObject([{ maxSeverity: "high" }]);
    const given = await decide([...args, "--max-severity", "critical"]);
    expect(given.sent).toMatchObject([{ maxSeverity: "critical" }]);
    const ofRule = await decide([RUN_ID, "--rule", "no-auth", "--reason", "r"]);
    expect(ofRule.sent.map((sent) => "maxSeverity" in sent)).toEqual([false]);
    const wrong = await decide([...args, "--max-severity", "worst"]);
    expect(wrong).toMatchObject({ exitCode: 2, sent: [] });
    expect(wrong.stderr).toContain("--max-severity must be one of info, low, medium, high, critical.");
  });

  test("without a target lists the open findings, with their ids", async () => {
    const decided = finding(SECOND, { path: "/b", decision: DECISION });
    const result = await decide([RUN_ID], { findings: [finding(FIRST), decided] });
    expect(result).toMatchObject({ exitCode: 2, sent: [] });
    expect(result.stderr).toContain(`  ${FIRST} high no-auth at GET /a: has no security\n`);
    expect(result.stderr).not.toContain(SECOND);
    expect((await decide([RUN_ID], { findings: [decided] })).stderr).toContain(
      "All 1 finding of this run are decided",
    );
    expect((await decide([RUN_ID], { findings: [] })).stderr).toContain("no findings");
  });

  test.each([
    ["no run", [], "The id of a scan run is required"],
    ["no UUID", ["x"], 'not "x"'],
    [
      "a finding that the run does not have",
      [RUN_ID, "--finding", SERVICE, "--reason", "r"],
      "has no finding",
    ],
    ["what is no id", [RUN_ID, "--finding", "7", "--reason", "r"], 'not "7"'],
    [
      "a finding and a rule",
      [RUN_ID, "--finding", FIRST, "--rule", "r", "--reason", "r"],
      "exclude each other",
    ],
    ["everywhere without a rule", ["--everywhere", "--reason", "r"], "--everywhere needs --rule"],
    ["everywhere with a run", [RUN_ID, "--rule", "r", "--everywhere", "--reason", "r"], "takes no run"],
    ["no reason", [RUN_ID, "--rule", "r"], "--reason is required"],
    [
      "an unknown kind",
      [RUN_ID, "--rule", "r", "--reason", "r", "--kind", "ignored"],
      "--kind must be one of",
    ],
    ["a day that is over", [RUN_ID, "--rule", "r", "--reason", "r", "--until", "2020-01-01"], "is over"],
    ["no day", [RUN_ID, "--rule", "r", "--reason", "r", "--until", "2999-02-30"], "takes a day"],
  ])("refuses %s, and decides nothing", async (_, args, message) => {
    const result = await decide(args);
    expect(result).toMatchObject({ exitCode: 2, sent: [] });
    expect(result.stderr).toContain(message);
  });

  test("says what the key lacks", async () => {
    const refused = await decide([RUN_ID, "--rule", "r", "--reason", "r"], { status: 403 });
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("Lacks findings:decide") });
  });
});
