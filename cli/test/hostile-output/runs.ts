import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile } from "./files.ts";
import { refusal } from "./refusal.ts";

const cloudLine =
  (command: string[], answer: (text: string) => Answer): MakeHostile =>
  async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({});
    return { args: ["journey", ...command, "--api-key", "k", "--api-url", server.url], cwd };
  };

/** A result in a file, which is uploaded. */
const uploadLine =
  (answer: (text: string) => Answer): MakeHostile =>
  async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({ "result.json": resultWith(text) });
    return { args: ["journey", "upload", "result.json", "--api-key", "k", "--api-url", server.url], cwd };
  };

const stepWith = (text: string) => ({
  id: text,
  phase: "main",
  status: "failed",
  reason: text,
  ms: 1,
  attempts: [],
  assertions: [],
  contract: [],
  outputs: { [text]: text },
});

const runWith = (text: string) => ({
  id: RUN_ID,
  journeyPath: text,
  version: 1,
  environmentName: text,
  status: "failed",
  createdAt: "2026-01-01T00:00:00Z",
  error: { code: text, message: text },
  inDoubtStep: text,
});

const resultWith = (text: string) => ({
  schema: "journey-result/1",
  runId: RUN_ID,
  status: "error",
  error: { code: "internal", message: text },
  journey: { id: text, title: text, version: text, overlays: [text] },
  where: { runner: "cloud", environment: text },
  startedAt: "2026-01-01T00:00:00Z",
  ms: 1,
  steps: [stepWith(text)],
  acceptance: [{ id: text, text, severity: text, status: "failed", by: [text] }],
  coverage: { operations: [], notInInventory: [] },
  outputs: { [text]: text },
  inputs: {},
  teardown: { status: "failed" },
  contract: { status: "none", strict: false, failures: 0 },
});

/** Answers as a server with one run, whose texts are hostile. */
const runs =
  (text: string): Answer =>
  ({ method, url }, response) => {
    if (method === "POST" && url.endsWith("/cancel"))
      return answerJson(response, 202, { runId: RUN_ID, status: "running" });
    if (method === "POST")
      return answerJson(response, 202, { runId: RUN_ID, programId: text, resultUrl: "http://x.example/" });
    if (url.includes("/environments"))
      return answerJson(response, 200, { environments: [{ id: RUN_ID, name: "test" }] });
    if (url.includes("/steps"))
      return answerJson(response, 200, {
        steps: url.includes("after=-1") ? [{ seq: 0, result: stepWith(text) }] : [],
        status: "failed",
        currentStep: text,
        isFinal: !url.includes("after=-1"),
      });
    if (url.endsWith(`/journey-runs/${RUN_ID}`))
      return answerJson(response, 200, {
        artifact: "0".repeat(64),
        seed: text,
        strictContract: false,
        inputs: { [text]: text },
      });
    if (url.endsWith("/result")) return answerJson(response, 200, resultWith(text));
    answerJson(response, 200, { runs: [runWith(text)] });
  };

/** `journey run --cloud`. */
export const HOSTILE_CLOUD_RUN = cloudLine(["run", "--cloud", "--env", "test", "a.journey.yaml"], runs);

/** `journey run --replay`. */
export const HOSTILE_REPLAY = cloudLine(["run", "--replay", RUN_ID], runs);

const coverageWith = (text: string) => {
  const share = { covered: 0, total: 1 };
  const journey = { id: RUN_ID, path: text };
  const then = "2026-01-01T00:00:00Z";
  return {
    windowDays: 30,
    since: then,
    shares: { acceptance: share, must: share, operations: share, asserted: share },
    notInInventoryCount: 1,
    criteria: [
      {
        journeyId: RUN_ID,
        journeyPath: text,
        id: text,
        text,
        severity: text,
        state: text,
        provenBy: [text],
        verdict: null,
      },
    ],
    operations: [
      {
        serviceId: null,
        serviceName: text,
        sourcePath: text,
        method: text,
        path: text,
        operationId: text,
        state: text,
        calls: 1,
        statuses: [200],
        calledAt: then,
        assertedAt: null,
        journeyCount: 1,
        journeys: [journey],
      },
    ],
  };
};

/** `journey coverage --cloud`. */
export const HOSTILE_CLOUD_COVERAGE: Readonly<Record<string, MakeHostile>> = {
  "coverage on the server": cloudLine(
    ["coverage", "--cloud", "--min", "80"],
    (text) => (_request, response) => answerJson(response, 200, coverageWith(text)),
  ),
  "coverage on the server as JSON": cloudLine(
    ["coverage", "--cloud", "--json"],
    (text) => (_request, response) => answerJson(response, 200, coverageWith(text)),
  ),
  "a refusal of the server": cloudLine(["coverage", "--cloud"], refusal),
};

/** The cases of the commands for runs on the server. */
export const HOSTILE_RUNS: Readonly<Record<string, Readonly<Record<string, MakeHostile>>>> = {
  "journey runs": {
    "a run of a hostile journey": cloudLine(["runs"], runs),
    "a refusal": cloudLine(["runs"], refusal),
  },
  "journey upload": {
    "an answer": uploadLine(runs),
    "a refusal": uploadLine(refusal),
  },
  "journey cancel": {
    "a run": cloudLine(["cancel", RUN_ID], runs),
    "a refusal": cloudLine(["cancel", RUN_ID], refusal),
  },
  "journey result": {
    "a hostile result": cloudLine(["result", RUN_ID], runs),
    "a refusal": cloudLine(["result", RUN_ID], refusal),
  },
};
