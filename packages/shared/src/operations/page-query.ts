import { z } from "zod";
import { optionalWholeNumber } from "../lib/query-fields.ts";
import { Cursor } from "../lib/schema.ts";
import { SCAN_LIMITS } from "../scans/limits.ts";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;
/** For endpoints and findings: all of one scan fit one page. */
export const ITEM_PAGE_LIMIT_MAX = SCAN_LIMITS.endpointsMax;

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
