import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { NormalizedEndpoint, ScanSpec } from "@waymark/shared/scans/schema.ts";
import { cutText, plural } from "../lib/text.ts";
import type { Operation } from "./list-operations.ts";

/** Counts of the values of a description that were shortened to fit a scan. */
export interface Shortened {
  summaries: number;
  tagLists: number;
  /** Left out, because a part of an identifier identifies nothing. */
  operationIds: number;
  /** The title and the version. */
  infoFields: number;
}

export function nothingShortened(): Shortened {
  return { summaries: 0, tagLists: 0, operationIds: 0, infoFields: 0 };
}

/** Normalizes an operation to the limits of a scan, and counts what that shortens. */
export function toEndpoint(operation: Operation, shortened: Shortened): NormalizedEndpoint {
  const { method, path, operationId, tags, summary: whole } = operation;
  const fitsId = operationId === null || fits(operationId, SCAN_LIMITS.operationIdMax);
  if (!fitsId) shortened.operationIds++;
  if (tags.length > SCAN_LIMITS.tagsMax) shortened.tagLists++;
  const summary = whole === null ? null : cutText(whole, SCAN_LIMITS.summaryMax);
  if (summary !== whole) shortened.summaries++;
  return {
    method,
    path,
    operationId: fitsId ? operationId : null,
    tags: tags.slice(0, SCAN_LIMITS.tagsMax),
    summary,
  };
}

/** The title and version of a description, cut to the limits of a scan. */
export function fitInfo(
  info: Pick<ScanSpec, "title" | "version">,
  shortened: Shortened,
): Pick<ScanSpec, "title" | "version"> {
  const limits = { title: SCAN_LIMITS.specTitleMax, version: SCAN_LIMITS.specVersionMax };
  const fitted = { ...info };
  for (const field of ["title", "version"] as const) {
    const whole = info[field];
    if (whole === undefined) continue;
    const text = cutText(whole, limits[field]);
    if (text !== whole) shortened.infoFields++;
    fitted[field] = text;
  }
  return fitted;
}

/** A sentence with the counts; undefined if nothing was shortened. */
export function describeShortened(shortened: Shortened): string | undefined {
  const { summaries, tagLists, operationIds, infoFields } = shortened;
  const parts = [
    summaries > 0 && `${summaryCount(summaries)} cut to ${SCAN_LIMITS.summaryMax} characters`,
    tagLists > 0 && `${plural(tagLists, "list")} of tags cut to the first ${SCAN_LIMITS.tagsMax}`,
    operationIds > 0 &&
      `${plural(operationIds, "operationId")} of more than ${SCAN_LIMITS.operationIdMax} characters left out`,
    infoFields > 0 && `${plural(infoFields, "field")} of info cut`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : `shortened to the limits of a scan: ${parts.join(", ")}.`;
}

function summaryCount(count: number): string {
  return count === 1 ? "1 summary" : `${count} summaries`;
}

function fits(text: string, max: number): boolean {
  return text.length <= max || Array.from(text).length <= max;
}
