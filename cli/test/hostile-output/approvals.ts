import { type Answer, answerJson, RUN_ID } from "../../src/test-support/fake-server.ts";
import { commandOnRun } from "./command-on-run.ts";
import { type MakeHostile, wellFormed } from "./files.ts";
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

const approveOf = commandOnRun("approve");

/** The cases of `waymark approve`. */
export const HOSTILE_APPROVALS: Readonly<Record<string, MakeHostile>> = {
  "changes to choose from": approveOf(runWithChanges, () => []),
  "an approval": approveOf(runWithChanges, (text) => ["--change", FINGERPRINT, "--reason", wellFormed(text)]),
  "a fingerprint that is none": approveOf(runWithChanges, (text) => ["--change", wellFormed(text)]),
  "a refusal": approveOf(refusal, () => ["--change", FINGERPRINT, "--reason", "r"]),
};
