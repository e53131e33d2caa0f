import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { DocumentLimit, type ReadDocument } from "@waymark/server/journeys/compiler/compiler-child.ts";
import { documentKind } from "@waymark/shared/journeys/document-kind.ts";
import type { Examination } from "@waymark/server/journeys/compiler/messages.ts";
import { unexamined } from "@waymark/server/journeys/compiler/unexamined.ts";
import type { ContentsOfDocument } from "@waymark/server/journeys/contents.queries.ts";
import { listDependents } from "@waymark/server/journeys/links.queries.ts";
import { readHeadText } from "@waymark/server/journeys/queries.ts";
import type { AffectedDocument } from "@waymark/shared/journeys/schema.ts";
import type { PlannedChange } from "./plan-changes.ts";

/** The maximum number of documents that are checked because they refer to changed ones. */
const AFFECTED_MAX = 50;

export interface ExaminationDependencies {
  db: DatabasePool;
  compiler: Compiler;
}

export interface ExaminedChanges {
  /** The results for changes with a text, by path. */
  examinations: ReadonlyMap<string, Examination>;
  affected: AffectedDocument[];
  uncheckedCount: number;
  /** The contents of documents that refer to changed ones. */
  dependents: ContentsOfDocument[];
}

/** Reads stored documents, with other texts in the place of some; undefined where there is no document. */
export function documentReader(
  db: DatabasePool,
  organizationId: string,
  texts: ReadonlyMap<string, Buffer | undefined> = new Map(),
): ReadDocument {
  return async (path) => {
    if (texts.has(path)) return texts.get(path);
    const text = await withOrganization(db, organizationId, (tx) =>
      readHeadText(tx, { organizationId, path }),
    );
    return text ?? undefined;
  };
}

/** Checks the texts of a changeset, and what becomes of the documents that refer to them. */
export async function examineChanges(
  { db, compiler }: ExaminationDependencies,
  { organizationId, planned }: { organizationId: string; planned: readonly PlannedChange[] },
): Promise<ExaminedChanges> {
  const changed = planned.filter(({ effect }) => effect !== "none").map(({ change }) => change.path);
  const texts = new Map(
    planned.map(({ change: { path, text } }) => [path, text === null ? undefined : Buffer.from(text)]),
  );
  const { documents, total } = await withOrganization(db, organizationId, (tx) =>
    listDependents(tx, { organizationId, paths: changed, limit: AFFECTED_MAX }),
  );
  const own = planned.flatMap(({ change }) =>
    change.text === null ? [] : [{ path: change.path, kind: change.kind ?? null, text: change.text }],
  );
  const dependents = documents.map(({ path, kind }) => ({ path, kind }));
  const read = documentReader(db, organizationId, texts);
  const after = await compiler.run("examine", {
    organizationId,
    documents: [...own.map(({ path, kind }) => ({ path, kind })), ...dependents],
    read,
  });
  const before = await compiler.run("examine", {
    organizationId,
    documents: dependents,
    read: documentReader(db, organizationId),
  });
  const examinations = new Map(
    own.map(({ path, kind, text }, n) => [
      path,
      settled(after[n], { path, kind: kind ?? documentKind(path, text) }),
    ]),
  );
  const affected = documents.flatMap(({ kind: _kind, ...document }, n) => {
    const pair = { before: outcomeOf(before[n]), after: outcomeOf(after[own.length + n]) };
    return JSON.stringify(pair.before) === JSON.stringify(pair.after) ? [] : [{ ...document, ...pair }];
  });
  const refreshed = documents.flatMap(({ id }, n) => contentsOf(id, after[own.length + n]));
  return { examinations, affected, uncheckedCount: total - documents.length, dependents: refreshed };
}

function contentsOf(
  documentId: string,
  result: Examination | DocumentLimit | undefined,
): ContentsOfDocument[] {
  if (result === undefined || result instanceof DocumentLimit || result.contents === null) return [];
  return [{ documentId, contents: result.contents }];
}

/** A document that was too expensive to check is stored with that as its error. */
function settled(
  result: Examination | DocumentLimit | undefined,
  document: { path: string; kind: Examination["kind"] },
): Examination {
  if (result !== undefined && !(result instanceof DocumentLimit)) return result;
  return unexamined(document, result?.message ?? "it was not reached");
}

function outcomeOf(result: Examination | DocumentLimit | undefined): AffectedDocument["after"] {
  if (result === undefined || result instanceof DocumentLimit) {
    return { errorCount: 1, warningCount: 0, programId: null };
  }
  const { errorCount, warningCount, programId } = result;
  return { errorCount, warningCount, programId };
}
