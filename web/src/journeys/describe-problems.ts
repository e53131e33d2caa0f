import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { countOf } from "../lib/count-of.ts";

/** The problems of a document in words: `2 errors, 1 warning`, or `none`. */
export function describeProblems({
  errorCount,
  warningCount,
}: Pick<JourneyDocument, "errorCount" | "warningCount">): string {
  const parts = [
    ...(errorCount === 0 ? [] : [countOf(errorCount, "errors")]),
    ...(warningCount === 0 ? [] : [countOf(warningCount, "warnings")]),
  ];
  return parts.join(", ") || "none";
}
