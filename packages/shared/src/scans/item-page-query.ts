import { pageQuery } from "../operations/page-query.ts";
import { SCAN_LIMITS } from "./limits.ts";

/** The endpoints or findings of one scan fit one page. */
export const ITEM_PAGE_LIMIT_MAX = SCAN_LIMITS.endpointsMax;

/** `limit` and `cursor` of a list of endpoints or findings. */
export const ItemPageQuery = pageQuery(ITEM_PAGE_LIMIT_MAX);
