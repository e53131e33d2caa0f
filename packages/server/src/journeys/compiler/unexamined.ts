import type { DocumentKind } from "@waymark/shared/journeys/document-kind.ts";
import type { Examination, Verdict } from "./messages.ts";

/** The verdict on a document that took too much. @param reason completes "it was not checked, because …" */
export function unexaminedVerdict(path: string, reason: string): Verdict {
  const message = `The document was not checked, because ${reason}. It can't be run.`;
  return {
    problems: [
      { severity: "error", code: "too-expensive", message, pointer: "", file: path, line: 1, column: 1 },
    ],
    errorCount: 1,
    warningCount: 0,
    programId: null,
  };
}

/** The examination of a document that took too much: what it says of itself is not known. */
export function unexamined(
  { path, kind }: { path: string; kind: DocumentKind },
  reason: string,
): Examination {
  const unknown = { title: undefined, version: undefined, self: undefined, extendsVersion: undefined };
  return {
    ...unexaminedVerdict(path, reason),
    kind,
    head: { ...unknown, isTemplate: false, tags: [] },
    links: [],
    contents: null,
  };
}
