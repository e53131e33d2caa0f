import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";

const CONTEXT = 3;
/**
 * The maximum number of removed and added lines. Above it, the diff replaces the whole text: the search takes quadratic time,
 * 0.6 s at this limit.
 */
const EDITS_MAX = 2_000;

/** The differences of two texts as a unified diff for `patch` and `git apply`; empty if there are none. */
export function unifiedDiff(before: string, after: string, name: string): string {
  if (before === after) return "";
  const options = { context: CONTEXT, maxEditLength: EDITS_MAX };
  const patch =
    structuredPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, options) ??
    replacement(before, after, name);
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** One hunk that removes every line and adds the new ones. */
function replacement(before: string, after: string, name: string): StructuredPatch {
  const [removed] = structuredPatch("", "", before, "").hunks;
  const [added] = structuredPatch("", "", "", after).hunks;
  const hunk = {
    oldStart: 1,
    oldLines: removed?.oldLines ?? 0,
    newStart: 1,
    newLines: added?.newLines ?? 0,
    lines: [...(removed?.lines ?? []), ...(added?.lines ?? [])],
  };
  return {
    oldFileName: `a/${name}`,
    newFileName: `b/${name}`,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  };
}
