import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile, wellFormed } from "./files.ts";
import { refusal } from "./refusal.ts";

const FINGERPRINT = "0".repeat(32);

/** Answers as a server with one run, whose changes and service have hostile texts. */
function runWithChanges(text: string): Answer {
  return ({ method, url }, response) => {
    const change = { fingerprint: FINGERPRINT, level: "breaking", message: text, approval: null };
    if (method === "POST") {
      const approval = {
        fingerprint: FINGERPRINT,
        state: "open",
        reason: text,
        until: null,
        approvedBy: text,
      };
      return answerJson(response, 201, { approvals: [approval] });
    }
    if (url.includes("/changes"))
      return answerJson(response, 200, {
        comparison: { status: "compared", reason: null },
        verdicts: [change],
      });
    answerJson(response, 200, { serviceId: RUN_ID, serviceName: wellFormed(text) });
  };
}

function approveOf(answer: (text: string) => Answer, more: (text: string) => string[]): MakeHostile {
  return async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({});
    return { args: ["approve", RUN_ID, ...more(text), "--api-key", "k", "--api-url", server.url], cwd };
  };
}

/** The cases of `waymark approve`. */
export const HOSTILE_APPROVALS: Readonly<Record<string, MakeHostile>> = {
  "changes to choose from": approveOf(runWithChanges, () => []),
  "an approval": approveOf(runWithChanges, (text) => ["--change", FINGERPRINT, "--reason", wellFormed(text)]),
  "a fingerprint that is none": approveOf(runWithChanges, (text) => ["--change", wellFormed(text)]),
  "a refusal": approveOf(refusal, () => ["--change", FINGERPRINT, "--reason", "r"]),
};

/** Answers as a server with one run, whose findings and decisions have hostile texts. */
function runWithFindings(text: string): Answer {
  return ({ method, url }, response) => {
    const at = {
      code: wellFormed(text).slice(0, 100),
      message: wellFormed(text).slice(0, 400),
      method: null,
    };
    const finding = { ...at, path: wellFormed(text).slice(0, 400), severity: "high" };
    if (method === "POST")
      return answerJson(response, 201, {
        id: RUN_ID,
        kind: "wont_fix",
        state: "active",
        serviceId: RUN_ID,
        code: text,
        finding: null,
        reason: text,
        until: "2999-01-01",
        findingCount: 1,
      });
    if (url.includes("/findings"))
      return answerJson(response, 200, {
        findings: [{ ...finding, id: RUN_ID, fingerprint: FINGERPRINT, decision: null }],
      });
    answerJson(response, 200, { serviceId: RUN_ID, serviceName: wellFormed(text) });
  };
}

function decideOf(answer: (text: string) => Answer, more: (text: string) => string[]): MakeHostile {
  return async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({});
    return { args: ["decide", RUN_ID, ...more(text), "--api-key", "k", "--api-url", server.url], cwd };
  };
}

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
  "a refused decision": decideOf(refusal, () => ["--rule", "r", "--reason", "r"]),
};
