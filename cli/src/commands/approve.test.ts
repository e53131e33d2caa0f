import { describe, expect, test } from "vitest";
import { type Answer, answerJson, RUN_ID, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured } from "../test-support/run-captured.ts";

const SERVICE = "019a0000-0000-7000-8000-000000000002";
const KEY = "019a0000-0000-7000-8000-000000000003";
const CHANGE = "5f0c1d2e3a4b5c6d5f0c1d2e3a4b5c6d";
const verdict = (fingerprint: string, level: string, more: object = {}) => ({
  fingerprint,
  level,
  message: `${level} change`,
  approval: null,
  ...more,
});

interface Server {
  comparison?: object;
  verdicts?: object[];
  approve?: Answer;
  /** The state of the approvals that are given. */
  state?: string;
}

async function approve(
  args: string[],
  { comparison, verdicts = [], approve: answer, state = "open" }: Server = {},
) {
  const server = await startFakeServer((request, response, raw) => {
    const path = request.url.split("?")[0];
    if (path === `/api/scan-runs/${RUN_ID}`)
      answerJson(response, 200, { serviceId: SERVICE, serviceName: "locks" });
    else if (path === `/api/scan-runs/${RUN_ID}/changes`)
      answerJson(response, 200, {
        comparison: { status: "compared", reason: null, ...comparison },
        verdicts,
      });
    else if (path === `/api/services/${SERVICE}/change-approvals` && answer !== undefined)
      answer(request, response, raw);
    else if (path === `/api/services/${SERVICE}/change-approvals`) {
      const { fingerprints, reason, until = null } = JSON.parse(request.body);
      const approvals = fingerprints.map((fingerprint: string) => ({
        fingerprint,
        state,
        reason,
        until,
        approvedBy: KEY,
      }));
      answerJson(response, 201, { approvals });
    } else
      answerJson(response, 404, { error: { code: "not_found", message: "Nothing exists with this id." } });
  });
  const result = await runCaptured(["approve", ...args], {
    env: { SERVICE_API_URL: server.url, SERVICE_API_KEY: "k" },
  });
  const sent = server.requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));
  return { ...result, sent };
}

describe("waymark approve", () => {
  test("approves changes of a run, with the reason and the last day", async () => {
    const changes = ["--change", CHANGE, "--change", CHANGE.toUpperCase(), "--change", "0".repeat(32)];
    const { exitCode, stdout, sent } = await approve([
      RUN_ID,
      ...changes,
      "--reason",
      "agreed",
      "--until",
      "2099-12-31",
    ]);
    expect(exitCode).toBe(0);
    expect(sent).toEqual([
      { fingerprints: [CHANGE, "0".repeat(32)], reason: "agreed", until: "2099-12-31", scanRunId: RUN_ID },
    ]);
    expect(stdout).toBe(`Approved: 2 changes of locks, until 2099-12-31\n  ${CHANGE}\n  ${"0".repeat(32)}\n`);
    const open = await approve([RUN_ID, "--change", CHANGE, "--reason", "agreed"]);
    expect(open.stdout).toContain("Approved: 1 change of locks, until they are current");
    expect(open.sent).toEqual([{ fingerprints: [CHANGE], reason: "agreed", scanRunId: RUN_ID }]);
  });

  test("says that an approval of a promoted run lets no later scan pass", async () => {
    const used = await approve([RUN_ID, "--change", CHANGE, "--reason", "agreed"], { state: "used" });
    expect(used).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("Approved: 1 change of locks, for this run only"),
      stderr: "Note: the run is promoted, so the approval lets no later scan pass a gate.\n",
    });
  });

  test("lists the changes that can be approved, if none is named", async () => {
    const approval = {
      reason: "r",
      until: null,
      approvedBy: KEY,
      approver: null,
      approvedAt: "2026-01-01T00:00:00Z",
    };
    const verdicts = [
      verdict(CHANGE, "breaking"),
      verdict("1".repeat(32), "maybe"),
      verdict("2".repeat(32), "safe"),
      verdict("3".repeat(32), "breaking", { approval }),
    ];
    expect(await approve([RUN_ID], { verdicts })).toMatchObject({
      exitCode: 2,
      stderr: `--change is required: name one or several of these.\n  ${CHANGE} breaking breaking change\n  ${"1".repeat(32)} maybe    maybe change\n`,
    });
  });

  test.each<[object, string]>([
    [{ status: "pending" }, "still compares this run: ask again in a minute"],
    [
      { status: "not_compared", reason: "no_base_description" },
      "did not compare this run: no base description",
    ],
    [{ status: "compared" }, "nothing is to be approved"],
  ])("says why there is nothing to list: %j", async (comparison, message) => {
    expect(await approve([RUN_ID], { comparison })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(message),
    });
  });

  test.each([
    [["x", "--change", CHANGE, "--reason", "r"], "The run is the id of a scan run"],
    [[RUN_ID, "--change", "short", "--reason", "r"], "--change takes a fingerprint of 32 hexadecimal digits"],
    [[RUN_ID, "--change", CHANGE], "--reason is required"],
    [[RUN_ID, "--change", CHANGE, "--reason", "  "], "--reason is required"],
    [[RUN_ID, "--change", CHANGE, "--reason", "r", "--until", "tomorrow"], "--until takes a day"],
    [[RUN_ID, "--change", CHANGE, "--reason", "r", "--until", "2027-02-30"], "--until takes a day"],
    [[RUN_ID, "--change", CHANGE, "--reason", "r", "--until", "2020-01-01"], "--until 2020-01-01 is over"],
  ])("refuses %j before anything is sent", async (args, message) => {
    const { exitCode, stderr, sent } = await approve(args);
    expect({ exitCode, sent }).toEqual({ exitCode: 2, sent: [] });
    expect(stderr).toContain(message);
  });

  test("keeps the words of the server's refusal", async () => {
    const refuse: Answer = (_, response) =>
      answerJson(response, 403, {
        error: { code: "permission_denied", message: "The key lacks changes:approve.", requestId: "r" },
      });
    const refused = await approve([RUN_ID, "--change", CHANGE, "--reason", "r"], { approve: refuse });
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("lacks changes:approve") });
    const unknown = await approve([
      "019a0000-0000-7000-8000-0000000000ff",
      "--change",
      CHANGE,
      "--reason",
      "r",
    ]);
    expect(unknown).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("Nothing exists with this id"),
    });
  });
});
