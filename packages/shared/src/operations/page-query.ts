import { z } from "zod";
import { optionalWholeNumber } from "../lib/query-fields.ts";
import { Cursor } from "../lib/schema.ts";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** Returns the query of a list with pages of at most `limitMax` items. */
export const pageQuery = (limitMax: number) =>
  z.strictObject({
    limit: optionalWholeNumber({ min: 1, max: limitMax, default: PAGE_LIMIT_DEFAULT }),
    cursor: Cursor,
  });

/** `limit` and `cursor` of a list. */
export const PageQuery = pageQuery(PAGE_LIMIT_MAX);
export type PageQuery = z.infer<typeof PageQuery>;
