import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { commandOnRun } from "./command-on-run.ts";
import { folderWith, type MakeHostile, wellFormed } from "./files.ts";
import { refusal } from "./refusal.ts";

const decisionWith = (text: string) => ({
  id: RUN_ID,
  kind: "wont_fix",
  state: "active",
  serviceId: RUN_ID,
  serviceName: wellFormed(text),
  code: text,
  finding: null,
  maxSeverity: "high",
  reason: text,
  until: "2999-01-01",
  findingCount: 1,
  exceededCount: 1,
});

/** Answers as a server with one run, whose findings and decisions have hostile texts. */
function runWithFindings(text: string): Answer {
  return ({ method, url }, response) => {
    const at = {
      code: wellFormed(text).slice(0, 100),
      message: wellFormed(text).slice(0, 400),
      method: null,
    };
    const finding = { ...at, path: wellFormed(text).slice(0, 400), severity: "high" };
    if (method === "POST") return answerJson(response, 201, decisionWith(text));
    if (url.includes("/findings"))
      return answerJson(response, 200, {
        findings: [
          { ...finding, id: RUN_ID, fingerprint: "0".repeat(32), decision: null, exceededDecision: null },
        ],
      });
    answerJson(response, 200, { serviceId: RUN_ID, serviceName: wellFormed(text) });
  };
}

const decideOf = commandOnRun("decide");

/** The cases of `waymark decide`. */
export const HOSTILE_DECISIONS: Readonly<Record<string, MakeHostile>> = {
  "findings to choose from": decideOf(runWithFindings, () => []),
  "a decision about a finding": decideOf(runWithFindings, () => ["--finding", RUN_ID, "--reason", "r"]),
  "a decision about a rule": decideOf(runWithFindings, (text) => [
    "--rule",
    wellFormed(text),
    "--reason",
    "r",
  ]),
  "an id that is none": decideOf(runWithFindings, (text) => ["--finding", wellFormed(text)]),
  "a kind that is none": decideOf(runWithFindings, (text) => ["--rule", "r", "--kind", wellFormed(text)]),
  "an id of a decision that is none": decideOf(runWithFindings, (text) => ["--revoke", wellFormed(text)]),
  "a severity that is none": decideOf(runWithFindings, (text) => ["--max-severity", wellFormed(text)]),
  "a refused decision": decideOf(refusal, () => ["--rule", "r", "--reason", "r"]),
};

/** Answers with a decision whose texts are hostile. */
function listOfDecisions(text: string): Answer {
  return (_, response) => {
    const finding = { method: null, path: wellFormed(text), message: wellFormed(text) };
    const decision = { ...decisionWith(text), finding };
    answerJson(response, 200, { decisions: [decision, decisionWith(text)] });
  };
}

/** Answers with approvals of changes whose texts are hostile. */
function listOfApprovals(text: string): Answer {
  const message = wellFormed(text);
  const change = { id: message, level: "breaking", message, operations: [], operationCount: 0 };
  const approval = {
    id: RUN_ID,
    fingerprint: "0".repeat(32),
    change,
    state: "open",
    serviceId: RUN_ID,
    serviceName: message,
    reason: text,
    until: null,
    scanRunId: null,
    pullRequest: message,
    usedByScanRunId: null,
  };
  return (_, response) => answerJson(response, 200, { approvals: [approval, { ...approval, change: null }] });
}

function listing(answer: (text: string) => Answer, args: readonly string[] = []): MakeHostile {
  return async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({});
    return { args: ["decisions", ...args, "--api-key", "k", "--api-url", server.url], cwd };
  };
}

/** The cases of `waymark decisions`. */
export const HOSTILE_LISTS_OF_DECISIONS: Readonly<Record<string, MakeHostile>> = {
  "decisions of a server": listing(listOfDecisions),
  "approvals of a server": listing(listOfApprovals, ["--changes"]),
  "a refusal": listing(refusal),
};
