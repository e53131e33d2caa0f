import { createHash } from "node:crypto";
import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile, wellFormed } from "./files.ts";
import { refusal } from "./refusal.ts";

const FILE = "a.journey.yaml";
const TEXT = "arazzo: 1.1.0\n";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Answers as a server with one document, whose text is hostile or not. */
function documents(text: string, { path = FILE, push }: { path?: string; push?: unknown } = {}): Answer {
  const document = {
    id: RUN_ID,
    path,
    kind: "journey",
    headVersion: 2,
    headHash: sha256(text),
    managedBy: null,
  };
  return (request, response) => {
    if (request.method === "POST") return answerJson(response, 201, push);
    if (request.url === "/api/api-keys/self") return answerJson(response, 200, { organizationId: RUN_ID });
    if (request.url.includes("/versions/"))
      return answerJson(response, 200, { text, hash: sha256(text), origin: "cli" });
    return answerJson(response, 200, { journeys: path === "" ? [] : [document] });
  };
}

function pushed(text: string): unknown {
  const problem = {
    severity: "error",
    code: text,
    message: text,
    pointer: text,
    file: text,
    line: 1,
    column: 1,
  };
  const outcome = { errorCount: 0, warningCount: 0, programId: text };
  const document = {
    id: RUN_ID,
    path: text,
    kind: "journey",
    version: 1,
    unchanged: false,
    archived: false,
    problems: [problem],
    errorCount: 1,
    warningCount: 0,
    programId: text,
    programMatches: false,
  };
  const affected = {
    id: RUN_ID,
    path: text,
    title: text,
    before: outcome,
    after: { ...outcome, errorCount: 2 },
  };
  return { changesetId: RUN_ID, documents: [document], affected: [affected], uncheckedCount: 1 };
}

function lineOf(
  command: string,
  answer: (text: string) => Answer,
  files: (text: string) => Record<string, unknown> = () => ({ [FILE]: TEXT }),
): MakeHostile {
  return async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith(files(text));
    return { args: ["journey", command, "--api-key", "k", "--api-url", server.url], cwd };
  };
}

export const HOSTILE_SYNC: Readonly<Record<string, Readonly<Record<string, MakeHostile>>>> = {
  "journey push": {
    "what became of documents": lineOf("push", (text) => documents(TEXT, { path: "", push: pushed(text) })),
    "a document that has moved on": lineOf("push", (text) => documents(wellFormed(text))),
    "a refusal": lineOf("push", refusal),
    "a reference that leads nowhere": lineOf(
      "push",
      () => documents(TEXT, { path: "", push: pushed("x") }),
      (text) => ({ "v.overlay.yaml": { overlay: "1.1.0", extends: text } }),
    ),
  },
  "journey pull": {
    "a text that is foreign": lineOf("pull", (text) => documents(wellFormed(text))),
    "a path that is none": lineOf("pull", (text) => documents(TEXT, { path: text })),
    "a refusal": lineOf("pull", refusal),
  },
  "journey status": {
    "a path that is none": lineOf("status", (text) => documents(TEXT, { path: text })),
    "a state that is none": lineOf(
      "status",
      () => documents(TEXT),
      (text) => ({
        [FILE]: TEXT,
        ".waymark/journeys.json": {
          known: [
            { server: text, organizationId: text, files: { [text]: { id: text, version: 1, hash: text } } },
          ],
        },
      }),
    ),
    "a refusal": lineOf("status", refusal),
  },
};
