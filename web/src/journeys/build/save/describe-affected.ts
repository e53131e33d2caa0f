import type { AffectedDocument } from "@waymark/shared/journeys/schema.ts";
import { countOf } from "../../../lib/count-of.ts";

/** Describes the effect on a document of a change to another one. */
export function describeAffected({ before, after }: Pick<AffectedDocument, "before" | "after">): string {
  if (before.programId !== null && after.programId === null)
    return `can't run any more: ${countOf(after.errorCount, "errors")}`;
  if (before.programId === null && after.programId !== null) return "can run again";
  if (before.programId !== after.programId) return "does something else than before";
  if (before.errorCount !== after.errorCount)
    return `${countOf(after.errorCount, "errors")} instead of ${before.errorCount}`;
  return "stays as it is";
}
