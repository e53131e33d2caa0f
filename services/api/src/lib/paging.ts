import { optionalWholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { z } from "zod";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;
/** For endpoints and findings: all of one scan fit one page. */
export const ITEM_PAGE_LIMIT_MAX = SCAN_LIMITS.endpointsMax;

/** The longest position has the name of a service and of a rule, and a path. */
const CURSOR_CHARS_MAX = 12_000;

/** The cursor of a list, which is opaque to callers. */
export const Cursor = z
  .string()
  .max(CURSOR_CHARS_MAX)
  .regex(/^[A-Za-z0-9_-]*$/, "is not a cursor of this list: use the nextCursor of a response unchanged")
  .optional()
  .meta({ description: "The nextCursor of the previous page. Omit it for the first page." });

const pageQuery = (limitMax: number) =>
  z.strictObject({
    limit: optionalWholeNumber({ min: 1, max: limitMax, default: PAGE_LIMIT_DEFAULT }),
    cursor: Cursor,
  });

/** `limit` and `cursor` of a list. */
export const PageQuery = pageQuery(PAGE_LIMIT_MAX);
export type PageQuery = z.infer<typeof PageQuery>;

/** `PageQuery` for the endpoints and findings of a scan. */
export const ItemPageQuery = pageQuery(ITEM_PAGE_LIMIT_MAX);
