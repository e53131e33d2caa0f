import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { z } from "zod";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;
/** For endpoints and findings: all of one scan fit one page. */
export const ITEM_PAGE_LIMIT_MAX = SCAN_LIMITS.endpointsMax;

const pageQuery = (limitMax: number) =>
  z.strictObject({
    limit: z.coerce
      .number(`must be a whole number from 1 to ${limitMax}`)
      .int()
      .min(1)
      .max(limitMax)
      .default(PAGE_LIMIT_DEFAULT),
    cursor: z
      .string()
      .max(200)
      .optional()
      .meta({ description: "The nextCursor of the previous page. Omit it for the first page." }),
  });

/** `limit` and `cursor` of a list. A cursor is opaque to callers. */
export const PageQuery = pageQuery(PAGE_LIMIT_MAX);
export type PageQuery = z.infer<typeof PageQuery>;

/** `PageQuery` for the endpoints and findings of a scan. */
export const ItemPageQuery = pageQuery(ITEM_PAGE_LIMIT_MAX);
