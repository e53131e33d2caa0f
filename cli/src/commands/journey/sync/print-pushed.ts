import type {
  AffectedDocument,
  ChangedDocument,
  JourneyChangesetResult,
} from "@waymark/shared/journeys/schema.ts";
import type { CliContext } from "../../../framework/context.ts";
import { writeLine } from "../../../lib/output.ts";
import { plural, printable } from "../../../lib/text.ts";
import { problemLine } from "../problems.ts";

/** Prints the outcome of each document, its problems, and the effects on other documents. */
export function printPushed({ stdout }: CliContext, result: JourneyChangesetResult): void {
  const { changesetId, documents, affected, uncheckedCount } = result;
  for (const document of documents) {
    writeLine(stdout, documentLine(document));
    for (const problem of document.problems) writeLine(stdout, `    ${problemLine(problem)}`);
    if (document.programMatches === false) {
      writeLine(
        stdout,
        "    The server compiles it to another program than this command: compare their versions.",
      );
    }
  }
  for (const document of affected) writeLine(stdout, affectedLine(document));
  if (uncheckedCount > 0) {
    writeLine(stdout, `${plural(uncheckedCount, "more document")} that refer to these were not checked.`);
  }
  const changed = documents.filter(({ unchanged }) => !unchanged).length;
  writeLine(
    stdout,
    changesetId === null
      ? `Dry run: ${plural(changed, "document")} would change. Nothing was stored.`
      : `${plural(changed, "document")} pushed.`,
  );
}

function documentLine({ path, version, unchanged, archived, errorCount }: ChangedDocument): string {
  const what = archived ? "archived" : `version ${version}${unchanged ? " (unchanged)" : ""}`;
  const errors = errorCount === 0 ? "" : `, ${plural(errorCount, "error")}: it can't be run`;
  return `${errorCount === 0 ? "✓" : "!"} ${printable(path, 500)}  ${what}${errors}`;
}

function affectedLine({ path, before, after }: AffectedDocument): string {
  const what =
    after.errorCount > before.errorCount
      ? plural(after.errorCount - before.errorCount, "new error")
      : after.programId === before.programId
        ? "other problems"
        : "another program";
  return `~ ${printable(path, 500)}  affected: ${what}`;
}
