import { type Answer, answerJson, RUN_ID } from "../../src/test-support/fake-server.ts";
import { commandOnRun } from "./command-on-run.ts";
import { type MakeHostile, wellFormed } from "./files.ts";
import { refusal } from "./refusal.ts";

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
        findings: [{ ...finding, id: RUN_ID, fingerprint: "0".repeat(32), decision: null }],
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
  "a refused decision": decideOf(refusal, () => ["--rule", "r", "--reason", "r"]),
};
